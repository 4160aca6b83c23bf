package amount_test

import (
	"math"
	"testing"
	"time"

	"mews/protocol/amount"
)

func TestFormatBytes_Number_HasUnit(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0 bytes", 1: "1 byte", 999: "999 bytes", 1000: "1.0 KB", 12_345: "12.3 KB", 999_949: "999.9 KB", 999_950: "1.0 MB",
		2 << 30: "2.1 GB", 1<<63 - 1: "9.2 EB",
	} {
		if got := amount.FormatBytes(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}

func TestPlural_Number_ChoosesNoun(t *testing.T) {
	for n, want := range map[int]string{
		0: "0 lines", 1: "1 line", 2: "2 lines", 999: "999 lines", 1000: "1,000 lines", 1234567: "1,234,567 lines",
	} {
		if got := amount.Plural(n, "line", "lines"); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}

func TestFormatDuration_UsesWords(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0 seconds", time.Second: "1 second", time.Minute: "1 minute", 90 * time.Second: "1 minute and 30 seconds", 12 * time.Hour: "12 hours",
	} {
		if got := amount.FormatDuration(d); got != want {
			t.Errorf("%v is %s, want %s", d, got, want)
		}
	}
}

func TestFormatNumber_LargeNumber_HasCommas(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0", 999: "999", 1000: "1,000", -1000: "-1,000", -999: "-999", 1234567: "1,234,567",
		math.MinInt64: "-9,223,372,036,854,775,808",
	} {
		if got := amount.FormatNumber(n); got != want {
			t.Errorf("%d is %s, want %s", n, got, want)
		}
	}
}

func TestBinarySize_Number_HasUnit(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0 B", 1: "1 B", 1023: "1023 B", 1024: "1 KiB", 1536: "1.5 KiB", 1<<20 - 1: "1 MiB", 1 << 30: "1 GiB",
		10<<30 + (1<<30)/5: "10.2 GiB", 1<<63 - 1: "8 EiB",
	} {
		if got := amount.BinarySize(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}
