package model

import (
	"testing"

	"mews/supervisor/modelcall"
)

// BenchmarkPolicy is what a call costs beside the model's own work, with a fallback that is not
// needed.
func BenchmarkPolicy(b *testing.B) {
	first := says("fine")
	c := with(b, first, says("never"))
	req, delta := modelcall.Request{}, func(modelcall.Delta) {}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.Stream(b.Context(), "a/m", req, delta); err != nil {
			b.Fatal(err)
		}
		first.asked, first.at = first.asked[:0], first.at[:0]
	}
}

// BenchmarkProvider is the same without the policy, to take away from it.
func BenchmarkProvider(b *testing.B) {
	first := says("fine")
	req, delta := modelcall.Request{}, func(modelcall.Delta) {}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := first.Stream(b.Context(), req, delta); err != nil {
			b.Fatal(err)
		}
		first.asked, first.at = first.asked[:0], first.at[:0]
	}
}
