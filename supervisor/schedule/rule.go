package schedule

import (
	"encoding/json"
	"fmt"
	"time"

	"mews/supervisor"
	"mews/supervisor/recurrence"
)

// SetRule sets a job's times from the words when, counted from the time at.
func SetRule(j *supervisor.Job, when string, at time.Time) error {
	return setRule(j, origin{when: when}, at)
}

// setRule sets a job's times from the words in from, counted from the time at.
func setRule(j *supervisor.Job, from origin, at time.Time) error {
	zone, err := recurrence.JobZone(*j)
	if err != nil {
		return err
	}
	rule, err := recurrence.ParseWithDateOrder(from.when, at.In(zone), from.dateOrder())
	if err != nil {
		return err
	}
	if old, err := recurrence.JobRule(*j); err == nil {
		if rule, err = rule.WithTimeOfRule(old, at.In(zone)); err != nil {
			return err
		}
	}
	if from.translated {
		rule.Translated = from.when
	}
	return keepRule(j, rule, at, zone)
}

// keepRule stores a rule in a job. The job's times count from at.
func keepRule(j *supervisor.Job, rule recurrence.Rule, at time.Time, zone *time.Location) error {
	rule.At = rule.At.Truncate(time.Millisecond) // the database keeps milliseconds
	encoded, err := json.Marshal(rule)
	if err != nil {
		return fmt.Errorf("keep a rule: %w", err)
	}
	j.Rule, j.FiredUntil, j.FireCount = string(encoded), at, 0 // a new rule counts its fires from 0
	if rule.Kind == recurrence.Once && !rule.At.After(at) {
		// recurrence.Parse accepts a time that has just passed, so the job's only time must still
		// be due
		j.FiredUntil = rule.At.Add(-time.Millisecond)
	}
	if j.MayStartTurn() || j.Options.Check.URL != "" {
		if err := ValidatePeriod(*j, zone); err != nil {
			return err
		}
	}
	if j.State == supervisor.JobPaused || j.State == supervisor.JobProposed && rule.Kind != recurrence.Once {
		j.Next = time.Time{}
		return nil
	}
	next, found, err := recurrence.NextDue(*j, j.FiredUntil)
	if err == nil && !found {
		return supervisor.Errorf(supervisor.CodeInvalid, textOver, nouns[j.Kind], j.ID)
	}
	j.Next = next
	return err
}

// minPeriod is the shortest time between two turns of a job, and between two checks of a page.
const minPeriod = 5 * time.Minute

// ValidatePeriod refuses a job that would start turns, or check a page, too often. It checks the
// next 50 times.
func ValidatePeriod(j supervisor.Job, zone *time.Location) error {
	last := time.Time{}
	for n, at := 0, j.FiredUntil; n < 50; n++ {
		next, found, err := recurrence.NextDue(j, at)
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
