package charts

import "testing"

// BenchmarkDraw draws a usual chart: five years of weeks.
func BenchmarkDraw(b *testing.B) { benchmarkDraw(b, "weight") }

// BenchmarkDrawLargest draws a chart at its limits.
func BenchmarkDrawLargest(b *testing.B) { benchmarkDraw(b, "largest") }

func benchmarkDraw(b *testing.B, sample string) {
	args := samples()[sample]
	b.ReportAllocs()
	for b.Loop() {
		drawSample(b, args)
	}
}
