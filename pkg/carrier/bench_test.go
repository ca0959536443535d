package carrier

import (
	"slices"
	"testing"
)

// measure runs one function on one body, again and again.
func measure(b *testing.B, body []byte, what func([]byte)) {
	b.Helper()
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		what(body)
	}
}

// BenchmarkDecode decodes every golden document.
func BenchmarkDecode(b *testing.B) {
	for _, name := range slices.Sorted(goldenNames()) {
		decodeGolden := goldens()[name]
		b.Run(name, func(b *testing.B) {
			measure(b, golden(b, name), func(body []byte) {
				if _, err := decodeGolden(body); err != nil {
					b.Fatal(err)
				}
			})
		})
	}
}

// BenchmarkDecodeSummary measures the cost of each poll of a request in progress.
func BenchmarkDecodeSummary(b *testing.B) {
	measure(b, golden(b, "aggregation-conversion.json"), func(body []byte) {
		if _, err := DecodeSummary(AggregationConversion, body); err != nil {
			b.Fatal(err)
		}
	})
}

func BenchmarkErrorBody(b *testing.B) {
	measure(b, golden(b, "error-422.json"), func(body []byte) {
		if readError(body, scrubber{canaryToken}).Code == "" {
			b.Fatal("nothing was read")
		}
	})
}

func BenchmarkParseLocation(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ParseLocation(PlanChange, 8, "https://api.carrier.example"+requests+"9007199254740993"); err != nil {
			b.Fatal(err)
		}
	}
}
