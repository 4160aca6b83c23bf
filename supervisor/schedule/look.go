package schedule

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/internal/signals"
)

const (
	looksAtOnce = 2 // of everybody; of each person one
	// after that a look is taken for lost, and begun again
	lookLease = (protocol.LookSeconds + 60) * time.Second
	lookTime  = (protocol.LookSeconds + 30) * time.Second // that one may take
)

// Looks keep what jobs have looked at.
type Looks interface {
	// FindSeen is what a job's last look has seen; "" where it has not looked.
	FindSeen(ctx context.Context, job int64) (string, error)
	// ForgetSeen has a job's next look be the first.
	ForgetSeen(ctx context.Context, job int64) error
	// Lease says that a fire is looked at until a time. It is not ok where that is done already of
	// this one or another of its person, or the fire has ended.
	Lease(ctx context.Context, f supervisor.ClaimedFire, now, until time.Time) (bool, error)
	// FreeLeases has begin again what an earlier life has leased.
	FreeLeases(ctx context.Context, now time.Time) error
	// Release says what was held for the end of quiet hours and is due, but to who rests. It
	// returns what is said.
	Release(ctx context.Context, now time.Time, rests func(user string) bool) ([]supervisor.Delivery, error)
	// EndLook keeps what a look has come to. It returns what is said, and the inbound of the turn
	// that begins. Neither is where the job has become another since: it is looked at again.
	EndLook(ctx context.Context, f supervisor.ClaimedFire, l supervisor.Looked) ([]supervisor.Delivery, supervisor.Inbound, error)
}

// Looker has a person's worker look. Errors are for the person; one that may pass wraps
// supervisor.ErrLookAgain.
type Looker func(ctx context.Context, user string, p protocol.LookParameters) (protocol.LookResult, error)

// look is a fire that is looked at.
type look struct {
	supervisor.ClaimedFire
	user supervisor.User
	seen string // by the last look
	now  time.Time
}

// looks say what becomes of fires, by what kind of job they are of. An error fails the fire.
var looks = map[supervisor.JobKind]func(*Schedule, context.Context, look) (supervisor.Looked, error){
	supervisor.JobCheck:   (*Schedule).check,
	supervisor.JobRoutine: (*Schedule).routine,
}

// beginLook looks at a fire beside the loop, beside others. It never blocks: where enough run, the
// fire waits.
func (s *Schedule) beginLook(ctx context.Context, user supervisor.User, f supervisor.ClaimedFire) error {
	slot, ok := s.running.TryAcquire("")
	if !ok {
		return nil
	}
	now := s.o.Now()
	leased, err := s.o.Looks.Lease(ctx, f, now, now.Add(lookLease))
	if err != nil || !leased {
		slot.Release()
		return err
	}
	s.turns.took(user.Name)
	s.looking.Go(func() {
		defer func() {
			slot.Release()
			signals.Send(s.woken)
		}()
		if err := s.lookAt(ctx, look{ClaimedFire: f, user: user, now: now}); err != nil && ctx.Err() == nil {
			s.o.Log.Error("look for a job", "job", f.Job.ID, "user", f.Job.User, "error", err)
		}
	})
	return nil
}

// lookAt looks, and keeps what that has come to. What ends with ctx is begun again, and what its
// person has changed meanwhile.
func (s *Schedule) lookAt(ctx context.Context, l look) (err error) {
	if l.seen, err = s.o.Looks.FindSeen(ctx, l.Job.ID); err != nil {
		return err
	}
	bounded, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	looked, err := looks[l.Job.Kind](s, bounded, l)
	if ctx.Err() != nil {
		return nil
	}
	if err != nil {
		looked = supervisor.Looked{Again: errors.Is(err, supervisor.ErrLookAgain) || bounded.Err() != nil, State: supervisor.FireFailed, Text: fmt.Sprintf(textNotLooked, sayable(err))}
	}
	looked.To = s.destination(l.Job)
	said, begun, err := s.o.Looks.EndLook(ctx, l.ClaimedFire, looked)
	if err != nil {
		return err
	}
	s.queued(said)
	if begun.ID != 0 {
		s.o.Begun(begun)
	}
	return nil
}

// sayable is what a person may read of an error.
func sayable(err error) string {
	if told := new(supervisor.Error); errors.As(err, &told) {
		return told.Message
	}
	return textNotNow
}
