package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"mews/supervisor"
	"mews/supervisor/internal/retry"
	"mews/supervisor/statefolder"
)

const (
	// crashesToSafeMode is how many crashes in a row start the safe mode.
	crashesToSafeMode = 5
	// healthyAfter is how long a service must be healthy until its earlier crashes do not count.
	healthyAfter = time.Minute
	// safeModeEnd is how long a service in safe mode must be healthy until it tries a full start.
	safeModeEnd = time.Hour
	// safeAnswerPause is the shortest time between two answers to one conversation in safe mode.
	safeAnswerPause = 10 * time.Minute
)

// errSafeModeOver ends a service that has run well in safe mode. It is started again in full.
var errSafeModeOver = errors.New("the safe mode is over: the service ends, to be started in full")

// safeMode keeps messages and runs no worker, after the service has crashed several times.
type safeMode struct {
	crashes *statefolder.CrashCount // nil if nothing is counted, because no service manager restarts Mews
	counted int                     // crashes in a row before this start
	on      bool
	arrived chan supervisor.Conversation // conversations to answer
}

// pausedInSafeMode are the parts that start workers, or give them work. Their work waits in the
// database. Backups and updates wait, too.
var pausedInSafeMode = []string{"workers", "operations", "attachments", "sessions", "commands", "backups", "updates"}

// openSafeMode counts the starts of a service that a service manager restarts. It turns the safe
// mode on after too many crashes, or if asked.
func (s *service) openSafeMode(ctx context.Context) error {
	s.safe.arrived = make(chan supervisor.Conversation, 64)
	if s.manager == nil {
		return nil
	}
	crashes, n, err := statefolder.BeginRun(s.config.State, s.version)
	s.safe.counted = n
	if n >= crashesToSafeMode && !isOnTrial(updaterFolder, s.version) { // mews-update decides what follows
		s.safe.on = true
	}
	if err != nil { // the disk may be full: then nothing is counted
		s.log.Warn("a crash of this start will not be counted", "error", err)
		return nil
	}
	s.safe.crashes = crashes
	recorded := make(chan struct{})
	dismiss := context.AfterFunc(ctx, func() { defer close(recorded); s.logUncounted(crashes.Stopped()) })
	s.addCloser(func() error { // the process must not end before that
		if !dismiss() {
			<-recorded
		}
		return nil
	})
	return nil
}

func (s *service) logUncounted(err error) {
	if err != nil {
		s.log.Warn("the count of crashes is not up to date", "error", err)
	}
}

// leaveRunning removes the parts that are paused in safe mode.
func (m *safeMode) leaveRunning(list []part) []part {
	if !m.on {
		return list
	}
	return slices.DeleteFunc(list, func(p part) bool { return slices.Contains(pausedInSafeMode, p.name) })
}

// accept takes a stored message in safe mode. Its conversation is answered, unless too many wait.
func (m *safeMode) accept(in supervisor.Inbound) {
	select {
	case m.arrived <- in.Conversation:
	default:
	}
}

// keepSafeMode ends the count of crashes once the service has been healthy. In safe mode it answers
// whoever writes, and ends the service after safeModeEnd.
func (s *service) keepSafeMode(ctx context.Context) error {
	if !s.safe.on {
		if s.safe.crashes != nil && awaitHealth(ctx, healthyAfter, s.readyFaults) {
			s.logUncounted(s.safe.crashes.Healthy())
		}
		<-ctx.Done()
		return nil
	}
	s.log.Error("safe mode: messages are kept, and no worker runs", "ends_after", safeModeEnd)
	why := textSafeModeAsked
	if s.safe.counted >= crashesToSafeMode {
		why = fmt.Sprintf(textSafeModeAdmin, s.safe.counted)
	}
	s.tellAdmins(why)
	healthy := make(chan bool, 1)
	go func() { healthy <- awaitHealth(ctx, safeModeEnd, s.readyFaults) }() // ends with ctx
	for answered := map[int64]time.Time{}; ; {
		select {
		case <-ctx.Done():
			return nil
		case over := <-healthy:
			if over && s.safe.crashes != nil {
				s.logUncounted(s.safe.crashes.Healthy())
				return errSafeModeOver
			}
		case c := <-s.safe.arrived:
			if last, ok := answered[c.ID]; !ok || time.Since(last) >= safeAnswerPause {
				answered[c.ID] = time.Now()
				s.answerInSafeMode(ctx, c)
			}
		}
	}
}

// healthCheck is how often awaitHealth looks for faults.
const healthCheck = 5 * time.Second

// awaitHealth waits until a service had no faults for a time without a gap. It returns false if ctx
// ends first.
func awaitHealth(ctx context.Context, during time.Duration, faults func(context.Context) []string) bool {
	for since := time.Now(); time.Since(since) < during; {
		if !retry.Sleep(ctx, healthCheck) {
			return false
		}
		if len(faults(ctx)) > 0 {
			since = time.Now()
		}
	}
	return true
}

// answerInSafeMode tells a conversation that its messages wait.
func (s *service) answerInSafeMode(ctx context.Context, c supervisor.Conversation) {
	if c.Channel.Capabilities() == (supervisor.Capabilities{}) {
		return // nobody talks there
	}
	if _, err := s.db.Outbox().PutTextNotice(ctx, c.ID, textSafeMode); err != nil && ctx.Err() == nil {
		s.log.Error("answer in safe mode", "conversation", c.ID, "error", err)
		return
	}
	s.deliveryQueued(c.ID)
}

// ForgetCrashes ends the safe mode at the next start of the service on a state folder.
func ForgetCrashes(state string) error { return statefolder.ForgetCrashes(state) }
