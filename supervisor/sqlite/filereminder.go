package sqlite

import (
	"context"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

// FileReminders stores the reminders of to-dos and calendar events in users' homes.
type FileReminders struct{ db *DB }

// FileReminders returns the store of reminders from files.
func (db *DB) FileReminders() FileReminders { return FileReminders{db} }

// FileReminder is a stored reminder of a to-do or an event.
type FileReminder struct {
	protocol.FileReminder

	ID    int64 // 0 for a new reminder
	User  string
	DueAt time.Time // time of the reminder
	Zone  string    // time zone for which DueAt was computed
	State FileReminderState
}

// FileReminderState is the state of a reminder from a file.
type FileReminderState string

const (
	FileReminderWaiting FileReminderState = "waiting"
	FileReminderSaid    FileReminderState = "said"    // the user has got the reminder
	FileReminderCounted FileReminderState = "counted" // a message has only counted the reminder
)

const (
	fileReminderColumns = `id, user, file, item, occurrence, trigger, written, lead, date_only, title, world,
		due_at, zone, state`
	listFileReminders = `SELECT ` + fileReminderColumns + ` FROM file_reminder WHERE user = ? ORDER BY due_at, id`
	listDueReminders  = `SELECT ` + fileReminderColumns + ` FROM file_reminder WHERE state = 'waiting' AND
		due_at <= ?1
		AND user NOT IN (SELECT value FROM json_each(?2)) ORDER BY due_at, id LIMIT ?3`
	nextFileReminder = `SELECT due_at FROM file_reminder WHERE state = 'waiting' AND due_at > ? ORDER BY due_at
		LIMIT 1`
	listReminderZones = `SELECT DISTINCT user, zone FROM file_reminder WHERE state = 'waiting' ORDER BY user, zone`
	putFileReminder   = `INSERT INTO file_reminder (user, file, item, occurrence, trigger, written, lead,
		date_only, title, world,
			due_at, zone, state, created_at, changed_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11,
		?12, ?13, ?14, ?14)
		ON CONFLICT (user, file, item, occurrence, trigger) DO UPDATE SET written = ?6, lead = ?7, date_only = ?8,
		title = ?9, world = ?10,
			due_at = ?11, zone = ?12, state = ?13, changed_at = ?14`
	dropFileReminder    = `DELETE FROM file_reminder WHERE id = ? AND user = ?`
	pruneFileReminders  = `DELETE FROM file_reminder WHERE user = ? AND state <> 'waiting' AND due_at < ?`
	setReminderReported = `INSERT INTO file_reminder_day (user, day, said, counted, reported_at) VALUES (?1, '',
		0, 0, ?2)
		ON CONFLICT (user) DO UPDATE SET reported_at = ?2`
	listReminderReports = `SELECT user, reported_at FROM file_reminder_day`
)

// List lists all stored reminders of a user, the earliest first.
func (s FileReminders) List(ctx context.Context, user string) ([]FileReminder, error) {
	return engine.AllRows(s.db.reader(ctx, "list the reminders from files of %s", user), scanFileReminder,
		listFileReminders, user)
}

// ListDue lists at most limit due reminders that wait, the earliest first. It leaves out reminders
// of the users in the list but.
func (s FileReminders) ListDue(ctx context.Context, now time.Time, but []string, limit int) ([]FileReminder, error) {
	return engine.AllRows(s.db.reader(ctx, "list due reminders from files"), scanFileReminder, listDueReminders,
		now.UnixMilli(), columnEncoder{append([]string{}, but...)}, limit)
}

// NextDue returns when the next reminder is due after a time.
func (s FileReminders) NextDue(ctx context.Context, after time.Time) (due time.Time, ok bool, err error) {
	return engine.FirstRow(s.db.reader(ctx, "find the next due reminder from a file"), engine.ScanTime,
		nextFileReminder, after.UnixMilli())
}

// ListZones lists the users with waiting reminders, by the time zones of the reminders.
func (s FileReminders) ListZones(ctx context.Context) (zones map[string][]string, err error) {
	zones = map[string][]string{}
	err = s.db.reader(ctx, "list the time zones of reminders from files").Query(func(row *engine.Row) bool {
		var user, zone string
		row.Scan(&user, &zone)
		zones[zone] = append(zones[zone], user)
		return true
	}, listReminderZones)
	return zones, err
}

// ListReportTimes returns when the worker of each user has reported last.
func (s FileReminders) ListReportTimes(ctx context.Context) (times map[string]time.Time, err error) {
	times = map[string]time.Time{}
	err = s.db.reader(ctx, "list the reports of reminders").Query(func(row *engine.Row) bool {
		var user string
		var at int64
		row.Scan(&user, &at)
		if at != 0 {
			times[user] = time.UnixMilli(at)
		}
		return true
	}, listReminderReports)
	return times, err
}

// FileReminderChanges are changes of a user's stored reminders.
type FileReminderChanges struct {
	User        string
	Put         []FileReminder // new and changed reminders, by their keys
	Drop        []int64        // ids of reminders that are no longer wanted
	PruneBefore time.Time      // reminders that do not wait, and were due before this time, are dropped
	Reported    bool           // the changes come from a report of the worker
}

// Apply stores changes of a user's reminders.
func (s FileReminders) Apply(ctx context.Context, c FileReminderChanges) error {
	return s.db.write(ctx, func(t *tx) {
		for _, id := range c.Drop {
			t.Exec(dropFileReminder, id, c.User)
		}
		for _, r := range c.Put {
			t.Exec(putFileReminder, c.User, r.File, r.FileReminder.ID, r.Occurrence, r.Trigger, r.At, r.Lead,
				r.DateOnly,
				r.Title, r.World, r.DueAt.UnixMilli(), r.Zone, r.State, t.Now)
		}
		if !c.PruneBefore.IsZero() {
			t.Exec(pruneFileReminders, c.User, c.PruneBefore.UnixMilli())
		}
		if c.Reported {
			t.Exec(setReminderReported, c.User, t.Now)
		}
	}, "store the reminders from files of %s", c.User)
}

func scanFileReminder(row *engine.Row) (r FileReminder) {
	row.Scan(&r.ID, &r.User, &r.File, &r.FileReminder.ID, &r.Occurrence, &r.Trigger, &r.At, &r.Lead, &r.DateOnly,
		&r.Title,
		&r.World, &r.DueAt, &r.Zone, &r.State)
	return r
}

const isMarkedFile = `SELECT EXISTS (SELECT 1 FROM marked_file WHERE user = ?1 AND path = ?2 AND ended = 0)
	OR EXISTS (SELECT 1 FROM marked_content WHERE user = ?1 AND digest = ?3)`

// IsMarked reports whether a file of a user's home may have words of others. The mark is that of
// its path or its state.
func (s FileReminders) IsMarked(ctx context.Context, user, path string, state protocol.FileState) (bool, error) {
	return engine.FirstValue(s.db.reader(ctx, "find the mark of %s of %s", path, user), engine.ScanBool,
		isMarkedFile, user,
		path, state)
}

// FileReminderDay counts the reminders that a user has got on a day.
type FileReminderDay struct {
	Day     string // in the user's time zone, as 2026-12-01; "" means none
	Said    int
	Counted bool // a message has counted the other reminders of the day
}

const (
	findReminderDay = `SELECT day, said, counted FROM file_reminder_day WHERE user = ?`
	putReminderDay  = `INSERT INTO file_reminder_day (user, day, said, counted) VALUES (?1, ?2, ?3, ?4)
		ON CONFLICT (user) DO UPDATE SET day = ?2, said = ?3, counted = ?4`
	endFileReminder = `UPDATE file_reminder SET state = ?1, delivery = ?2, told = 0, changed_at = ?3
		WHERE id = ?4 AND state = 'waiting' AND due_at = ?5`
	countLaterReminders = `SELECT count(*) FROM file_reminder WHERE user = ? AND state = 'waiting' AND due_at > ?
		AND due_at < ?`
)

// FindDay returns the count of a user's last day with reminders.
func (s FileReminders) FindDay(ctx context.Context, user string) (d FileReminderDay, err error) {
	d, _, err = engine.FirstRow(s.db.reader(ctx, "find the day of reminders of %s", user),
		func(row *engine.Row) (d FileReminderDay) {
			row.Scan(&d.Day, &d.Said, &d.Counted)
			return d
		}, findReminderDay, user)
	return d, err
}

// CountLater counts a user's reminders that are due after one time and before another.
func (s FileReminders) CountLater(ctx context.Context, user string, after, before time.Time) (int, error) {
	n, err := engine.FirstValue(s.db.reader(ctx, "count the later reminders of %s", user), engine.ScanInteger,
		countLaterReminders, user, after.UnixMilli(), before.UnixMilli())
	return int(n), err
}

// FileReminderNotice is a message about reminders.
type FileReminderNotice struct {
	supervisor.Delivery
	Of []FileReminder // the reminders that the message says
}

// FileReminderBatch has due reminders of a user to end together.
type FileReminderBatch struct {
	User    string
	Notices []FileReminderNotice
	Counted []FileReminder // reminders that no message says
	Day     FileReminderDay
}

// Say ends reminders and puts their messages into the outbox. In quiet hours it holds messages that
// are not urgent. It also stores the day's count. If one of the reminders does not wait any more,
// or has another time, nothing is stored.
func (s FileReminders) Say(ctx context.Context, b FileReminderBatch) (said []supervisor.Delivery, err error) {
	return inTransaction(ctx, s.db, func(t *tx) (said []supervisor.Delivery) {
		if !t.allWait(b) {
			return nil
		}
		for _, n := range b.Notices {
			d, held := t.sayOrHold(n.Delivery)
			for _, r := range n.Of {
				t.endFileReminder(r, FileReminderSaid, d.ID)
			}
			if held == 0 {
				said = append(said, d)
			}
		}
		for _, r := range b.Counted {
			t.endFileReminder(r, FileReminderCounted, 0)
		}
		t.Exec(putReminderDay, b.User, b.Day.Day, b.Day.Said, b.Day.Counted)
		return said
	}, "say reminders from files of %s", b.User)
}

const fileReminderWaits = `SELECT EXISTS (SELECT 1 FROM file_reminder WHERE id = ? AND state = 'waiting' AND
		due_at = ?)`

// allWait reports whether all reminders of a batch still wait for the times that the batch has.
func (t *tx) allWait(b FileReminderBatch) bool {
	waits := func(r FileReminder) bool {
		return value(t, engine.ScanBool, fileReminderWaits, r.ID, r.DueAt.UnixMilli())
	}
	for _, r := range b.Counted {
		if !waits(r) {
			return false
		}
	}
	for _, n := range b.Notices {
		for _, r := range n.Of {
			if !waits(r) {
				return false
			}
		}
	}
	return true
}

func (t *tx) endFileReminder(r FileReminder, state FileReminderState, delivery int64) {
	t.Exec(endFileReminder, state, orNull(delivery), t.Now, r.ID, r.DueAt.UnixMilli())
}

const (
	listUntoldReminders = `SELECT r.id, r.title || iif(r.file = 'todos.md', ' (to-do ' || r.item || ')', ''),
		coalesce(o.delivered_at, r.changed_at), r.world FROM file_reminder r JOIN outbox o ON o.id = r.delivery
		WHERE r.user = ?1 AND r.told = 0 AND r.delivery IS NOT NULL AND o.conversation = ?2 AND r.title <> ''
		ORDER BY r.due_at DESC`
	markReminderTold = `UPDATE file_reminder SET told = 1 WHERE id = ?`
)

// untoldFileReminders returns the reminders from files that the conversation got since its last
// turn, the latest first.
func (t turnTx) untoldFileReminders() []FireMessage {
	list := all(t, func(r *engine.Row) (f FireMessage) {
		r.Scan(&f.row, &f.Text, &f.At, &f.World)
		f.Kind = supervisor.JobReminder
		return f
	}, listUntoldReminders, t.turn.Conversation.User, t.turn.Conversation.ID)
	for _, f := range list {
		t.Exec(markReminderTold, f.row)
	}
	return list
}
