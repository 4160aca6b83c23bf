package calendar

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"mews/protocol"
	"mews/protocol/amount"
	"mews/worker"
	"mews/worker/calendar"
	"mews/worker/workspace"
)

// line describes an occurrence for a model.
func (h *Home) line(o calendar.Occurrence) string {
	text := o.When(h.Zone) + " " + o.Title()
	if place := o.Location(); place != "" {
		text += textAt + place
	}
	if o.Calendar != "" {
		if o.Cancelled() {
			text += textCancelled
		}
		return text + ofCalendar(o)
	}
	text += " [" + o.ID()
	if o.Cancelled() {
		text += textCancelled
	}
	return text + "]"
}

// ofCalendar names the subscribed calendar of an occurrence; "" means the user's own.
func ofCalendar(o calendar.Occurrence) string {
	if o.Calendar == "" {
		return ""
	}
	return fmt.Sprintf(textOfCalendar, o.Calendar)
}

type listArgs struct {
	From string `json:"from"`
	To   string `json:"to"`
	Text string `json:"text"`
	Save string `json:"save"`
}

// days returns the instants from the beginning of a day to the end of another one.
func (h *Home) days(from, to string, length int) (first, end time.Time, err error) {
	now := h.Now().In(h.Zone)
	first = time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, h.Zone)
	if from != "" {
		if first, err = time.ParseInLocation(time.DateOnly, from, h.Zone); err != nil {
			return first, end, fmt.Errorf(textNoDay, from)
		}
	}
	if end = first.AddDate(0, 0, length); to != "" {
		if end, err = time.ParseInLocation(time.DateOnly, to, h.Zone); err != nil {
			return first, end, fmt.Errorf(textNoDay, to)
		}
		end = end.AddDate(0, 0, 1)
	}
	if !end.After(first) {
		return first, end, fmt.Errorf(textBackwards, to, from)
	}
	return first, end, nil
}

// listDays is how many days calendar_list lists by default.
const listDays = 30

func (h *turnTools) list(ctx context.Context, call worker.Call, args listArgs) (r worker.Result, err error) {
	from, to, err := h.days(args.From, args.To, listDays)
	if err != nil {
		return r, fmt.Errorf(textNotListed, err)
	}
	c, err := h.Read()
	if err != nil {
		return r, fmt.Errorf(textNotListed, err)
	}
	others, err := h.subscribed(ctx, call.ID)
	if err != nil {
		return r, fmt.Errorf(textNotListed, err)
	}
	found := calendar.Between(others.with(c), from, to)
	if words := strings.Fields(strings.ToLower(args.Text)); len(words) > 0 {
		found.List = slices.DeleteFunc(found.List, func(o calendar.Occurrence) bool {
			text := strings.ToLower(o.Title() + " " + o.Location() + " " + o.Notes())
			return slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) })
		})
	}
	r = h.describe(found, args.Text != "", others)
	if uids := uidsOf(found.List); args.Save != "" && len(uids) > 0 {
		err = h.save(ctx, call, c, uids, args.Save, &r)
	}
	return r, err
}

// uidsOf returns the different UIDs of the user's own events among some occurrences.
func uidsOf(list []calendar.Occurrence) (uids []string) {
	for _, o := range list {
		if o.Calendar == "" && !slices.Contains(uids, o.UID) {
			uids = append(uids, o.UID)
		}
	}
	return uids
}

// save writes the events of a list to a new file. If the file is there with the same bytes, it does
// nothing.
func (h *Home) save(ctx context.Context, call worker.Call, c *calendar.Calendar, uids []string, path string,
	r *worker.Result) error {
	if !strings.HasSuffix(strings.ToLower(path), ".ics") {
		return fmt.Errorf(textNotSaved, path)
	}
	var undo *protocol.Undo
	events := []byte(c.Export(uids))
	if _, err := h.Files.Stat(path); err != nil {
		undo = h.Files.RecordBeforeWrite(ctx, workspace.BackupFunc(call.KeepBefore), path, events)
	}
	created, err := h.Files.WriteFile(path, events, workspace.ModeCreate)
	if err != nil {
		return err
	}
	if created {
		r.Changes = append(r.Changes, protocol.Change{Kind: "write", Target: path, Detail: "created",
			Undo: h.Files.RecordAfterWrite(undo)})
	}
	r.Text += fmt.Sprintf(textSaved, amount.Plural(len(uids), "event", "events"), path)
	return nil
}

type upcomingArgs struct {
	Days int `json:"days"`
}

// maxDays is the most days that calendar_upcoming lists.
const maxDays = 366

func (h *turnTools) upcoming(ctx context.Context, call worker.Call, args upcomingArgs) (r worker.Result, err error) {
	c, err := h.Read()
	if err != nil {
		return r, fmt.Errorf(textNotListed, err)
	}
	others, err := h.subscribed(ctx, call.ID)
	if err != nil {
		return r, fmt.Errorf(textNotListed, err)
	}
	now := h.Now()
	return h.describe(calendar.Between(others.with(c), now, now.AddDate(0, 0, min(max(args.Days, 1), maxDays))), false,
		others), nil
}

// maxListed is the most events that one result shows.
const maxListed = 200

// describe describes occurrences for a model. Notes are shown if the model has looked for words.
func (h *Home) describe(found calendar.Occurrences, notes bool, others Subscribed) (r worker.Result) {
	r.World = len(others.Calendars) > 0
	var b strings.Builder
	for i, o := range found.List {
		if i == maxListed {
			fmt.Fprintf(&b, textListedMore, len(found.List)-i)
			break
		}
		fmt.Fprintln(&b, h.line(o))
		if text := o.Notes(); notes && text != "" {
			const longest = 500
			fmt.Fprintf(&b, "  %s\n", worker.TrimPartialRune(text[:min(len(text), longest)]))
		}
		r.World = r.World || o.Foreign()
	}
	if len(found.List) == 0 {
		b.WriteString(textNone)
	}
	for _, warning := range slices.Concat(h.overlaps(found.List), others.Notes, warnings(found)) {
		fmt.Fprintln(&b, warning)
	}
	r.Text, r.Brief = b.String(), amount.Plural(len(found.List), "event", "events")
	return r
}

// warnings says what a list does not show.
func warnings(found calendar.Occurrences) (list []string) {
	if found.More {
		list = append(list, fmt.Sprintf(textFirstOnly, calendar.MaxOccurrences))
	}
	for _, w := range []struct {
		text  string
		names []string
	}{{textCut, found.Cut}, {textUnread, found.Unread}, {textZones, found.Zones}} {
		if len(w.names) > 0 {
			const most = 5
			named := strings.Join(w.names[:min(len(w.names), most)], ", ")
			if len(w.names) > most {
				named += fmt.Sprintf(textAndMore, len(w.names)-most)
			}
			list = append(list, fmt.Sprintf(w.text, named))
		}
	}
	return list
}
