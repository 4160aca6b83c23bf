package amount_test

import (
	"testing"

	"mews/protocol/amount"
)

func TestBytes(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0 bytes", 1: "1 byte", 999: "999 bytes", 1000: "1.0 KB", 12_345: "12.3 KB", 999_949: "999.9 KB", 999_950: "1.0 MB",
		2 << 30: "2.1 GB", 1<<63 - 1: "9.2 EB",
	} {
		if got := amount.Bytes(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}

func TestOf(t *testing.T) {
	for n, want := range map[int]string{
		0: "0 lines", 1: "1 line", 2: "2 lines", 999: "999 lines", 1000: "1,000 lines", 1234567: "1,234,567 lines",
	} {
		if got := amount.Of(n, "line", "lines"); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}
