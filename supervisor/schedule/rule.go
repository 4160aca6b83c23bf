package schedule

import (
	"encoding/json"
	"fmt"
	"time"

	"mews/supervisor"
	"mews/supervisor/recurrence"
)

// SetRule has a job be due as words say, from at on.
func SetRule(j *supervisor.Job, when string, at time.Time) error {
	zone, err := recurrence.ZoneOf(*j)
	if err != nil {
		return err
	}
	rule, err := recurrence.Parse(when, at.In(zone))
	if err != nil {
		return err
	}
	rule.At = rule.At.Truncate(time.Millisecond) // as times are kept
	encoded, err := json.Marshal(rule)
	if err != nil {
		return fmt.Errorf("keep a rule: %w", err)
	}
	j.Rule, j.FiredUntil, j.FireCount = string(encoded), at, 0 // the times of a rule are counted anew
	if rule.Kind == recurrence.Once && !rule.At.After(at) {
		// it may be written as late as recurrence.Parse takes it
		j.FiredUntil = rule.At.Add(-time.Millisecond)
	}
	if j.AsksModel() {
		if err := CheckPeriod(*j, zone); err != nil {
			return err
		}
	}
	if j.State == supervisor.JobProposed || j.State == supervisor.JobPaused {
		j.Next = time.Time{}
		return nil
	}
	next, found, err := recurrence.NextOf(*j, j.FiredUntil)
	if err == nil && !found {
		return supervisor.Errorf(supervisor.CodeInvalid, textOver, nouns[j.Kind], j.ID)
	}
	j.Next = next
	return err
}

// minPeriod is the shortest time between two turns of a job.
const minPeriod = 5 * time.Minute

// CheckPeriod refuses a job that has turns too often: its next times are looked at.
func CheckPeriod(j supervisor.Job, zone *time.Location) error {
	last := time.Time{}
	for n, at := 0, j.FiredUntil; n < 50; n++ {
		next, found, err := recurrence.NextOf(j, at)
		if err != nil || !found {
			return err
		}
		if !last.IsZero() && next.Sub(last) < minPeriod {
			return supervisor.Errorf(supervisor.CodeInvalid, "%s", textTooOften)
		}
		last, at, j.FireCount = next, next, j.FireCount+1
	}
	return nil
}
