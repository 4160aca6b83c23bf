package recurrence

import (
	"encoding/json"
	"time"

	"mews/supervisor"
)

// RuleOf decodes the rule of a job.
func RuleOf(j supervisor.Job) (r Rule, err error) {
	return r, json.Unmarshal([]byte(j.Rule), &r)
}

// ZoneOf returns the time zone of a job.
func ZoneOf(j supervisor.Job) (*time.Location, error) {
	if j.Zone == "" {
		return time.Local, nil
	}
	return time.LoadLocation(j.Zone)
}

// NextOf returns the first time after a moment at which a job is due.
func NextOf(j supervisor.Job, after time.Time) (next time.Time, found bool, err error) {
	return Zones{}.NextOf(j, after)
}

// Zones caches the time zones of many jobs by name, because loading a zone takes longer than all
// other work on a job.
type Zones map[string]*time.Location

// NextOf returns the first time after a moment at which a job is due.
func (z Zones) NextOf(j supervisor.Job, after time.Time) (next time.Time, found bool, err error) {
	r, err := RuleOf(j)
	if err != nil || r.MaxFires > 0 && j.FireCount >= r.MaxFires {
		return next, false, err
	}
	if z[j.Zone] == nil {
		if z[j.Zone], err = ZoneOf(j); err != nil {
			return next, false, err
		}
	}
	return r.Next(after, z[j.Zone])
}
