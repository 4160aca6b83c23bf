package schedule

import (
	"context"
	"errors"
	"fmt"
	"strings"
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
	EndLook(ctx context.Context, f supervisor.ClaimedFire, l supervisor.Looked) ([]supervisor.Delivery,
		supervisor.Inbound, error)
}

// CheckRules are those of jobs that are checks.
type CheckRules struct {
	Of    func(protocol.Check) (supervisor.Look, error) // what one looks at, or what is wrong with it
	Typed func(protocol.Check) error                    // refuses what is of a check where there is none
	Text  func(supervisor.Look) string                  // says what one looks at
}

// Check looks whether there is something to be said of a job that is due, or to be done in a turn.
// Errors are for the person; one that may pass wraps supervisor.ErrLookAgain.
type Check func(ctx context.Context, c supervisor.DueCheck) (supervisor.CheckOutcome, error)

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
		due := supervisor.DueCheck{ClaimedFire: f, Owner: user, At: now}
		if err := s.lookAt(ctx, due); err != nil && ctx.Err() == nil {
			s.o.Log.Error("look for a job", "job", f.Job.ID, "user", f.Job.User, "error", err)
		}
	})
	return nil
}

// lookAt looks, and keeps what that has come to. What ends with ctx is begun again, and what its
// person has changed meanwhile.
func (s *Schedule) lookAt(ctx context.Context, c supervisor.DueCheck) (err error) {
	if c.Seen, err = s.o.Looks.FindSeen(ctx, c.Job.ID); err != nil {
		return err
	}
	bounded, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	out, err := s.o.Checks[c.Job.Kind](bounded, c)
	if ctx.Err() != nil {
		return nil
	}
	looked := out.Looked
	if out.Prompt != nil {
		looked.Turn = s.turnOf(c, *out.Prompt)
	}
	if err != nil {
		looked = supervisor.Looked{Again: errors.Is(err, supervisor.ErrLookAgain) || bounded.Err() != nil,
			State: supervisor.FireFailed, Text: fmt.Sprintf(textNotLooked, sayable(err))}
	}
	looked.To = s.destination(c.Job)
	said, begun, err := s.o.Looks.EndLook(ctx, c.ClaimedFire, looked)
	if err != nil {
		return err
	}
	s.queued(said)
	if begun.ID != 0 {
		s.o.Begun(begun)
	}
	return nil
}

// turnOf is the turn that goes on with a check. What was found is material.
func (s *Schedule) turnOf(c supervisor.DueCheck, p supervisor.CheckPrompt) supervisor.Inbound {
	c.Job.Text = p.Text
	c.Material = strings.TrimSpace(c.Material + "\n" + p.Material)
	return s.inboundOf(c.Owner, c.ClaimedFire, nil)
}

// sayable is what a person may read of an error.
func sayable(err error) string {
	if told := new(supervisor.Error); errors.As(err, &told) {
		return told.Message
	}
	return textNotNow
}
