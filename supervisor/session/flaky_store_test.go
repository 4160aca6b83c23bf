package session_test

import (
	"context"
	"sync"

	"mews/supervisor"
	"mews/supervisor/sqlite"
)

// flakyStore is a store in which the first attempts at each call fail.
type flakyStore struct {
	sqlite.Turns
	inbox sqlite.Inbox
	mu    sync.Mutex
	fails map[string]int
	err   error
}

// tried returns how often a call was tried.
func (l *flakyStore) tried(what string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.fails[what]
}

func (l *flakyStore) fail(what string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.fails[what]++; l.fails[what] <= 5 {
		return l.err
	}
	return nil
}

func (l *flakyStore) TextTurnState(ctx context.Context, inbound int64) (own, joined bool, err error) {
	if err := l.fail("text"); err != nil {
		return false, false, err
	}
	return l.inbox.TextTurnState(ctx, inbound)
}

func (l *flakyStore) Start(ctx context.Context, inbound int64, c *supervisor.LeaseRequest) (supervisor.Turn,
	supervisor.Lease, error) {
	if err := l.fail("start"); err != nil {
		return supervisor.Turn{}, supervisor.Lease{}, err
	}
	return l.Turns.Start(ctx, inbound, c)
}

func (l *flakyStore) FindRunning(ctx context.Context, conversation int64) (sqlite.RunningTurn, bool, error) {
	if err := l.fail("open"); err != nil {
		return sqlite.RunningTurn{}, false, err
	}
	return l.Turns.FindRunning(ctx, conversation)
}

func (l *flakyStore) CountWorkerDeath(ctx context.Context, turn int64) (int, error) {
	if err := l.fail("died"); err != nil {
		return 0, err
	}
	return l.Turns.CountWorkerDeath(ctx, turn)
}

func (l *flakyStore) Finish(ctx context.Context, end sqlite.TurnEnding) (supervisor.Delivery, error) {
	if err := l.fail("finish"); err != nil {
		return supervisor.Delivery{}, err
	}
	return l.Turns.Finish(ctx, end)
}

func (l *flakyStore) NextInbound(ctx context.Context, conversation int64) (supervisor.Inbound, bool, error) {
	if err := l.fail("next"); err != nil {
		return supervisor.Inbound{}, false, err
	}
	return l.inbox.NextInbound(ctx, conversation)
}

func (l *flakyStore) ShouldRestartTurn(ctx context.Context, conversation int64) (bool, error) {
	return l.inbox.ShouldRestartTurn(ctx, conversation)
}

func (l *flakyStore) ListUnfinishedConversations(ctx context.Context) ([]supervisor.Conversation, error) {
	return l.inbox.ListUnfinishedConversations(ctx)
}

func (l *flakyStore) PrecedingText(ctx context.Context, command int64) (sqlite.PrecedingText, error) {
	return l.inbox.PrecedingText(ctx, command)
}
