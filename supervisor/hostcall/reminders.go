package hostcall

import (
	"mews/protocol"
	"mews/supervisor/feature"
)

// ReminderDependencies holds the function that takes reports of reminders.
type ReminderDependencies struct {
	// RemindersReported takes a valid report; never blocks.
	RemindersReported func(user string, r protocol.ReminderReport)
}

// reminderRows allow a report every 10 s for a year.
var reminderRows = []row{
	{method: protocol.MethodRemindersReport, phase: anyTime, kinds: withHome, bytes: protocol.MaxReminderReportBytes,
		limit: 3_000_000, handler: workNote((*work).remindersReported)},
}

// remindersReported handles reminders.report.
func (w *work) remindersReported(r *protocol.ReminderReport) error {
	if err := r.Validate(); err != nil {
		return feature.WorkerOffence{Err: err}
	}
	w.o.RemindersReported(w.user, *r)
	return nil
}
