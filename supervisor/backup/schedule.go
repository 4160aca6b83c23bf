package backup

import (
	"context"
	"encoding/json"
	"path/filepath"
	"sync"
	"time"

	"mews/supervisor"
	"mews/supervisor/internal/idle"
	"mews/supervisor/internal/retry"
	"mews/supervisor/internal/signals"
)

const (
	scheduleTick = time.Minute
	// A large database is copied less often.
	databaseInterval      = time.Hour
	largeDatabaseInterval = 6 * time.Hour
	largeDatabase         = 200 << 20

	homesInterval = 24 * time.Hour
	checkInterval = 24 * time.Hour
	retryInterval = 15 * time.Minute // after a failed backup
)

// Run makes the backups that Begin asks for, until ctx ends. With Options.Schedule it also makes
// backups by itself.
func (m *Maker) Run(ctx context.Context) error {
	var running sync.WaitGroup
	defer running.Wait()
	if m.o.Schedule {
		running.Go(func() { m.runSchedule(ctx) })
	}
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-m.wanted:
			m.making.Lock()                                         // the daily examination may hold it
			_, _ = m.makeLocked(ctx, job{homes: true, asked: true}) // the status has its result
			m.making.Unlock()
		}
	}
}

// Begin asks Run for a backup of everything, and returns. Status then shows how far it is. If a backup
// is being made, Begin is refused. The error is for people.
func (m *Maker) Begin() (Status, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.status.Running {
		return m.status, supervisor.Errorf(supervisor.CodeUnavailable, textBusy)
	}
	m.status = Status{Running: true, Last: m.status.Last}
	signals.SendToken(m.wanted)
	return m.status, nil
}

// runSchedule makes backups when they are due.
func (m *Maker) runSchedule(ctx context.Context) {
	failed := time.Time{}
	for retry.Sleep(ctx, scheduleTick) {
		now := m.o.Now()
		if due, homes := m.due(now); due && now.Sub(failed) >= retryInterval {
			failed = time.Time{}
			_, err := m.makeAlone(ctx, job{homes: homes})
			if err != nil && homes && ctx.Err() == nil { // at least the database is saved
				_, err = m.makeAlone(ctx, job{})
			}
			if err != nil {
				failed = now
			}
		}
		if err := m.check(ctx, now); err != nil && ctx.Err() == nil {
			m.o.Log.Warn("could not examine the newest backup", "error", err)
		}
	}
}

// due says whether a backup is due, and whether it is one of the homes too. A time in the future comes
// from a wrong clock and does not count.
func (m *Maker) due(now time.Time) (due, homes bool) {
	list, err := m.list()
	if err != nil {
		return true, true // the attempt tells what is wrong
	}
	var last, read time.Time
	for _, f := range list {
		if f.Manifest.MadeAt.After(now) {
			continue
		}
		last = f.Manifest.MadeAt
		for _, h := range f.Manifest.Homes {
			if h.ReadAt.After(read) {
				read = h.ReadAt
			}
		}
	}
	every := databaseInterval
	if m.o.Size() > largeDatabase {
		every = largeDatabaseInterval
	}
	m.mu.Lock()
	same := m.made && m.changes == m.o.Changes() && !readChecked(m.o.Dir).isOfNewest(list)
	tried := m.triedHomes
	m.mu.Unlock()
	if age := now.Sub(tried); age >= 0 && age < homesInterval {
		read = tried // a home that can't be read is tried once a day
	}
	homes = now.Sub(read) >= homesInterval && len(m.o.Homes()) > 0
	return homes || now.Sub(last) >= every && !same, homes
}

// check reads the database of the newest backup, and stores the result. It does so once a day, and at
// once after a damaged one.
func (m *Maker) check(ctx context.Context, now time.Time) error {
	list, err := m.list()
	last := readChecked(m.o.Dir)
	isNew := now.Sub(last.At) >= 0 && now.Sub(last.At) < checkInterval
	if err != nil || len(list) == 0 || isNew && (last.Error == "" || last.isOfNewest(list)) || !m.making.TryLock() {
		return err
	}
	defer m.making.Unlock()
	newest := list[len(list)-1]
	result := Checked{Name: filepath.Base(newest.Path), At: now.UTC(), Good: last.Good}
	err = idle.Run(func() error { return m.o.Examine(ctx, newest.path(DatabaseName)) })
	if ctx.Err() != nil {
		return nil
	}
	if err != nil {
		result.Error = userText(err)
		m.o.Log.Error("the newest backup of the database is damaged", "folder", newest.Path, "error", err)
	} else {
		result.Good = result.Name
	}
	text, err := json.Marshal(result)
	if err != nil {
		return err
	}
	return replaceFile(filepath.Join(m.o.Dir, checkedName), text, 0o600)
}
