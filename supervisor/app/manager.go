package app

import (
	"context"
	"fmt"
	"time"

	"mews/protocol/spawnwire"
	"mews/supervisor/internal/retry"
	"mews/supervisor/placement"
	"mews/supervisor/pool"
)

const (
	// aliveInterval is how often the service manager hears that the service is alive. The unit's
	// WatchdogSec is three times as long.
	aliveInterval = 20 * time.Second
	// startInterval is how often the service manager hears that a long start goes on.
	startInterval = 20 * time.Second
	// openTimeout and proveTimeout limit how long the service manager hears that a step goes on
	openTimeout  = 24 * time.Hour
	proveTimeout = 90 * time.Second
	// firstPollWait is how long the service manager waits for the first answer of Telegram. After
	// that the service counts as started anyway, because the terminal works.
	firstPollWait = 10 * time.Second
	pollCheck     = 50 * time.Millisecond
)

// openManager opens the link to the service manager, if one has started this service.
func (s *service) openManager(context.Context) error {
	if s.isTrial {
		return nil // the manager hears of the service alone
	}
	started, err := placement.InheritedSpawnerSocket()
	if err != nil {
		return err
	}
	if s.manager, err = pool.OpenManagerLink(started); err != nil {
		return err
	}
	s.addCloser(s.manager.Close)
	return nil
}

// tellManager tells the service manager the service's state. Without a manager it does nothing.
func (s *service) tellManager(state, status string) {
	if err := s.manager.Send(state, status); err != nil {
		s.log.Warn("tell the service manager", "state", state, "error", err)
	}
}

// whileStarting runs one long step of the start, such as migrations. Until the step ends or limit
// has passed, it asks the service manager for more time, or says that the service is alive.
func (s *service) whileStarting(limit time.Duration, step func(context.Context) error) func(context.Context) error {
	return func(ctx context.Context) error {
		during, stop := context.WithTimeout(ctx, limit)
		state := spawnwire.StateStarting
		if s.isReady {
			state = spawnwire.StateAlive
		}
		told := make(chan struct{})
		go func() { // the line below waits for this goroutine
			defer close(told)
			for retry.Sleep(during, startInterval) {
				s.tellManager(state, textOpensDatabase)
			}
		}()
		defer func() { stop(); <-told }()
		return step(ctx)
	}
}

// reportToManager tells the service manager that the service is ready, and then that it is alive,
// until ctx ends.
func (s *service) reportToManager(ctx context.Context) error {
	if s.manager == nil {
		<-ctx.Done()
		return nil
	}
	s.awaitFirstPoll(ctx)
	for state := spawnwire.StateReady; ctx.Err() == nil; state = spawnwire.StateAlive {
		s.tellManager(state, s.managerStatus())
		retry.Sleep(ctx, aliveInterval)
	}
	s.tellManager(spawnwire.StateStopping, textStops)
	return nil
}

// awaitFirstPoll waits until Telegram has answered for the first time, for firstPollWait at most.
func (s *service) awaitFirstPoll(ctx context.Context) {
	until := time.Now().Add(firstPollWait)
	for s.channel != nil && s.channel.health.Status().Completed.IsZero() && time.Now().Before(until) {
		if !retry.Sleep(ctx, pollCheck) {
			return
		}
	}
}

// managerStatus returns the service's status in one line: the number of people, and the way in.
func (s *service) managerStatus() string {
	way := textWayTerminal
	if c := s.channel; c != nil {
		h := c.health.Status()
		way = fmt.Sprintf(textWayTelegram, h.Mode, h.State)
	}
	if s.safe.on {
		way += textInSafeMode
	}
	return fmt.Sprintf(textManagerStatus, len(s.people.Names()), way)
}
