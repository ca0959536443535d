// SPDX-License-Identifier: Apache-2.0

package metrics

import "github.com/prometheus/client_golang/prometheus"

// RequestLog counts the lines of the request log that are lost. A nil *RequestLog counts nothing.
type RequestLog struct{ lost *prometheus.CounterVec }

func newRequestLog(r *registrar) *RequestLog {
	made := &RequestLog{r.counter("broadband_request_log_lines_lost_total",
		"Lines of the request log that could not be written to standard output.")}
	made.lost.WithLabelValues()
	return made
}

// Lose counts a line that is lost.
func (l *RequestLog) Lose() {
	if l != nil {
		l.lost.WithLabelValues().Inc()
	}
}
