package serve

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mews/protocol"
	"mews/worker/host"
	"mews/worker/reminder"
)

// reminderFormats are the files of a home that have reminders.
var reminderFormats = []reminder.Format{reminder.CalendarFormat, reminder.TodoFormat}

// reminderCheck is the time between two checks of these files, besides those after turns and
// operations.
const reminderCheck = time.Minute

// reportReminders reports the reminders of the home at the worker's start, after each change of
// their files and once a day, until ctx ends. It waits for the first turn or operation, which shows
// that the supervisor has the answer to hello.
func (s *server) reportReminders(ctx context.Context, u *userTools) {
	select {
	case <-ctx.Done():
		return
	case <-s.working:
	}
	home := u.reminders()
	tick := time.NewTicker(reminderCheck)
	defer tick.Stop()
	for {
		if home.HasChanged() {
			if err := s.conn.Notify(ctx, protocol.MethodRemindersReport, home.Report()); err != nil &&
				ctx.Err() == nil && !errors.Is(err, protocol.ErrClosed) {
				s.options.Report(fmt.Errorf("report the reminders of the home: %w", err))
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-s.ended:
		case <-tick.C:
		}
	}
}

// reminders returns the reader of the home's reminders.
func (u *userTools) reminders() *reminder.Home {
	return &reminder.Home{Files: u.files, Formats: reminderFormats, Zone: u.zone, Now: u.options.Now}
}

// listAgenda lists an agenda with subscribed calendars, and reports the reminders of the home.
func listAgenda(ctx context.Context, u *userTools, h *host.Operation, p protocol.AgendaParameters) (any, error) {
	if err := p.Validate(); err != nil {
		return nil, invalidOperation("parameters: %v", err)
	}
	subscribed, err := u.calendar.ReadSubscribed(ctx, p.Subscribed, h, u.readPrograms())
	if err != nil {
		return nil, err
	}
	return u.reminders().Agenda(p, subscribed.Calendars), nil
}
