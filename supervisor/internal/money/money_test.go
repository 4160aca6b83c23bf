package money_test

import (
	"math"
	"testing"

	"mews/supervisor/internal/money"
)

func TestDollars_Amounts_AreRounded(t *testing.T) {
	for micro, want := range map[int64]string{
		0: "$0.00", 1: "$0.0001", 49: "$0.0001", 150: "$0.0002", 9_949: "$0.0099", 9_999: "$0.0100", 10_000: "$0.01",
		14_999: "$0.01", 15_000: "$0.02", 999_999: "$1.00", 1_234_567_890_000: "$1,234,567.89", -15_000: "-$0.02",
		math.MaxInt64: "$9,223,372,036,854.78", math.MinInt64: "-$4,611,686,018,427.39",
	} {
		if got := money.FormatDollars(micro); got != want {
			t.Errorf("%d is %s, want %s", micro, got, want)
		}
	}
}
