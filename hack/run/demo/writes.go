// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/term"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// counted is a line of the API server's metrics: a counter of requests, its labels and its value.
var counted = regexp.MustCompile(`(?m)^apiserver_request_total\{(.*)\} (\S+)$`)

// writing matches the labels of a request that has written an object of the operator.
var writing = regexp.MustCompile(`(^|,)verb="(POST|PUT|PATCH|APPLY|DELETE)"(,|$)`)

// countWrites adds up the writes of objects of the operator, from the metrics of the API server.
func countWrites(metrics string) (int, error) {
	sum := 0
	for _, found := range counted.FindAllStringSubmatch(metrics, -1) {
		labels := found[1]
		ours := strings.Contains(labels, `group="`+v1alpha1.GroupVersion.Group+`"`)
		if !ours || !strings.Contains(labels, `code="2`) || !strings.Contains(labels, `dry_run=""`) ||
			!writing.MatchString(labels) {
			continue
		}
		number, err := strconv.ParseFloat(found[2], 64)
		if err != nil {
			return 0, fmt.Errorf("read the metrics of the API server: %w", err)
		}
		sum += int(number)
	}
	return sum, nil
}

func isTerminal(out io.Writer) bool {
	file, is := out.(*os.File)
	return is && term.IsTerminal(int(file.Fd()))
}
