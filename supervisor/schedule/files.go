package schedule

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"mews/supervisor"
	"mews/supervisor/effect"
	"mews/supervisor/internal/signals"
)

const (
	filesSettle = 30 * time.Second // after a change, until it is told
	// after a first change, until it is told though there are always others
	neverSettles = 5 * time.Minute
	betweenFiles = 10 * time.Minute // from one message about files to the next
)

// Homes are what is known of people's folders.
type Homes interface {
	// LookThroughHome has a person's home be looked through as it is now. all is false where that
	// takes longer than ctx.
	LookThroughHome(ctx context.Context, user string) (all bool, err error)
	// Changes lists what has come to differ in a person's home, and gives the next cursor. ok is
	// false where nothing is known of the time since.
	Changes(ctx context.Context, user string, since supervisor.HomeCursor) (list []supervisor.HomeChange, next supervisor.HomeCursor, ok bool, err error)
}

// FileEffects are the ledger of people's files.
type FileEffects interface {
	// Last is the newest effect of a person after one, or that one.
	Last(ctx context.Context, user string, after int64) (int64, error)
	// ListOfFiles lists those of some kinds after one. It is not settled where some are under way.
	ListOfFiles(ctx context.Context, user string, after int64, kinds []string) (list []supervisor.FileEffect, settled bool, err error)
}

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
		return betweenFiles - since
	}
	return 0
}

// files tells what others have changed in a person's folder. What is there when it is turned on,
// and when the index was made anew, is not told.
func (s *Schedule) files(ctx context.Context, l look) (looked supervisor.Looked, err error) {
	looked.State = supervisor.FireSilent
	was, err := state[filesSeen](l)
	first := l.seen == "" // what is there now is what the next look is compared with
	if err != nil || !first && (was.wait(l.now) > 0 || !s.changed.settled(l.Job.User, l.now)) {
		return looked, err
	}
	next := was
	if next.Effect, err = s.o.FileEffects.Last(ctx, l.Job.User, was.Effect); err != nil {
		return looked, err
	}
	switch all, err := s.o.Homes.LookThroughHome(ctx, l.Job.User); {
	case err != nil:
		return looked, fmt.Errorf("%w: %w", supervisor.ErrLookAgain, err)
	case !all && first:
		return looked, supervisor.ErrLookAgain
	case !all:
		return looked, nil
	}
	list, home, settled, err := s.othersChanged(ctx, l.Job.User, was)
	if err != nil || !settled {
		s.changed.note(l.Job.User, s.o.Now())
		return looked, err
	}
	if next.Home = home; len(list) > 0 {
		looked.State, looked.World, looked.Text, next.Said = supervisor.FireSaid, true, filesText(list), l.now
	}
	seen, err := json.Marshal(next)
	looked.Seen = string(seen)
	return looked, err
}

// othersChanged lists what others have changed since a folder was compared. It is not settled where
// something is under way that the ledger will have.
func (s *Schedule) othersChanged(ctx context.Context, user string, was filesSeen) (list []supervisor.HomeChange, next supervisor.HomeCursor, settled bool, err error) {
	list, next, known, err := s.o.Homes.Changes(ctx, user, was.Home)
	if err != nil || !known || len(list) == 0 {
		return nil, next, err == nil, err
	}
	// after the list: what has ended by now is in it
	effects, settled, err := s.o.FileEffects.ListOfFiles(ctx, user, was.Effect, slices.Concat(effect.KindsOf(supervisor.EffectsChanged), effect.KindsOf(supervisor.EffectsRun)))
	if err != nil || !settled {
		return nil, next, false, err
	}
	own := ledgerOf(effects)
	return slices.DeleteFunc(list, func(c supervisor.HomeChange) bool { return !own.others(c) }), next, true, nil
}

// HomeChanged says that something in a person's home has changed. It never blocks.
func (s *Schedule) HomeChanged(user string) {
	s.changed.note(user, s.o.Now())
	signals.Send(s.woken)
}

// lookAtHomes has be told what has changed in homes that are still again. What can't be looked at
// now is when it is due.
func (s *Schedule) lookAtHomes(ctx context.Context) error {
	now, failed := s.o.Now(), error(nil)
	for _, user := range s.changed.take(now) {
		later, err := s.lookAtHome(ctx, user, now)
		if err != nil {
			later = filesSettle
		}
		if later > 0 {
			s.changed.put(user, now.Add(later))
		}
		failed = errors.Join(failed, err)
	}
	return failed
}

// lookAtHome has a home be looked at, where its person wants that; or says after what time that is
// to be done.
func (s *Schedule) lookAtHome(ctx context.Context, user string, now time.Time) (later time.Duration, err error) {
	j, was, watched, err := s.watched(ctx, user)
	if err != nil || !watched {
		s.changed.forget(user)
		return 0, err
	}
	if wait := was.wait(now); wait > 0 {
		return wait, nil
	}
	begun, _, err := s.o.Store.RunNow(ctx, j, supervisor.Trigger{Due: now})
	if err == nil && !begun {
		return filesSettle, nil
	}
	return 0, err
}

// watched is the routine that tells a person of files, and what it has seen. It is not ok where
// they do not want that, or it has not looked.
func (s *Schedule) watched(ctx context.Context, user string) (j supervisor.Job, was filesSeen, ok bool, err error) {
	if _, served := s.o.Person(user); !served {
		return j, was, false, nil
	}
	j, on, err := s.findRoutine(ctx, user, supervisor.RoutineFiles)
	if err != nil || !on || j.State != supervisor.JobActive {
		return j, was, false, err
	}
	seen, err := s.o.Looks.FindSeen(ctx, j.ID)
	if err != nil || seen == "" {
		return j, was, false, err
	}
	if err := json.Unmarshal([]byte(seen), &was); err != nil {
		return j, was, false, fmt.Errorf("read what routine %s has seen: %w", j.Name, err)
	}
	return j, was, true, nil
}
