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
	maxChecks = 2 // maximum of checks that run at once, for all users together; each user has at most one
	// after this time a check counts as lost and is repeated
	checkLease   = (protocol.MaxCheckSeconds + 60) * time.Second
	checkTimeout = (protocol.MaxCheckSeconds + 30) * time.Second // the timeout of a check
)

// CheckStore stores the checks of due jobs.
type CheckStore interface {
	// FindCheckState returns the data that a job's last check stored; "" if there was no check.
	FindCheckState(ctx context.Context, job int64) (string, error)
	// ForgetCheckState makes a job's next check count as its first check.
	ForgetCheckState(ctx context.Context, job int64) error
	// ReserveFire starts the check of a fire and reserves the fire until a time. It returns false
	// if a check of this user runs already, or if the fire has ended.
	ReserveFire(ctx context.Context, f supervisor.ClaimedFire, now, until time.Time) (bool, error)
	// FreeReservedFires makes checks begin again that an earlier process has begun and not ended.
	FreeReservedFires(ctx context.Context, now time.Time) error
	// ReleaseHeldNotices sends messages whose quiet hours are over, and returns their deliveries.
	// Messages keep waiting if rests returns true for their user.
	ReleaseHeldNotices(ctx context.Context, now time.Time, rests func(user string) bool) ([]supervisor.Delivery, error)
	// EndCheck stores the result of a check. It returns the new deliveries, and the inbound of the
	// turn if one begins. Both are empty if the job has changed since; then the check is repeated.
	EndCheck(ctx context.Context, f supervisor.ClaimedFire, end supervisor.CheckFireResult) ([]supervisor.Delivery,
		supervisor.Inbound, error)
}

// CheckParser has the functions that parse and describe checks.
type CheckParser struct {
	Parse func(protocol.CheckArguments) (supervisor.CheckCondition, error) // parses a check; errors are for users
	// refuses arguments of a check in jobs of another kind
	Typed func(protocol.CheckArguments) error
	Text  func(supervisor.CheckCondition) string // describes a check
	// Names reports whether words of a user name an address word for word
	Names func(words, address string) bool
}

// CheckFunc decides whether a due job sends a notice or starts a turn. Errors are for the user. A
// temporary error wraps supervisor.ErrCheckAgain.
type CheckFunc func(ctx context.Context, c supervisor.CheckFire) (supervisor.CheckOutcome, error)

// beginCheck starts the check of a fire in its own goroutine. It never blocks: the fire waits while
// maxChecks checks run.
func (s *Schedule) beginCheck(ctx context.Context, user supervisor.User, f supervisor.ClaimedFire) error {
	slot, ok := s.running.TryAcquire("")
	if !ok {
		return nil
	}
	now := s.now()
	leased, err := s.checkStore.ReserveFire(ctx, f, now, now.Add(checkLease))
	if err != nil || !leased {
		slot.Release()
		return err
	}
	s.turns.noteBegun(user.Name)
	s.checking.Go(func() {
		defer func() {
			slot.Release()
			signals.SendToken(s.woken)
		}()
		due := supervisor.CheckFire{ClaimedFire: f, Owner: user, At: now}
		if err := s.check(ctx, due); err != nil && ctx.Err() == nil {
			s.log.Error("check a job", "job", f.Job.ID, "user", f.Job.User, "error", err)
		}
	})
	return nil
}

// check runs a check and stores its result. The check is repeated later if ctx ends first, or if
// the user changes the job meanwhile.
func (s *Schedule) check(ctx context.Context, c supervisor.CheckFire) (err error) {
	if c.Seen, err = s.checkStore.FindCheckState(ctx, c.Job.ID); err != nil {
		return err
	}
	bounded, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	out, err := s.checks[c.Job.Kind](bounded, c)
	if ctx.Err() != nil {
		return nil
	}
	end := out.CheckFireResult
	if out.Prompt != nil {
		end.Turn = s.checkTurn(c, *out.Prompt)
	}
	if err != nil {
		end = supervisor.CheckFireResult{Retry: errors.Is(err, supervisor.ErrCheckAgain) || bounded.Err() != nil,
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

// checkTurn returns the inbound of the turn that continues a check. The turn's material is the
// check's findings.
func (s *Schedule) checkTurn(c supervisor.CheckFire, p supervisor.CheckPrompt) supervisor.Inbound {
	c.Job.Text = p.Text
	c.Material = strings.TrimSpace(c.Material + "\n" + p.Material)
	return s.newInbound(c.Owner, c.ClaimedFire, nil)
}

// errorText returns the text for the user about an error.
func errorText(err error) string {
	if told := new(supervisor.Error); errors.As(err, &told) {
		return told.Message
	}
	return textNotNow
}
