package model

import (
	"testing"

	"mews/supervisor/modelcall"
)

// BenchmarkCallWithPolicy measures a call through the catalogue, with a fallback that is not
// needed.
func BenchmarkCallWithPolicy(b *testing.B) {
	first := answers("fine")
	c := catalogueOf(b, first, answers("never"))
	req, delta := modelcall.Request{}, func(modelcall.Delta) {}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.Stream(b.Context(), "a/m", req, delta); err != nil {
			b.Fatal(err)
		}
		first.asked, first.at = first.asked[:0], first.at[:0]
	}
}

// BenchmarkCallWithoutPolicy measures the same call without the policy, as the base to subtract
// from BenchmarkCallWithPolicy.
func BenchmarkCallWithoutPolicy(b *testing.B) {
	first := answers("fine")
	req, delta := modelcall.Request{}, func(modelcall.Delta) {}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := first.Stream(b.Context(), req, delta); err != nil {
			b.Fatal(err)
		}
		first.asked, first.at = first.asked[:0], first.at[:0]
	}
}
