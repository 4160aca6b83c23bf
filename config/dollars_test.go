package config

import (
	"testing"

	"pgregory.net/rapid"

	_ "mews/internal/fixedseed"
)

func TestDollars_ParseExactly(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "0.0": 0, "2": 2_000_000, "0.1": 100_000, "0.25": 250_000, "0.000001": 1, "19.99": 19_990_000,
		"1000000": 1_000_000_000_000, "0999999.999999": 999_999_999_999,
	} {
		got, err := ParseDollars(text)
		if err != nil || got != (Dollars{want, true}) {
			t.Errorf("%s: got %+v, error %v", text, got, err)
		}
	}
	for _, text := range []string{
		"", ".", "1.", ".5", "-1", "+1", "1e3", "1_000", "1,5", "0x1", "0.0000001", "1000000.000001", "10000000", "NaN", " 1", "1 ",
		"9999999999999999999999",
	} {
		if got, err := ParseDollars(text); err == nil {
			t.Errorf("%q was accepted as %+v", text, got)
		}
	}
}

// ParseDollars reads what String writes.
func TestDollars_RoundTrip_IsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := Dollars{rapid.Int64Range(0, maxBudget*1_000_000).Draw(t, "millionths"), true}
		if got, err := ParseDollars(d.String()); err != nil || got != d {
			t.Fatalf("%+v is %s, which is %+v, error %v", d, d, got, err)
		}
	})
}
