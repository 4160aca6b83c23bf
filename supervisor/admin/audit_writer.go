package admin

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/supervisor/internal/signals"
	"mews/supervisor/sqlite"
)

// AuditWriter writes audit rows in the background, so that no caller waits for the disk.
type AuditWriter struct {
	store sqlite.Audit
	log   hclog.Logger

	mu      sync.Mutex // guards waiting and dropped
	waiting []sqlite.AuditEntry
	dropped int // number of rows that were dropped beyond maxWaiting
	changed chan struct{}
}

// maxWaiting is the largest number of rows that wait for the disk. Further rows are only counted,
// and their count becomes a row.
const maxWaiting = 1000

// NewAuditWriter makes a writer for a store. Rows wait until Run writes them.
func NewAuditWriter(store sqlite.Audit, log hclog.Logger) *AuditWriter {
	return &AuditWriter{store: store, log: log, changed: make(chan struct{}, 1)}
}

// RecordAction queues an audit row about an action of a user. It never blocks.
func (a *AuditWriter) RecordAction(user, action, detail string) {
	a.put(hclog.Warn, user, action, detail)
}

// RecordDailyAction queues an audit row about an action that happens every day. It never blocks.
func (a *AuditWriter) RecordDailyAction(user, action, detail string) {
	a.put(hclog.Debug, user, action, detail)
}

func (a *AuditWriter) put(level hclog.Level, user, action, detail string) {
	a.log.Log(level, action, "user", user, "detail", detail)
	a.mu.Lock()
	if len(a.waiting) < maxWaiting {
		a.waiting = append(a.waiting, sqlite.AuditEntry{User: user, Action: action, Detail: detail})
	} else {
		a.dropped++
	}
	a.mu.Unlock()
	signals.SendToken(a.changed)
}

// retryAfter is the pause after a failed write.
const retryAfter = 5 * time.Second

// Run writes waiting rows until ctx ends, and then the remaining rows.
func (a *AuditWriter) Run(ctx context.Context) error {
	for {
		var again <-chan time.Time
		if !a.flush() {
			again = time.After(retryAfter)
		}
		select {
		case <-ctx.Done():
			a.flush()
			return nil
		case <-a.changed:
		case <-again:
		}
	}
}

// flush writes the waiting rows. If a write fails, its rows stay in the queue.
func (a *AuditWriter) flush() (kept bool) {
	rows := a.TakeRows()
	if len(rows) == 0 {
		return true
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	err := a.store.AppendAll(ctx, rows)
	if err == nil {
		return true
	}
	a.log.Error("could not store audit rows", "rows", len(rows), "error", err)
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.waiting = append(rows, a.waiting...); len(a.waiting) > maxWaiting {
		a.dropped += len(a.waiting) - maxWaiting
		a.waiting = a.waiting[:maxWaiting]
	}
	return false
}

// TakeRows empties the queue and returns its rows.
func (a *AuditWriter) TakeRows() []sqlite.AuditEntry {
	a.mu.Lock()
	defer a.mu.Unlock()
	rows := a.waiting
	if a.dropped > 0 {
		rows = append(
			rows,
			sqlite.AuditEntry{
				Action: "audit.dropped",
				Detail: fmt.Sprintf("%d rows came faster than the disk took them", a.dropped),
			},
		)
	}
	a.waiting, a.dropped = nil, 0
	return rows
}
