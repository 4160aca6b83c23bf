// Package filereminder reminds users of the to-dos and calendar events in their homes. A user's
// worker reports them, because only it reads the home. Package schedule runs the reminders in its
// loop.
package filereminder

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/feature"
	"mews/supervisor/internal/timezone"
	"mews/supervisor/sqlite"
)

// Options configure Reminders.
type Options struct {
	Store sqlite.FileReminders
	// Person finds a user who may speak. Others get no reminders.
	Person func(name string) (supervisor.User, bool)
	Users  func() []string // the names of all users
	// Agenda lists the entries of a user's agenda, in the user's worker. It also reports the
	// reminders.
	Agenda func(ctx context.Context, user string, p protocol.AgendaParameters) (protocol.AgendaResult, error)
	// Subscribed returns the subscribed calendars of a user, for an agenda. nil means none.
	Subscribed func(ctx context.Context, user string) ([]protocol.SubscribedCalendar, error)
	// TodoButtons returns the buttons of a to-do, by its number and when it was created. position
	// is its position in a list; 0 means no list. nil means that there are no buttons.
	TodoButtons func(id, created string, position int) []supervisor.Button
	Commands    []string                 // commands that list what is due, with their slashes
	Queued      func(conversation int64) // reports a new message in the outbox; never blocks
	// Wake makes the schedule run the reminders soon. It never blocks.
	Wake func()
	Now  func() time.Time
	Log  hclog.Logger
}

// Reminders stores the reminders that workers report, and sends them when they are due. Receive may
// be called from any goroutine. SendDue belongs to the loop of the schedule.
type Reminders struct {
	o Options

	mu      sync.Mutex // guards the following fields
	reports map[string]report
}

// report is the last report of a user's worker.
type report struct {
	protocol.ReminderReport
	waits  bool      // it is not stored yet
	stored time.Time // when the last report was stored; the zero time means never
	asked  time.Time // the time of the last report of an earlier process, or the start of this one
	retry  time.Time // when the daily report is wanted again after a failure
}

// New returns Reminders.
func New(o Options) *Reminders { return &Reminders{o: o, reports: map[string]report{}} }

// Feature returns the part that asks for the daily reports.
func (r *Reminders) Feature() feature.Feature {
	return feature.Feature{Name: "filereminder", Parts: []feature.Part{{Name: "reminders from files", Run: r.askDaily}}}
}

// reportGap is the least time between two stored reports of a user.
const reportGap = 2 * time.Second

// Receive takes a valid report of a user's worker. It never blocks.
func (r *Reminders) Receive(user string, p protocol.ReminderReport) {
	r.mu.Lock()
	was := r.reports[user]
	next := was
	next.ReminderReport, next.waits = p, true
	r.reports[user] = next
	r.mu.Unlock()
	if !was.waits {
		r.o.Wake()
	}
}

// takeReports takes the reports that may be stored now, by user.
func (r *Reminders) takeReports(now time.Time) map[string]protocol.ReminderReport {
	r.mu.Lock()
	defer r.mu.Unlock()
	taken := map[string]protocol.ReminderReport{}
	for user, p := range r.reports {
		if p.waits && (now.Sub(p.stored) >= reportGap || p.stored.After(now)) {
			taken[user] = p.ReminderReport
			p.waits, p.stored = false, now
			r.reports[user] = p
		}
	}
	return taken
}

// beyondReport reports whether the last report of a user's worker left reminders out.
func (r *Reminders) beyondReport(user string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.reports[user].More > 0
}

// NextDue returns when SendDue must run next; any is false for never.
func (r *Reminders) NextDue() (at time.Time, any bool) {
	at, any, err := r.o.Store.NextDue(context.Background(), r.o.Now())
	if err != nil {
		any = false // the loop asks again soon, and SendDue returns the error
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range r.reports {
		if next := p.stored.Add(reportGap); p.waits && (!any || next.Before(at)) {
			at, any = next, true
		}
	}
	return at, any
}

// SendDue stores the new reports, and sends the due reminders.
func (r *Reminders) SendDue(ctx context.Context) error {
	now := r.o.Now()
	for user, p := range r.takeReports(now) {
		if err := r.store(ctx, user, p, now); err != nil {
			r.mu.Lock()
			again := r.reports[user]
			if !again.waits {
				again.ReminderReport, again.waits = p, true
				r.reports[user] = again
			}
			r.mu.Unlock()
			return err
		}
	}
	if err := r.moveZones(ctx); err != nil {
		return err
	}
	return r.say(ctx)
}

// store stores a report of a user's worker.
func (r *Reminders) store(ctx context.Context, name string, p protocol.ReminderReport, now time.Time) error {
	user, known := r.o.Person(name)
	if !known {
		return nil
	}
	marked := map[string]bool{}
	for _, f := range p.Files {
		is, err := r.o.Store.IsMarked(ctx, name, f.Path, f.State)
		if err != nil {
			return err
		}
		marked[f.Path] = is
	}
	p.Items = slices.Clone(p.Items)
	for i := range p.Items {
		p.Items[i].World = p.Items[i].World || marked[p.Items[i].File]
	}
	stored, err := r.o.Store.List(ctx, name)
	if err != nil {
		return err
	}
	c := merge(stored, p, timezone.ForUser(user), now)
	c.User = name
	return r.o.Store.Apply(ctx, c)
}

// moveZones makes the reminders of users who have moved due in their new time zones.
func (r *Reminders) moveZones(ctx context.Context) error {
	zones, err := r.o.Store.ListZones(ctx)
	if err != nil {
		return err
	}
	for _, zone := range slices.Sorted(maps.Keys(zones)) {
		for _, name := range zones[zone] {
			user, known := r.o.Person(name)
			if !known || timezone.ForUser(user).String() == zone {
				continue
			}
			stored, err := r.o.Store.List(ctx, name)
			if err != nil {
				return err
			}
			c := inZone(stored, timezone.ForUser(user))
			c.User = name
			if err := r.o.Store.Apply(ctx, c); err != nil {
				return err
			}
		}
	}
	return nil
}
