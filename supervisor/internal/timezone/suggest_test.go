package timezone

import (
	"testing"
	"time"
	_ "time/tzdata"
)

func TestSuggest_Places_GiveZones(t *testing.T) {
	for place, want := range map[string]string{
		"Berlin": "Europe/Berlin", "berlin": "Europe/Berlin", "europe/berlin": "Europe/Berlin",
		"EUROPE/BERLIN": "Europe/Berlin",
		"new york":      "America/New_York", "New_York": "America/New_York", "tokyo": "Asia/Tokyo",
		"salta":  "America/Argentina/Salta",
		"sydney": "Australia/Sydney", "nairobi": "Africa/Nairobi", "Munich": "Europe/Berlin",
		"san francisco": "America/Los_Angeles",
		"india":         "Asia/Kolkata", "madrid ": "Europe/Madrid", "America / New York": "",
		"Nowhere": "", "Europe/Nowhere": "", "local": "", "": "", "../etc/passwd": "", "Berlin; rm": "",
		"/": "", "Köln": "", "123": "",
	} {
		if got := Suggest(place); got != want {
			t.Errorf("%q is %q, want %q", place, got, want)
		}
	}
	for place, zone := range elsewhere {
		if _, err := time.LoadLocation(zone); err != nil || Suggest(place) != zone {
			t.Errorf("%s is in %s: %v", place, zone, err)
		}
	}
}
