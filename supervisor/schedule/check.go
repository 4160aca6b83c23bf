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
	maxChecks = 2 // of everybody; of each person one
	// after that a check is taken for lost, and begun again
	checkLease   = (protocol.CheckSeconds + 60) * time.Second
	checkTimeout = (protocol.CheckSeconds + 30) * time.Second // that one may take
)

// CheckStore keeps the checks of jobs that are due.
type CheckStore interface {
	// FindSeen is what a job's last check has seen; "" if there was none.
	FindSeen(ctx context.Context, job int64) (string, error)
	// ForgetSeen makes a job's next check its first.
	ForgetSeen(ctx context.Context, job int64) error
	// Lease says that a fire is checked until a time. It is not ok if this one or another of its
	// person is being checked already, or if the fire has ended.
	Lease(ctx context.Context, f supervisor.ClaimedFire, now, until time.Time) (bool, error)
	// FreeLeases has begin again what an earlier life has leased.
	FreeLeases(ctx context.Context, now time.Time) error
	// Release says what was held for the end of quiet hours and is due, but to who rests. It
	// returns what is said.
	Release(ctx context.Context, now time.Time, rests func(user string) bool) ([]supervisor.Delivery, error)
	// EndCheck keeps how a check has ended. It returns what is said, and the inbound of the turn
	// that begins. Neither is there if the job has changed since: it is checked again.
	EndCheck(ctx context.Context, f supervisor.ClaimedFire, end supervisor.CheckEnd) ([]supervisor.Delivery,
		supervisor.Inbound, error)
}

// CheckRules are those of jobs that are checks.
type CheckRules struct {
	Of    func(protocol.Check) (supervisor.Check, error) // what one is about, or what is wrong with it
	Typed func(protocol.Check) error                     // refuses what is of a check where there is none
	Text  func(supervisor.Check) string                  // says what one is about
}

// Check finds whether there is something to be said of a job that is due, or to be done in a turn.
// Errors are for the person; one that may pass wraps supervisor.ErrCheckAgain.
type Check func(ctx context.Context, c supervisor.CheckFire) (supervisor.CheckOutcome, error)

// beginCheck checks a fire beside the loop and beside others. It never blocks: if enough run, the
// fire waits.
func (s *Schedule) beginCheck(ctx context.Context, user supervisor.User, f supervisor.ClaimedFire) error {
	slot, ok := s.running.TryAcquire("")
	if !ok {
		return nil
	}
	now := s.now()
	leased, err := s.checkStore.Lease(ctx, f, now, now.Add(checkLease))
	if err != nil || !leased {
		slot.Release()
		return err
	}
	s.turns.noteBegun(user.Name)
	s.checking.Go(func() {
		defer func() {
			slot.Release()
			signals.Send(s.woken)
		}()
		due := supervisor.CheckFire{ClaimedFire: f, Owner: user, At: now}
		if err := s.check(ctx, due); err != nil && ctx.Err() == nil {
			s.log.Error("check a job", "job", f.Job.ID, "user", f.Job.User, "error", err)
		}
	})
	return nil
}

// check checks a fire, and keeps how that has ended. What ends with ctx is begun again, and what its
// person has changed meanwhile.
func (s *Schedule) check(ctx context.Context, c supervisor.CheckFire) (err error) {
	if c.Seen, err = s.checkStore.FindSeen(ctx, c.Job.ID); err != nil {
		return err
	}
	bounded, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	out, err := s.checks[c.Job.Kind](bounded, c)
	if ctx.Err() != nil {
		return nil
	}
	end := out.CheckEnd
	if out.Prompt != nil {
		end.Turn = s.checkTurn(c, *out.Prompt)
	}
	if err != nil {
		end = supervisor.CheckEnd{Retry: errors.Is(err, supervisor.ErrCheckAgain) || bounded.Err() != nil,
			State: supervisor.FireFailed, Text: fmt.Sprintf(textNotChecked, errorText(err))}
	}
	end.Conversation = s.destination(c.Job)
	said, begun, err := s.checkStore.EndCheck(ctx, c.ClaimedFire, end)
	if err != nil {
		return err
	}
	s.queued(said)
	if begun.ID != 0 {
		s.begun(begun)
	}
	return nil
}

// checkTurn is the turn that goes on with a check. What was found is material.
func (s *Schedule) checkTurn(c supervisor.CheckFire, p supervisor.CheckPrompt) supervisor.Inbound {
	c.Job.Text = p.Text
	c.Material = strings.TrimSpace(c.Material + "\n" + p.Material)
	return s.newInbound(c.Owner, c.ClaimedFire, nil)
}

// errorText is what a person may read of an error.
func errorText(err error) string {
	if told := new(supervisor.Error); errors.As(err, &told) {
		return told.Message
	}
	return textNotNow
}
