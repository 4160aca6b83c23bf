package filereminder

import (
	"context"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/internal/timezone"
)

const (
	dailyHour  = protocol.DueHour - 1 // hour of the day at which a worker reports if it has not done so that day
	askEvery   = time.Minute          // how often askDaily looks for users whose reports are due
	askAgain   = 10 * time.Minute     // the pause after a report that failed
	askTimeout = 2 * time.Minute      // the time for one report
)

// askDaily asks once a day for the report of each user whose worker has not reported that day,
// until ctx ends. So a change of a file is found even if no worker runs. It asks one worker after
// another.
func (r *Reminders) askDaily(ctx context.Context) error {
	times, err := r.o.Store.ListReportTimes(ctx)
	if err != nil {
		r.o.Log.Warn("the reports of reminders are unknown", "error", err)
	}
	r.noteReports(times)
	tick := time.NewTicker(askEvery)
	defer tick.Stop()
	for {
		for _, name := range r.o.Users() {
			if user, known := r.o.Person(name); known && ctx.Err() == nil && r.wantsReport(user, r.o.Now()) {
				r.ask(ctx, name)
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// noteReports notes when the workers of users have reported last. A worker that has never reported
// need not do so before the next day.
func (r *Reminders) noteReports(times map[string]time.Time) {
	now := r.o.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, user := range r.o.Users() {
		p := r.reports[user]
		if p.asked = times[user]; p.asked.IsZero() {
			p.asked = now
		}
		r.reports[user] = p
	}
}

// wantsReport reports whether a user's worker must report now.
func (r *Reminders) wantsReport(user supervisor.User, now time.Time) bool {
	r.mu.Lock()
	p := r.reports[user.Name]
	r.mu.Unlock()
	last := p.stored
	if last.IsZero() {
		last = p.asked
	}
	overdue := last.After(now) || dailyTime(now.In(timezone.ForUser(user))).After(last)
	return overdue && !p.waits && (!now.Before(p.retry) || p.retry.Sub(now) > askAgain)
}

// dailyTime returns the last time up to now at which the daily report was due.
func dailyTime(now time.Time) time.Time {
	at := time.Date(now.Year(), now.Month(), now.Day(), dailyHour, 0, 0, 0, now.Location())
	if at.After(now) {
		at = time.Date(now.Year(), now.Month(), now.Day()-1, dailyHour, 0, 0, 0, now.Location())
	}
	return at
}

// ask asks a user's worker for a report. If it fails, the next try comes after askAgain.
func (r *Reminders) ask(ctx context.Context, name string) {
	now := r.o.Now()
	bounded, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	_, err := r.listAgenda(bounded, name, protocol.AgendaParameters{From: now.Unix(), Until: now.Unix()})
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.reports[name]
	p.retry = now.Add(askAgain)
	r.reports[name] = p
	if err != nil && ctx.Err() == nil {
		r.o.Log.Warn("a worker did not report its reminders", "user", name, "error", err)
	}
}

// ListAgenda lists a user's events in a span, and the to-dos that are due before its end.
// Subscribed calendars have events too; notes are sentences about those that are old or missing.
// The worker's report of reminders is stored too.
func (r *Reminders) ListAgenda(ctx context.Context, user string, from, until time.Time) (list []protocol.AgendaEntry,
	notes []string, err error) {
	p := protocol.AgendaParameters{From: from.Unix(), Until: until.Unix()}
	if r.o.Subscribed != nil {
		if p.Subscribed, err = r.o.Subscribed(ctx, user); err != nil {
			return nil, nil, err
		}
	}
	for _, c := range p.Subscribed {
		if c.Note != "" {
			notes = append(notes, c.Note)
		}
	}
	list, err = r.listAgenda(ctx, user, p)
	return list, notes, err
}

func (r *Reminders) listAgenda(ctx context.Context, user string, p protocol.AgendaParameters) (
	[]protocol.AgendaEntry, error) {
	a, err := r.o.Agenda(ctx, user, p)
	if err != nil {
		return nil, err
	}
	r.Receive(user, a.Report)
	return a.Entries, nil
}
