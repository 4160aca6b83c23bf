package routine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"mews/supervisor"
	"mews/supervisor/effect"
)

const (
	settleTime = 30 * time.Second // time from the last change to the notice
	// maxSettleTime is from the first change to the notice, if changes never stop
	maxSettleTime  = 5 * time.Minute
	noticeInterval = 10 * time.Minute // time between two notices about files
)

// filesState is the state of a user's folder at the last comparison.
type filesState struct {
	Home supervisor.HomeChangePosition `json:"home"`
	// Effect is the last effect in the ledger whose changes Home contains.
	Effect int64     `json:"effect"`
	Said   time.Time `json:"said,omitzero"` // when the last notice was sent
}

// wait returns how long to wait before the next notice about files. If the clock was set back, it
// never waits longer than the interval.
func (f filesState) wait(now time.Time) time.Duration {
	if since := now.Sub(f.Said); since >= 0 {
		return noticeInterval - since
	}
	return 0
}

// files reports changes by others in a user's folder. When notices are turned on, or after the
// index is rebuilt, existing files are not reported.
func (r *Routines) files(ctx context.Context, c supervisor.CheckFire) (out supervisor.CheckOutcome, err error) {
	out.State = supervisor.FireSilent
	was, err := state[filesState](c)
	first := c.Seen == "" // the first check only records the folder's state
	if err != nil || !first && (was.wait(c.At) > 0 || !r.changed.takeIfSettled(c.Job.User, c.At)) {
		return out, err
	}
	next := was
	if next.Effect, err = r.o.FileEffects.NewestID(ctx, c.Job.User, was.Effect); err != nil {
		return out, err
	}
	switch all, err := r.o.IndexHomeNow(ctx, c.Job.User); {
	case err != nil:
		return out, fmt.Errorf("%w: %w", supervisor.ErrCheckAgain, err)
	case !all && first:
		return out, supervisor.ErrCheckAgain
	case !all:
		return out, nil
	}
	list, home, settled, err := r.changesByOthers(ctx, c.Job.User, was)
	if err != nil || !settled {
		r.changed.markChanged(c.Job.User, r.o.Now())
		return out, err
	}
	if next.Home = home; len(list) > 0 {
		out.State, out.World, out.Text, next.Said = supervisor.FireSentMessage, true, filesText(list), c.At
	}
	seen, err := json.Marshal(next)
	out.Seen = string(seen)
	return out, err
}

// changesByOthers lists changes by others since the last comparison. settled is false while an
// effect runs that is not in the ledger yet.
func (r *Routines) changesByOthers(ctx context.Context, user string, was filesState) (
	list []supervisor.HomeFileChange, next supervisor.HomeChangePosition, settled bool, err error,
) {
	list, next, known, err := r.o.Changes(ctx, user, was.Home)
	if err != nil || !known || len(list) == 0 {
		return nil, next, err == nil, err
	}
	// ListFileEffects must follow Changes, so that it includes every finished effect.
	effects, settled, err := r.o.FileEffects.ListFileEffects(ctx, user, was.Effect,
		slices.Concat(effect.GroupKinds(effect.GroupChanged), effect.GroupKinds(effect.GroupProgramsRun)))
	if err != nil || !settled {
		return nil, next, false, err
	}
	own := ledgerOf(effects)
	return slices.DeleteFunc(list, func(c supervisor.HomeFileChange) bool { return !own.byOthers(c) }), next, true, nil
}

// RecordHomeChange records that a file in a user's home has changed. It never blocks.
func (r *Routines) RecordHomeChange(user string) {
	r.changed.markChanged(user, r.o.Now())
	r.o.Jobs().WakeLoop()
}

// NextHomeCheck returns when the next changed home must be checked. This check is in addition to
// the home's regular times. any is false if no home has changed.
func (r *Routines) NextHomeCheck() (next time.Time, any bool) { return r.changed.nextDue() }

// CheckChangedHomes starts checks of changed homes in which changes have stopped. A check that
// can't start now starts later.
func (r *Routines) CheckChangedHomes(ctx context.Context) error {
	now, failed := r.o.Now(), error(nil)
	for _, user := range r.changed.takeDue(now) {
		later, err := r.checkHome(ctx, user, now)
		if err != nil {
			later = settleTime
		}
		if later > 0 {
			r.changed.checkAt(user, now.Add(later))
		}
		failed = errors.Join(failed, err)
	}
	return failed
}

// checkHome starts a check of a home, if its user wants notices. later is the wait before another
// try; 0 means that no other try is needed.
func (r *Routines) checkHome(ctx context.Context, user string, now time.Time) (later time.Duration, err error) {
	j, was, watched, err := r.findWatched(ctx, user)
	if err != nil || !watched {
		r.changed.forget(user)
		return 0, err
	}
	if wait := was.wait(now); wait > 0 {
		return wait, nil
	}
	begun, _, err := r.o.Store.RunNow(ctx, j, supervisor.JobTrigger{Due: now})
	if err == nil && !begun {
		return settleTime, nil
	}
	return 0, err
}

// findWatched returns a user's notices routine and its last state. ok is false if the routine is
// off or has never run.
func (r *Routines) findWatched(ctx context.Context, user string) (j supervisor.Job, was filesState, ok bool,
	err error) {
	if _, served := r.o.Person(user); !served {
		return j, was, false, nil
	}
	j, on, err := r.findRoutine(ctx, user, supervisor.RoutineFileChanges)
	if err != nil || !on || j.State != supervisor.JobActive {
		return j, was, false, err
	}
	seen, err := r.o.Store.FindCheckState(ctx, j.ID)
	if err != nil || seen == "" {
		return j, was, false, err
	}
	was, err = state[filesState](supervisor.CheckFire{ClaimedFire: supervisor.ClaimedFire{Job: j}, Seen: seen})
	return j, was, err == nil, err
}
