package timezone

import (
	"regexp"
	"strings"
	"time"
)

// regions are the beginnings of time zones' names, in the order in which Suggest tries them.
var regions = []string{"", "Europe/", "America/", "Asia/", "Africa/", "Australia/", "Pacific/", "Atlantic/",
	"Indian/",
	"America/Argentina/", "America/Indiana/", "Antarctica/"}

// elsewhere has the zones of countries, and of cities that no zone is named after.
var elsewhere = map[string]string{
	"germany": "Europe/Berlin", "munich": "Europe/Berlin", "hamburg": "Europe/Berlin", "cologne": "Europe/Berlin",
	"frankfurt": "Europe/Berlin", "austria": "Europe/Vienna", "switzerland": "Europe/Zurich",
	"geneva": "Europe/Zurich",
	"france": "Europe/Paris", "spain": "Europe/Madrid", "barcelona": "Europe/Madrid", "italy": "Europe/Rome",
	"milan": "Europe/Rome", "uk": "Europe/London", "england": "Europe/London", "manchester": "Europe/London",
	"netherlands": "Europe/Amsterdam", "india": "Asia/Kolkata", "delhi": "Asia/Kolkata", "mumbai": "Asia/Kolkata",
	"bangalore": "Asia/Kolkata", "china": "Asia/Shanghai", "beijing": "Asia/Shanghai", "osaka": "Asia/Tokyo",
	"san francisco": "America/Los_Angeles", "seattle": "America/Los_Angeles", "boston": "America/New_York",
	"washington": "America/New_York", "miami": "America/New_York", "houston": "America/Chicago",
	"dallas": "America/Chicago",
	"rio":    "America/Sao_Paulo", "rio de janeiro": "America/Sao_Paulo",
}

// placePattern matches names of places.
var placePattern = regexp.MustCompile(`^[a-z]+([ /-][a-z]+){0,6}$`)

// Suggest returns the time zone of a city or country; "" if it does not know the place.
func Suggest(place string) string {
	place = strings.ToLower(strings.Join(strings.Fields(strings.ReplaceAll(place, "_", " ")), " "))
	if !placePattern.MatchString(place) {
		return ""
	}
	if zone := elsewhere[place]; zone != "" {
		return zone
	}
	name := []byte(strings.ReplaceAll(place, " ", "_"))
	for i := range name {
		if i == 0 || strings.IndexByte("_/-", name[i-1]) >= 0 {
			name[i] -= 'a' - 'A'
		}
	}
	for _, region := range regions {
		if zone := region + string(name); zone != "Local" {
			if _, err := time.LoadLocation(zone); err == nil {
				return zone
			}
		}
	}
	return ""
}
