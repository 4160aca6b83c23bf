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
	settleTime = 30 * time.Second // after a change, until it is told
	// after a first change, until it is told though there are always others
	maxSettleTime = 5 * time.Minute
	noticeInterval = 10 * time.Minute // from one message about files to the next
)

// filesSeen is up to where a person's folder was compared.
type filesSeen struct {
	Home supervisor.HomeCursor `json:"home"`
	// of the ledger: what it and those before have changed is in Home
	Effect int64     `json:"effect"`
	Said   time.Time `json:"said,omitzero"` // when something was told last
}

// wait is how long nothing more is told. (A clock may have been set back.)
func (f filesSeen) wait(now time.Time) time.Duration {
	if since := now.Sub(f.Said); since >= 0 {
		return noticeInterval - since
	}
	return 0
}

// files tells what others have changed in a person's folder. What is there when it is turned on,
// and when the index was made anew, is not told.
func (r *Routines) files(ctx context.Context, c supervisor.CheckFire) (out supervisor.CheckOutcome, err error) {
	out.State = supervisor.FireSilent
	was, err := state[filesSeen](c)
	first := c.Seen == "" // what is there now is what the next look is compared with
	if err != nil || !first && (was.wait(c.At) > 0 || !r.changed.takeIfSettled(c.Job.User, c.At)) {
		return out, err
	}
	next := was
	if next.Effect, err = r.o.FileEffects.LastID(ctx, c.Job.User, was.Effect); err != nil {
		return out, err
	}
	switch all, err := r.o.LookThroughHome(ctx, c.Job.User); {
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
		out.State, out.World, out.Text, next.Said = supervisor.FireSaid, true, filesText(list), c.At
	}
	seen, err := json.Marshal(next)
	out.Seen = string(seen)
	return out, err
}

// changesByOthers lists what others have changed since a folder was compared. It is not settled where
// something is under way that the ledger will have.
func (r *Routines) changesByOthers(ctx context.Context, user string, was filesSeen) (
	list []supervisor.HomeChange, next supervisor.HomeCursor, settled bool, err error,
) {
	list, next, known, err := r.o.Changes(ctx, user, was.Home)
	if err != nil || !known || len(list) == 0 {
		return nil, next, err == nil, err
	}
	// after the list: what has ended by now is in it
	effects, settled, err := r.o.FileEffects.ListFileEffects(ctx, user, was.Effect,
		slices.Concat(effect.KindsOf(effect.GroupChanged), effect.KindsOf(effect.GroupRun)))
	if err != nil || !settled {
		return nil, next, false, err
	}
	own := ledgerOf(effects)
	return slices.DeleteFunc(list, func(c supervisor.HomeChange) bool { return !own.byOthers(c) }), next, true, nil
}

// HomeChanged says that something in a person's home has changed. It never blocks.
func (r *Routines) HomeChanged(user string) {
	r.changed.markChanged(user, r.o.Now())
	r.o.Jobs().Wake()
}

// Next is when a home is to be checked beside its times, if one is.
func (r *Routines) Next() (next time.Time, any bool) { return r.changed.nextDue() }

// CheckHomes has what changed be told of homes that are still again. What can't be checked now is
// when it is due.
func (r *Routines) CheckHomes(ctx context.Context) error {
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

// checkHome has a home be checked, where its person wants that; or says after what time that is
// to be done.
func (r *Routines) checkHome(ctx context.Context, user string, now time.Time) (later time.Duration, err error) {
	j, was, watched, err := r.findWatched(ctx, user)
	if err != nil || !watched {
		r.changed.forget(user)
		return 0, err
	}
	if wait := was.wait(now); wait > 0 {
		return wait, nil
	}
	begun, _, err := r.o.Store.RunNow(ctx, j, supervisor.Trigger{Due: now})
	if err == nil && !begun {
		return settleTime, nil
	}
	return 0, err
}

// findWatched is the routine that tells a person of files, and what it has seen. It is not ok where
// they do not want that, or it has not looked.
func (r *Routines) findWatched(ctx context.Context, user string) (j supervisor.Job, was filesSeen, ok bool, err error) {
	if _, served := r.o.Person(user); !served {
		return j, was, false, nil
	}
	j, on, err := r.findRoutine(ctx, user, supervisor.RoutineFiles)
	if err != nil || !on || j.State != supervisor.JobActive {
		return j, was, false, err
	}
	seen, err := r.o.Store.FindSeen(ctx, j.ID)
	if err != nil || seen == "" {
		return j, was, false, err
	}
	was, err = state[filesSeen](supervisor.CheckFire{ClaimedFire: supervisor.ClaimedFire{Job: j}, Seen: seen})
	return j, was, err == nil, err
}
