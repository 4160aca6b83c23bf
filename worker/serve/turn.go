package serve

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"mews/protocol"
	"mews/worker"
	"mews/worker/agent"
	"mews/worker/host"
	"mews/worker/promptfile"
	"mews/worker/review"
)

// Bounds of the limits of a turn.
const (
	maxSteps   = 10_000
	maxSeconds = 7 * 24 * 60 * 60
)

// eventTimeout bounds the wait for a turn's last events at its end.
const eventTimeout = time.Second

// startTurn runs a turn to its end. A cancelled turn ends early, and its call is answered like the
// call of any other turn.
func (s *server) startTurn(ctx context.Context, start protocol.TurnStart) (any, error) {
	if err := checkTurnStart(start); err != nil {
		return nil, err
	}
	w := work{protocol.MethodTurnStart, start.Turn}
	return s.runWork(ctx, w, func(ctx context.Context, u *userTools) (any, error) {
		kind, known := turnKinds[start.Kind]
		if !known || kind.home != u.hasHome() {
			return nil, &protocol.Error{Code: protocol.CodeInvalidParams,
				Message: fmt.Sprintf("%s: a turn of kind %.40q is not for this worker", protocol.MethodTurnStart, start.Kind)}
		}
		return kind.run(s, ctx, u, start)
	})
}

// turnKinds holds all kinds of turns: how each runs, and whether it needs a home.
var turnKinds = map[string]struct {
	home bool
	run  func(*server, context.Context, *userTools, protocol.TurnStart) (protocol.TurnEnd, error)
}{
	"chat": {true, (*server).runTurn}, "job": {true, (*server).runTurn}, "mcp": {true, (*server).runTurn},
	"review": {false, (*server).runReview}, "triage": {false, (*server).runReview},
}

// runReview runs a turn that only reads.
func (s *server) runReview(ctx context.Context, _ *userTools, start protocol.TurnStart) (protocol.TurnEnd, error) {
	return review.Run(ctx, start, s.host.Turn(start.Turn))
}

// checkTurnStart refuses a turn with values out of bounds.
func checkTurnStart(start protocol.TurnStart) error {
	for _, bound := range []struct {
		name        string
		value       int64
		least, most int64
	}{
		{"turn", start.Turn, 1, 1<<63 - 1},
		{"step", int64(start.CommittedSteps), 0, maxSteps},
		{"last", start.LastMessage, 0, 1<<63 - 1},
		{"limits.steps", int64(start.Limits.Steps), 1, maxSteps},
		{"limits.seconds", start.Limits.Seconds, 1, maxSeconds},
		{"limits.output", int64(start.Limits.Output), 0, 1 << 30},
	} {
		if bound.value < bound.least || bound.value > bound.most {
			return &protocol.Error{
				Code: protocol.CodeInvalidParams,
				Message: fmt.Sprintf("%s: %s is %d, want %d to %d",
					protocol.MethodTurnStart, bound.name, bound.value, bound.least, bound.most),
			}
		}
	}
	return nil
}

// runTurn runs an admitted turn over the home.
func (s *server) runTurn(ctx context.Context, u *userTools, start protocol.TurnStart) (protocol.TurnEnd, error) {
	turn := s.host.Turn(start.Turn)
	flush := s.sendEvents(ctx, turn)
	defer flush()
	u.quota.RefreshCount()
	u.watch.RecordTurnStart()
	var more []worker.Tool
	s.update(func(state *serverState) { more = state.more })
	watched := watchedTurn{turn, &promptfile.Watcher{Home: u.promptFiles, Turn: turn,
		Notes: u.memory.DailyNotePaths(u.options.Now()), Programs: u.runPrograms,
		// pending calls run before the first model call, and may change the files
		Unasked: len(start.PendingCalls) == 0 && !u.promptTextsDiffer.Load()}}
	tools := &turnTools{userTools: u, turn: turn, start: start}
	tools.inForce = func(ctx context.Context) (map[string]string, error) { return watched.watch.TextsInForce(ctx) }
	turn.Compose = func(ctx context.Context) string {
		texts, err := watched.watch.TextsInForce(ctx)
		if err != nil {
			s.options.Report(fmt.Errorf("turn %d: %w", start.Turn, err))
		}
		return u.systemText(start, texts)
	}
	end, err := agent.Run(ctx, start, agent.Options{
		Host:   watched,
		Tools:  tools.all(more),
		System: turn.Compose(ctx),
		Report: s.options.Report,
	})
	if ctx.Err() != nil && u.shell != nil {
		u.shell.EndTurnPrograms(start.Turn)
	}
	u.promptTextsDiffer.Store(watched.watch.HomeTextsDiffered())
	end.Disk, end.DiskMore = u.quota.UsedBytes()
	if err != nil {
		return end, fmt.Errorf("turn %d: %w", start.Turn, err)
	}
	s.endWatch(ctx, watched.watch, end)
	return end, nil
}

// endWatch reports the prompt files at the end of a turn. If it fails, the supervisor assumes that
// the turn changed them.
func (s *server) endWatch(ctx context.Context, watch *promptfile.Watcher, end protocol.TurnEnd) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), eventTimeout)
	defer cancel()
	if err := watch.ReportAtTurnEnd(ctx, end.Why == protocol.TurnEndDone); err != nil {
		s.options.Report(err)
	}
}

// watchedTurn is a host that reports changed prompt files before each model call.
type watchedTurn struct {
	*host.Turn
	watch *promptfile.Watcher
}

// NextModelMessage reports changed prompt files, and then calls the method of host.Turn. Before the
// first call, nothing can have changed since the system text was composed.
func (t watchedTurn) NextModelMessage(ctx context.Context, after int64, system string,
	tools []protocol.Tool) (protocol.ModelStreamResult, error) {
	if t.PromptFiles = t.watch.TakeDeferredReport(); t.PromptFiles == nil {
		if err := t.watch.ReportChanges(ctx); err != nil {
			return protocol.ModelStreamResult{}, err
		}
	}
	return t.Turn.NextModelMessage(ctx, after, system, tools)
}

// sendEvents sends the events of a turn, even a stopped one, until flush is called. flush waits
// until the last events are queued, at most eventTimeout. So they come before the end of the turn.
func (s *server) sendEvents(ctx context.Context, turn *host.Turn) (flush func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var sender sync.WaitGroup
	sender.Go(func() {
		if err := turn.Run(ctx); err != nil && !errors.Is(err, protocol.ErrClosed) {
			s.options.Report(err)
		}
	})
	return func() {
		turn.Close()
		late := time.AfterFunc(eventTimeout, cancel)
		sender.Wait()
		late.Stop()
		cancel()
	}
}
