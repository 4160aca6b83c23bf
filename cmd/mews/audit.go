package main

import (
	"context"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/supervisor/sqlite"
)

// auditor keeps audit rows without making anybody wait for the disk.
type auditor struct {
	store sqlite.Audit
	log   hclog.Logger

	mu      sync.Mutex // guards waiting
	waiting []func(context.Context) error
	changed chan struct{}
}

func newAuditor(store sqlite.Audit, log hclog.Logger) *auditor {
	return &auditor{store: store, log: log, changed: make(chan struct{}, 1)}
}

// note keeps what somebody did. It never blocks.
func (a *auditor) note(user, action, detail string) {
	a.log.Warn(action, "user", user, "detail", detail)
	a.mu.Lock()
	a.waiting = append(a.waiting, func(ctx context.Context) error { return a.store.Put(ctx, user, action, detail) })
	a.mu.Unlock()
	select {
	case a.changed <- struct{}{}:
	default:
	}
}

func (a *auditor) run(ctx context.Context) error {
	for {
		a.flush()
		select {
		case <-ctx.Done():
			a.flush()
			return nil
		case <-a.changed:
		}
	}
}

func (a *auditor) flush() {
	a.mu.Lock()
	waiting := a.waiting
	a.waiting = nil
	a.mu.Unlock()
	for _, put := range waiting {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		if err := put(ctx); err != nil {
			a.log.Error("keep an audit row", "error", err)
		}
		cancel()
	}
}
