package recurrence

import (
	"encoding/json"
	"time"

	"mews/supervisor"
)

// JobRule decodes the rule of a job.
func JobRule(j supervisor.Job) (r Rule, err error) {
	return r, json.Unmarshal([]byte(j.Rule), &r)
}

// JobZone returns the time zone of a job.
func JobZone(j supervisor.Job) (*time.Location, error) {
	if j.Zone == "" {
		return time.Local, nil
	}
	return time.LoadLocation(j.Zone)
}

// NextDue returns the first time after a moment at which a job is due.
func NextDue(j supervisor.Job, after time.Time) (next time.Time, found bool, err error) {
	return ZoneCache{}.NextDue(j, after)
}

// ZoneCache caches the time zones of many jobs by name. It exists because loading a zone takes
// longer than all other work on a job.
type ZoneCache map[string]*time.Location

// NextDue returns the first time after a moment at which a job is due.
func (z ZoneCache) NextDue(j supervisor.Job, after time.Time) (next time.Time, found bool, err error) {
	r, err := JobRule(j)
	if err != nil || r.MaxFires > 0 && j.FireCount >= r.MaxFires {
		return next, false, err
	}
	if z[j.Zone] == nil {
		if z[j.Zone], err = JobZone(j); err != nil {
			return next, false, err
		}
	}
	return r.Next(after, z[j.Zone])
}
