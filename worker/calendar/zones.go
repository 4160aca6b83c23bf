package calendar

import (
	"strings"
	"time"
)

// zones finds the zones that a file names.
type zones struct {
	file    *File
	known   map[string]*time.Location // by TZID; nil means that the zone is not known
	read    bool
	own     map[string]*Component // VTIMEZONEs of the file, by TZID
	missing []string              // names of zones that were not found
}

// maxZones is the maximum number of zones that one file may use.
const maxZones = 200

// find returns the zone with an id. The name of a place in tzdata comes first, then a name of
// Windows, and then the rules in the file. nil means that the zone is not known: its times are read
// in the reader's zone.
func (z *zones) find(id string) *time.Location {
	if zone, known := z.known[id]; known {
		return zone
	}
	if z.known == nil {
		z.known = map[string]*time.Location{}
	}
	if len(z.known) >= maxZones {
		return nil
	}
	zone := named(id)
	if zone == nil {
		zone = z.ownZone(id)
	}
	if z.known[id] = zone; zone == nil {
		z.missing = append(z.missing, id)
	}
	return zone
}

// named returns the zone that a name means; nil means none. Some programs put a path before the
// name of tzdata, such as /freeassociation.sourceforge.net/Europe/Berlin.
func named(id string) *time.Location {
	id = strings.TrimSpace(id)
	if name, known := windowsZones[id]; known {
		id = name
	}
	switch strings.ToUpper(id) {
	case "", "LOCAL":
		return nil
	case "Z", "UTC", "GMT", "ETC/UTC":
		return time.UTC
	}
	for rest, more := id, true; more; _, rest, more = strings.Cut(rest, "/") {
		if zone, err := time.LoadLocation(rest); err == nil && rest != "" {
			return zone
		}
	}
	return nil
}

// ownZone returns a zone by its rules in the file; nil means none.
func (z *zones) ownZone(id string) *time.Location {
	if !z.read {
		z.read, z.own = true, map[string]*Component{}
		for _, c := range z.file.in("VTIMEZONE") {
			z.own[property(c.line("TZID")).Value] = c
		}
	}
	c := z.own[id]
	if c == nil {
		return nil
	}
	if place := property(c.line("X-LIC-LOCATION")).Value; place != "" {
		if zone := named(place); zone != nil {
			return zone
		}
	}
	return readZone(id, c)
}
