package carrier

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"os"
	"syscall"
	"testing"
	"time"
)

// TestTheTextOfANetworkErrorIsTheSameAtEachAttempt: a condition with this text is written once.
func TestTheTextOfANetworkErrorIsTheSameAtEachAttempt(t *testing.T) {
	ended := time.Date(2026, time.November, 1, 0, 0, 0, 0, time.UTC)
	for want, attempt := range map[string]func(number int) error{
		"token exchange: read tcp 10.1.1.1:443: read: connection reset by peer": func(number int) error {
			return fmt.Errorf("token exchange: %w", reset(net.IPv4(10, 0, 0, 5), net.IPv4(10, 1, 1, 1), number))
		},
		"read tcp [2001:db8::1]:443: read: connection reset by peer": func(number int) error {
			return reset(net.ParseIP("fd00::5"), net.ParseIP("2001:db8::1"), number)
		},
		"dial tcp: lookup carrier.example on 10.96.0.10:53: read udp 10.96.0.10:53: i/o timeout": func(number int) error {
			why := fmt.Sprintf("read udp 10.244.1.7:%d->10.96.0.10:53: i/o timeout", 32768+number)
			lookup := &net.DNSError{Name: "carrier.example", Server: "10.96.0.10:53", Err: why, IsTimeout: true}
			return &net.OpError{Op: "dial", Net: "tcp", Err: lookup}
		},
		"dial tcp 10.1.1.1:443: connect: connection refused": func(int) error {
			return &net.OpError{
				Op: "dial", Net: "tcp", Addr: &net.TCPAddr{IP: net.IPv4(10, 1, 1, 1), Port: 443},
				Err: os.NewSyscallError("connect", syscall.ECONNREFUSED),
			}
		},
		"tls: failed to verify certificate: x509: certificate has expired or is not yet valid: " +
			"the current time is after 2026-11-01T00:00:00Z": func(number int) error {
			return expired(ended.Add(time.Duration(number)*time.Second), "after", ended)
		},
		"tls: failed to verify certificate: x509: certificate has expired or is not yet valid: " +
			"the current time is before 2026-11-01T00:00:00Z": func(number int) error {
			zone := time.FixedZone("AEST", 10*60*60)
			return expired(ended.In(zone).Add(-time.Duration(number)*time.Second), "before", ended)
		},
		`http2: server sent GOAWAY and closed the connection; ErrCode=NO_ERROR, debug=""`: func(number int) error {
			return fmt.Errorf("http2: server sent GOAWAY and closed the connection; LastStreamID=%d, ErrCode=NO_ERROR, debug=%q",
				2*number+1, "")
		},
		"stream error: INTERNAL_ERROR; received from peer": func(number int) error {
			return fmt.Errorf("stream error: stream ID %d; INTERNAL_ERROR; received from peer", 2*number+1)
		},
	} {
		for number := range 2 {
			if text := steadyText(attempt(number)); text != want {
				t.Errorf("attempt %d is %q, want %q", number, text, want)
			}
		}
	}
}

// reset is what a connection ends with that the server resets. Each attempt has another local port.
func reset(local, remote net.IP, number int) error {
	return &net.OpError{
		Op: "read", Net: "tcp", Source: &net.TCPAddr{IP: local, Port: 48312 + number},
		Addr: &net.TCPAddr{IP: remote, Port: 443}, Err: os.NewSyscallError("read", syscall.ECONNRESET),
	}
}

func expired(now time.Time, is string, limit time.Time) error {
	return &tls.CertificateVerificationError{Err: x509.CertificateInvalidError{
		Reason: x509.Expired,
		Detail: fmt.Sprintf("current time %s is %s %s", now.Format(time.RFC3339), is, limit.Format(time.RFC3339)),
	}}
}

// TestEveryErrorShowsTheSteadyText: a carrier and an identity provider that reset each connection.
func TestEveryErrorShowsTheSteadyText(t *testing.T) {
	text := func(number int) [3]string {
		err := reset(net.IPv4(10, 0, 0, 5), net.IPv4(10, 1, 1, 1), number)
		k := call{operation: PlanChange}
		return [3]string{
			unreachable(k, response{err: err}).Error(),
			incomplete(k, fmt.Errorf("read body: %w", err)).Error(),
			(&TokenError{Reason: TokenUnreachable, Message: "m", cause: err}).Error(),
		}
	}
	if first, second := text(1), text(2); first != second {
		t.Errorf("%q, then %q", first, second)
	}
}
