// Package reminder finds the reminders of a home: the due times of its to-dos, and the alarms of
// its calendar.
package reminder

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"slices"
	"time"

	"mews/protocol"
	"mews/worker/calendar"
	"mews/worker/workspace"
)

// maxFileBytes is the most bytes of a file that is read.
const maxFileBytes = 8 << 20

// Format reads one kind of file. Its functions get the file's whole text, and the user's time zone.
type Format struct {
	File string // path in the home
	// Reminders returns the reminders between two times.
	Reminders func(text []byte, from, until time.Time, zone *time.Location) []protocol.FileReminder
	// Entries returns the entries of an agenda between two times.
	Entries func(text []byte, from, until time.Time, zone *time.Location) []protocol.AgendaEntry
}

// Home reads the reminders of a home. Only one goroutine may use HasChanged; the other methods may
// be called from any.
type Home struct {
	Files   *workspace.Workspace
	Formats []Format
	Zone    *time.Location
	Now     func() time.Time

	seen   map[string]stamp // the files at the last HasChanged
	seenAt time.Time        // when HasChanged last returned true
}

// stamp tells two versions of a file apart without reading it. The zero value means no file.
type stamp struct {
	size     int64
	modified time.Time
	file     fs.FileInfo
}

func (s stamp) equal(other stamp) bool {
	return s.size == other.size && s.modified.Equal(other.modified) &&
		(s.file == nil) == (other.file == nil) && (s.file == nil || os.SameFile(s.file, other.file))
}

// reportEvery is the time after which a report is due though no file has changed, because it covers
// a limited time.
const reportEvery = 24 * time.Hour

// HasChanged reports whether a report is due. It is due if a file may have changed since the last
// call that returned true, or if that was a day ago. The first call returns true.
func (h *Home) HasChanged() bool {
	now, files := h.Now(), map[string]stamp{}
	changed := h.seen == nil || now.Sub(h.seenAt) >= reportEvery || now.Before(h.seenAt)
	for _, f := range h.Formats {
		if info, err := h.Files.Stat(f.File); err == nil {
			files[f.File] = stamp{info.Size(), info.ModTime(), info}
		}
		changed = changed || !files[f.File].equal(h.seen[f.File])
	}
	if changed {
		h.seen, h.seenAt = files, now
	}
	return changed
}

// Report returns the reminders of the home.
func (h *Home) Report() protocol.ReminderReport {
	now := h.Now()
	from, until := now.AddDate(0, 0, -protocol.ReminderPastDays), now.AddDate(0, 0, protocol.ReminderDays)
	r := protocol.ReminderReport{From: from.Unix(), Until: until.Unix()}
	keys := map[protocol.ReminderKey]bool{}
	for _, f := range h.Formats {
		state, text, info := h.Files.PeekFile(f.File, maxFileBytes)
		if !state.IsHash() {
			continue
		}
		r.Files = append(r.Files, protocol.ReminderFile{Path: f.File, State: state})
		if info != nil && info.Size() > maxFileBytes {
			continue
		}
		for _, item := range f.Reminders(text, from, until, h.Zone) {
			item = clean(item, f.File)
			if at := h.dueAt(item); keys[item.Key()] || at.Before(from) || !at.Before(until) {
				continue
			}
			keys[item.Key()] = true
			r.Items = append(r.Items, item)
		}
	}
	slices.SortStableFunc(r.Items, func(a, b protocol.FileReminder) int { return h.dueAt(a).Compare(h.dueAt(b)) })
	if more := len(r.Items) - protocol.MaxFileReminders; more > 0 {
		r.Items, r.More = r.Items[:protocol.MaxFileReminders], more
		r.Until = h.dueAt(r.Items[len(r.Items)-1]).Unix()
	}
	return r
}

// Agenda returns the entries of an agenda, and the report of the home. The events of subscribed
// calendars are entries too; they have no reminders.
func (h *Home) Agenda(p protocol.AgendaParameters, subscribed []*calendar.Calendar) protocol.AgendaResult {
	a := protocol.AgendaResult{Report: h.Report()}
	if p.Until == p.From {
		return a
	}
	for _, f := range h.Formats {
		state, text, info := h.Files.PeekFile(f.File, maxFileBytes)
		if !state.IsHash() || info != nil && info.Size() > maxFileBytes {
			continue
		}
		for _, e := range f.Entries(text, time.Unix(p.From, 0), time.Unix(p.Until, 0), h.Zone) {
			e.File, e.Title = f.File, protocol.CutReminderText(e.Title, protocol.MaxReminderTitleBytes)
			a.Entries = append(a.Entries, e)
		}
	}
	a.Entries = append(a.Entries, h.subscribedEntries(subscribed, time.Unix(p.From, 0), time.Unix(p.Until, 0))...)
	slices.SortStableFunc(a.Entries, func(a, b protocol.AgendaEntry) int {
		return moment(a.At, h.Zone).Compare(moment(b.At, h.Zone))
	})
	if a.More = max(0, len(a.Entries)-protocol.MaxAgendaEntries); a.More > 0 {
		a.Entries = a.Entries[:protocol.MaxAgendaEntries]
	}
	return a
}

// dueAt returns when a reminder is due.
func (h *Home) dueAt(r protocol.FileReminder) time.Time {
	return moment(r.At, h.Zone).Add(-time.Duration(r.Lead) * time.Second)
}

// moment returns the moment of a time in a report; the zero time if it is none.
func moment(at string, zone *time.Location) time.Time {
	t, wall, err := protocol.ParseReminderTime(at)
	if err != nil {
		return time.Time{}
	}
	if wall {
		t = time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), 0, zone)
	}
	return t
}

// clean returns a reminder whose texts a report may have.
func clean(r protocol.FileReminder, file string) protocol.FileReminder {
	r.File = file
	r.Title = protocol.CutReminderText(r.Title, protocol.MaxReminderTitleBytes)
	r.ID = key(r.ID, protocol.MaxReminderIDBytes)
	r.Occurrence = key(r.Occurrence, protocol.MaxReminderKeyBytes)
	r.Trigger = key(r.Trigger, protocol.MaxReminderKeyBytes)
	r.Lead = min(max(r.Lead, -protocol.MaxReminderLeadSeconds), protocol.MaxReminderLeadSeconds)
	return r
}

// key returns a text that identifies something as a report may have it: the text itself, or a
// digest of it.
func key(text string, most int) string {
	if cut := protocol.CutReminderText(text, most); cut == text {
		return text
	}
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:16])
}
