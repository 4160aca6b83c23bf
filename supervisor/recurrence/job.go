package recurrence

import (
	"encoding/json"
	"time"

	"mews/supervisor"
)

// Of is the rule of a job.
func Of(j supervisor.Job) (r Rule, err error) {
	return r, json.Unmarshal([]byte(j.Rule), &r)
}

// ZoneOf is the zone in which a job's times are read.
func ZoneOf(j supervisor.Job) (*time.Location, error) {
	if j.Zone == "" {
		return time.Local, nil
	}
	return time.LoadLocation(j.Zone)
}

// NextOf is when a job is due after a moment.
func NextOf(j supervisor.Job, after time.Time) (next time.Time, found bool, err error) {
	return Zones{}.NextOf(j, after)
}

// Zones are those of many jobs, by their names: to read one takes longer than all else that is done
// of a job.
type Zones map[string]*time.Location

// NextOf is when a job is due after a moment.
func (z Zones) NextOf(j supervisor.Job, after time.Time) (next time.Time, found bool, err error) {
	r, err := Of(j)
	if err != nil || r.Max > 0 && j.Fired >= r.Max {
		return next, false, err
	}
	if z[j.Zone] == nil {
		if z[j.Zone], err = ZoneOf(j); err != nil {
			return next, false, err
		}
	}
	return r.Next(after, z[j.Zone])
}
