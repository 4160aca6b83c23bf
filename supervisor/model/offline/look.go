package offline

import (
	"strconv"
	"strings"
)

const showing = "show|list|see|view|display|print|give|get|tell|i_want_to_see|i'd_like_to_see|let_me_see"

// lists is the family of what folders hold, and of the clock.
func lists() []*intent {
	return []*intent{
		{name: "how many", example: "how many files do I have", phrases: say(howManyPhrases), do: countFiles},
		{name: "list", example: "list my files", phrases: say(listPhrases), do: list},
		{name: "time", example: "what time is it", phrases: say(timePhrases), do: tellTime},
	}
}

// list shows a folder, or the files of one kind.
func list(r *run, s slots) {
	folder := s["folder"]
	if folder == "" {
		folder = s["path"]
	}
	if isGeneric(folder) {
		folder = ""
	}
	a := args{}
	where := "your folder"
	if folder != "" {
		a["path"] = folder
		where = code(folder)
	}
	if s["pattern"] != "" {
		a["pattern"] = s["pattern"]
		a["recursive"] = true
	}
	if s["deep"] != "" {
		a["recursive"] = true
	}
	text, ok := r.result("list "+where, "list_files", a)
	switch {
	case !ok:
	case strings.TrimSpace(text) == "" || noneFound(text):
		r.say("There is nothing in %s.", where)
	default:
		r.say("This is in %s:\n%s", where, fence(text))
	}
}

// countFiles counts the files of a listing. Where the listing was cut it takes the tool's word for how many there are.
func countFiles(r *run, s slots) {
	a := args{"recursive": true}
	where := "your folder"
	if folder := s["folder"]; folder != "" && !isGeneric(folder) {
		a["path"] = folder
		where = code(folder)
	}
	result, ok := r.call("list_files", a)
	if !ok {
		return
	}
	if result.Failed {
		r.end("%s", failure("list "+where, result))
		return
	}
	names, whole := listed(result.Text)
	number := strconv.Itoa(len(names))
	if m := inAll().FindStringSubmatch(result.Text); m != nil {
		number = m[1]
	} else if !whole || result.Rest != nil {
		number = "at least " + number
	}
	r.say("Files in %s and the folders in it: %s.", where, number)
}

var (
	column  = lazy(`\t|\s{2,}`)                                     // between a name and what is told of it
	leftOut = lazy(`(?i)\b\d+ more\b|left out|not shown|could not`) // in a line that is no file's
	inAll   = lazy(`\bmore of ([\d,]+) files?\b`)
)

// listed reads the names of files, not of folders, from a listing; whole is false when it says that there are more.
func listed(text string) (names []string, whole bool) {
	if noneFound(text) {
		return nil, true
	}
	whole = true
	for line := range strings.Lines(text) {
		name := strings.TrimSpace(line)
		told := column().FindStringIndex(name)
		switch {
		case told == nil && leftOut().MatchString(name):
			whole = false
			continue
		case told != nil:
			name = name[:told[0]]
		}
		if name != "" && !strings.HasSuffix(name, "/") {
			names = append(names, name)
		}
	}
	return names, whole
}

// zones are cities that people name, and the time zones they are in.
var zones = map[string]string{
	"utc": "UTC", "gmt": "UTC", "london": "Europe/London", "dublin": "Europe/Dublin", "lisbon": "Europe/Lisbon",
	"paris": "Europe/Paris", "berlin": "Europe/Berlin", "madrid": "Europe/Madrid", "rome": "Europe/Rome",
	"vienna": "Europe/Vienna", "zurich": "Europe/Zurich", "amsterdam": "Europe/Amsterdam", "warsaw": "Europe/Warsaw",
	"stockholm": "Europe/Stockholm", "oslo": "Europe/Oslo", "helsinki": "Europe/Helsinki", "athens": "Europe/Athens",
	"kyiv": "Europe/Kyiv", "moscow": "Europe/Moscow", "istanbul": "Europe/Istanbul", "cairo": "Africa/Cairo",
	"nairobi": "Africa/Nairobi", "lagos": "Africa/Lagos", "johannesburg": "Africa/Johannesburg", "dubai": "Asia/Dubai",
	"mumbai": "Asia/Kolkata", "delhi": "Asia/Kolkata", "new delhi": "Asia/Kolkata", "india": "Asia/Kolkata",
	"bangkok": "Asia/Bangkok", "singapore": "Asia/Singapore", "hong kong": "Asia/Hong_Kong", "beijing": "Asia/Shanghai",
	"shanghai": "Asia/Shanghai", "tokyo": "Asia/Tokyo", "japan": "Asia/Tokyo", "seoul": "Asia/Seoul",
	"sydney": "Australia/Sydney", "melbourne": "Australia/Melbourne", "auckland": "Pacific/Auckland",
	"new york": "America/New_York", "boston": "America/New_York", "toronto": "America/Toronto",
	"chicago": "America/Chicago",
	"denver":  "America/Denver", "los angeles": "America/Los_Angeles", "san francisco": "America/Los_Angeles",
	"seattle": "America/Los_Angeles", "vancouver": "America/Vancouver", "mexico city": "America/Mexico_City",
	"bogota": "America/Bogota", "lima": "America/Lima", "buenos aires": "America/Argentina/Buenos_Aires",
	"sao paulo": "America/Sao_Paulo",
}

var zoneName = lazy(`^[A-Za-z_]+(?:/[A-Za-z0-9_+-]+)+$`)

// tellTime tells the time here, or in a city or zone that it knows.
func tellTime(r *run, s slots) {
	a, place := args{}, ""
	if asked := s["zone"]; asked != "" {
		zone := zones[strings.ToLower(asked)]
		if zone == "" && zoneName().MatchString(asked) {
			zone = asked
		}
		if zone == "" {
			r.say("I do not know the time zone of %s. Name it as it is in the time zone database, such as "+
				"`what time is it in Europe/Madrid`.", code(asked))
			return
		}
		a["timezone"], place = zone, " in "+zone
	}
	if text, ok := r.result("tell the time"+place, "get_time", a); ok {
		r.say("%s", clock(text, place))
	}
}
