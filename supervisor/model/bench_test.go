package model

import (
	"testing"

	"mews/supervisor/modelcall"
)

// BenchmarkCatalogueCall measures a call through the catalogue, with a fallback that is not
// needed.
func BenchmarkCatalogueCall(b *testing.B) {
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

// BenchmarkProviderCall measures the same call without the policy, as the base to subtract
// from BenchmarkCatalogueCall.
func BenchmarkProviderCall(b *testing.B) {
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
