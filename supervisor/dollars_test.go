package supervisor_test

import (
	"math"
	"testing"

	"mews/supervisor"
)

func TestDollars(t *testing.T) {
	for micro, want := range map[int64]string{0: "$0.00", 1: "$0.0001", 149: "$0.0001", 150: "$0.0002", 9_940: "$0.0099",
		10_000: "$0.01", 14_999: "$0.01", 15_000: "$0.02", 500_000: "$0.50", 1_995_000: "$2.00", 12_340_000: "$12.34",
		-500_000: "-$0.50", math.MaxInt64: "$9223372036854.78", math.MinInt64: "-$4611686018427.39"} {
		if got := supervisor.Dollars(micro); got != want {
			t.Errorf("%d: got %s, want %s", micro, got, want)
		}
	}
}
