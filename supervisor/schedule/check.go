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
	maxChecks = 2 // checks at once, for all users together; each user has one
	// after this time a check counts as lost and is repeated
	checkLease   = (protocol.MaxCheckSeconds + 60) * time.Second
	checkTimeout = (protocol.MaxCheckSeconds + 30) * time.Second // the timeout of a check
)

// CheckStore keeps the checks of due jobs.
type CheckStore interface {
	// FindSeen returns what a job's last check kept; "" if there was none.
	FindSeen(ctx context.Context, job int64) (string, error)
	// ForgetSeen makes a job's next check its first one.
	ForgetSeen(ctx context.Context, job int64) error
	// Lease starts the check of a fire and keeps it until a time. It returns false if a check of
	// this user runs already, or if the fire has ended.
	Lease(ctx context.Context, f supervisor.ClaimedFire, now, until time.Time) (bool, error)
	// FreeLeases makes checks from before the start begin again.
	FreeLeases(ctx context.Context, now time.Time) error
	// Release sends messages whose quiet hours are over, and returns their deliveries. Messages
	// wait on if rests returns true for their user.
	Release(ctx context.Context, now time.Time, rests func(user string) bool) ([]supervisor.Delivery, error)
	// EndCheck keeps the end of a check. It returns the deliveries and the inbound of the turn, if
	// one begins. Both are empty if the job has changed since; then the check is repeated.
	EndCheck(ctx context.Context, f supervisor.ClaimedFire, end supervisor.CheckEnd) ([]supervisor.Delivery,
		supervisor.Inbound, error)
}

// CheckRules are the rules for jobs that are checks.
type CheckRules struct {
	Parse func(protocol.CheckArguments) (supervisor.CheckCondition, error) // parses a check, or says what is wrong
	// refuses fields of a check in all other kinds of jobs
	Typed func(protocol.CheckArguments) error
	Text  func(supervisor.CheckCondition) string // describes a check
}

// Check decides whether a due job has something to say, or needs a turn. Errors are for the user.
// An error that may pass wraps supervisor.ErrCheckAgain.
type Check func(ctx context.Context, c supervisor.CheckFire) (supervisor.CheckOutcome, error)

// beginCheck starts the check of a fire in its own goroutine. It never blocks: if maxChecks run
// already, the fire waits.
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

// check runs a check and keeps its end. If ctx ends first, or the user changes the job meanwhile,
// the check is repeated.
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

// checkTurn returns the inbound of the turn that continues a check. The findings are its material.
func (s *Schedule) checkTurn(c supervisor.CheckFire, p supervisor.CheckPrompt) supervisor.Inbound {
	c.Job.Text = p.Text
	c.Material = strings.TrimSpace(c.Material + "\n" + p.Material)
	return s.newInbound(c.Owner, c.ClaimedFire, nil)
}

// errorText returns the text of an error for the user.
func errorText(err error) string {
	if told := new(supervisor.Error); errors.As(err, &told) {
		return told.Message
	}
	return textNotNow
}
