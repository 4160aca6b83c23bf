package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/supervisor/sqlite"
)

// auditor keeps audit rows without making anybody wait for the disk.
type auditor struct {
	store sqlite.Audit
	log   hclog.Logger

	mu      sync.Mutex // guards waiting and dropped
	waiting []auditRow
	dropped int // rows that there was no room for
	changed chan struct{}
}

type auditRow struct{ user, action, detail string }

// maxWaiting is how many rows wait for the disk. Those beyond are counted, and the count is a row.
const maxWaiting = 1000

func newAuditor(store sqlite.Audit, log hclog.Logger) *auditor {
	return &auditor{store: store, log: log, changed: make(chan struct{}, 1)}
}

// note keeps what somebody did. It never blocks.
func (a *auditor) note(user, action, detail string) {
	a.log.Warn(action, "user", user, "detail", detail)
	a.mu.Lock()
	if len(a.waiting) < maxWaiting {
		a.waiting = append(a.waiting, auditRow{user, action, detail})
	} else {
		a.dropped++
	}
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
	for _, row := range a.take() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		if err := a.store.Put(ctx, row.user, row.action, row.detail); err != nil {
			a.log.Error("keep an audit row", "error", err)
		}
		cancel()
	}
}

// take empties the queue.
func (a *auditor) take() []auditRow {
	a.mu.Lock()
	defer a.mu.Unlock()
	rows := a.waiting
	if a.dropped > 0 {
		rows = append(rows, auditRow{action: "audit.dropped", detail: fmt.Sprintf("%d rows came faster than the disk took them", a.dropped)})
	}
	a.waiting, a.dropped = nil, 0
	return rows
}
