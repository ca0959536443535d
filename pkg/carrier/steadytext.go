package carrier

import "regexp"

var (
	// varying are the parts of a network error's text that differ at each attempt: the local address,
	// and the numbers that HTTP/2 gives to requests.
	varying = regexp.MustCompile(`[^\s("]+:\d+->|stream ID \d+; |LastStreamID=\d+, `)

	// currentTime is in the text of an x509 error about an expired certificate.
	currentTime = regexp.MustCompile(`current time \S+ is`)
)

// steadyText returns the text of a network error without the parts that differ at each attempt. A
// status that contains the text is then written once, and not after each attempt.
func steadyText(err error) string {
	text := varying.ReplaceAllString(err.Error(), "")
	return currentTime.ReplaceAllString(text, "the current time is")
}
