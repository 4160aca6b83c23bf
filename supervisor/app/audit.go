package app

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
	waiting []sqlite.AuditRow
	dropped int // rows that there was no room for
	changed chan struct{}
}

// maxWaiting is how many rows wait for the disk. Those beyond are counted, and the count is a row.
const maxWaiting = 1000

func newAuditor(store sqlite.Audit, log hclog.Logger) *auditor {
	return &auditor{store: store, log: log, changed: make(chan struct{}, 1)}
}

// note keeps what somebody did. It never blocks.
func (a *auditor) note(user, action, detail string) {
	a.keep(hclog.Warn, user, action, detail)
}

// routine keeps what happens every day. It never blocks.
func (a *auditor) routine(user, action, detail string) {
	a.keep(hclog.Debug, user, action, detail)
}

func (a *auditor) keep(level hclog.Level, user, action, detail string) {
	a.log.Log(level, action, "user", user, "detail", detail)
	a.mu.Lock()
	if len(a.waiting) < maxWaiting {
		a.waiting = append(a.waiting, sqlite.AuditRow{User: user, Action: action, Detail: detail})
	} else {
		a.dropped++
	}
	a.mu.Unlock()
	select {
	case a.changed <- struct{}{}:
	default:
	}
}

// auditAgain is after how long rows are tried again that the disk did not take.
const auditAgain = 5 * time.Second

func (a *auditor) run(ctx context.Context) error {
	for {
		var again <-chan time.Time
		if !a.flush() {
			again = time.After(auditAgain)
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

// flush keeps what waits. What can't be kept waits on.
func (a *auditor) flush() (kept bool) {
	rows := a.take()
	if len(rows) == 0 {
		return true
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	err := a.store.PutAll(ctx, rows)
	if err == nil {
		return true
	}
	a.log.Error("keep audit rows", "rows", len(rows), "error", err)
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.waiting = append(rows, a.waiting...); len(a.waiting) > maxWaiting {
		a.dropped += len(a.waiting) - maxWaiting
		a.waiting = a.waiting[:maxWaiting]
	}
	return false
}

// take empties the queue.
func (a *auditor) take() []sqlite.AuditRow {
	a.mu.Lock()
	defer a.mu.Unlock()
	rows := a.waiting
	if a.dropped > 0 {
		rows = append(rows, sqlite.AuditRow{Action: "audit.dropped", Detail: fmt.Sprintf("%d rows came faster than the disk took them", a.dropped)})
	}
	a.waiting, a.dropped = nil, 0
	return rows
}
