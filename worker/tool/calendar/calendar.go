// Package calendar has the tools and the operation for the user's calendar, the file calendar.ics.
package calendar

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"

	"mews/protocol"
	"mews/protocol/amount"
	"mews/worker"
	"mews/worker/calendar"
	"mews/worker/parse"
	"mews/worker/workspace"
)

// familyName is the family of the tools. The model opens them with find_tools.
const familyName = "calendar"

var eventArguments = []worker.Argument{
	{Name: "end", Type: worker.StringArgument, Description: "as start; of whole days the last day"},
	{Name: "minutes", Type: worker.IntegerArgument, Description: "length as a number, instead of end"},
	{Name: "zone", Type: worker.StringArgument, Description: "of start and end, such as Europe/Lisbon, if it is " +
		"elsewhere"},
	{Name: "location", Type: worker.StringArgument},
	{Name: "notes", Type: worker.StringArgument},
	{Name: "repeat", Type: worker.StringArgument, Description: "RRULE such as FREQ=WEEKLY;BYDAY=TU; FREQ=YEARLY " +
		"for a birthday"},
	{Name: "remind", Type: worker.IntegerArgument, Description: "number of minutes before the start"},
}

const (
	startText = "2026-12-03T15:00, or 2026-12-03 for a whole day"
	idText    = "as calendar_list shows it; after its / is the date"
	scopeText = "which dates of an event that repeats"
)

var scopes = []string{string(calendar.ScopeThis), string(calendar.ScopeFollowing), string(calendar.ScopeAll)}

var (
	addSpec = worker.ToolSpec{
		Name: "calendar_add", Family: familyName, Effect: protocol.EffectOnce,
		Description: "Add an event to the calendar. Times are those on their wall. Tells conflicts and next dates.",
		Arguments: append([]worker.Argument{
			{Name: "title", Type: worker.StringArgument, Required: true},
			{Name: "start", Type: worker.StringArgument, Required: true, Description: startText},
		}, eventArguments...),
	}
	updateSpec = worker.ToolSpec{
		Name: "calendar_update", Family: familyName, Effect: protocol.EffectOnce,
		Description: "Change an event; give only what changes.",
		Arguments: append([]worker.Argument{
			{Name: "id", Type: worker.StringArgument, Required: true, Description: idText},
			{Name: "scope", Values: scopes, Description: scopeText},
			{Name: "title", Type: worker.StringArgument},
			{Name: "start", Type: worker.StringArgument, Description: startText},
		}, eventArguments...),
	}
	deleteSpec = worker.ToolSpec{
		Name: "calendar_delete", Family: familyName, Effect: protocol.EffectOnce,
		Description: "Delete an event, or dates of it.",
		Arguments: []worker.Argument{
			{Name: "id", Type: worker.StringArgument, Required: true, Description: idText},
			{Name: "scope", Values: scopes, Description: scopeText},
		},
	}
	listSpec = worker.ToolSpec{
		Name: "calendar_list", Family: familyName, Effect: protocol.EffectIdempotent,
		Description: "List the events between two days, 30 days from today by default, with their ids.",
		Arguments: []worker.Argument{
			{Name: "from", Type: worker.StringArgument, Description: "day such as 2026-12-03"},
			{Name: "to", Type: worker.StringArgument, Description: "last day"},
			{Name: "text", Type: worker.StringArgument, Description: "words of title, place or notes"},
			{Name: "save", Type: worker.StringArgument,
				Description: "path of a new .ics file with these events, to be sent"},
		},
	}
	upcomingSpec = worker.ToolSpec{
		Name: "calendar_upcoming", Family: familyName, Effect: protocol.EffectNone,
		Description: "List the events of the next days.",
		Arguments: []worker.Argument{{Name: "days", Type: worker.IntegerArgument,
			Description: "number, 7 by default"}},
	}
)

// Tools makes the tools for a calendar in a turn. programs run the parser of subscribed calendars;
// nil means that none can be read.
func Tools(h *Home, turn Host, programs parse.Programs) []worker.Tool {
	t := &turnTools{Home: h, turn: turn, programs: programs}
	return []worker.Tool{
		worker.DefineTool(addSpec, eventArgs{}, t.add),
		worker.DefineTool(deleteSpec, deleteArgs{}, t.delete),
		worker.DefineTool(listSpec, listArgs{}, t.list),
		worker.DefineTool(upcomingSpec, upcomingArgs{Days: 7}, t.upcoming),
		worker.DefineTool(updateSpec, eventArgs{}, t.update),
	}
}

// eventArgs are the arguments of calendar_add and calendar_update.
type eventArgs struct {
	ID       string         `json:"id"`
	Scope    calendar.Scope `json:"scope"`
	Title    *string        `json:"title"`
	Start    *string        `json:"start"`
	End      *string        `json:"end"`
	Minutes  *int           `json:"minutes"`
	Zone     string         `json:"zone"`
	Location *string        `json:"location"`
	Notes    *string        `json:"notes"`
	Repeat   *string        `json:"repeat"`
	Remind   *int           `json:"remind"`
}

// maxText bounds the bytes of a text of an event.
const maxText = 8 << 10

// fields returns the parts of an event that the arguments set.
func (a eventArgs) fields() (f calendar.Fields, err error) {
	f = calendar.Fields{Title: a.Title, Location: a.Location, Notes: a.Notes, Start: a.Start, End: a.End,
		Minutes: a.Minutes, Repeat: a.Repeat}
	for _, text := range []*string{a.Title, a.Location, a.Notes, a.Repeat} {
		if text != nil && len(*text) > maxText {
			return f, fmt.Errorf(textTooLong, amount.FormatBytes(maxText))
		}
	}
	if a.Zone != "" {
		if f.Zone, err = time.LoadLocation(a.Zone); err != nil || a.Zone == "Local" {
			return f, fmt.Errorf(textNoZone, a.Zone)
		}
	}
	if a.Remind != nil {
		f.Remind = &[]int{*a.Remind}
	}
	return f, nil
}

func (h *turnTools) add(ctx context.Context, call worker.Call, args eventArgs) (r worker.Result, err error) {
	f, err := args.fields()
	if err != nil || args.ID != "" || args.Scope != "" {
		return r, fmt.Errorf(textNotAdded, cmp.Or(err, errors.New(textNewHasNoID)))
	}
	others, err := h.subscribed(ctx, call.ID)
	if err != nil {
		return r, fmt.Errorf(textNotAdded, err)
	}
	uid, left29 := newUID(), false
	c, undo, err := h.change(ctx, workspace.BackupFunc(call.KeepBefore), func(c *calendar.Calendar) (err error) {
		left29, err = c.Add(uid, f, h.Now())
		return err
	})
	if err != nil {
		return r, fmt.Errorf(textNotAdded, err)
	}
	return h.changed(c, uid, textAdded, left29, undo, others), nil
}

func newUID() string { return strings.ToLower(rand.Text()) + "@mews" }

func (h *turnTools) update(ctx context.Context, call worker.Call, args eventArgs) (r worker.Result, err error) {
	f, err := args.fields()
	if err != nil {
		return r, fmt.Errorf(textNotChanged, err)
	}
	others, err := h.subscribed(ctx, call.ID)
	if err != nil {
		return r, fmt.Errorf(textNotChanged, err)
	}
	edit, left29 := calendar.Edit{Scope: args.Scope, Now: h.Now(), NewUID: newUID()}, false
	c, undo, err := h.change(ctx, workspace.BackupFunc(call.KeepBefore), func(c *calendar.Calendar) (err error) {
		if err = find(c, args.ID, &edit); err == nil {
			left29, err = c.Update(edit, f)
		}
		return err
	})
	if err != nil {
		return r, fmt.Errorf(textNotChanged, err)
	}
	uid := edit.UID
	if c.Has(edit.NewUID) {
		uid = edit.NewUID
	}
	return h.changed(c, uid, textChanged, left29, undo, others), nil
}

// find sets the event and the date of an edit.
func find(c *calendar.Calendar, id string, edit *calendar.Edit) error {
	var known bool
	if edit.UID, edit.Instance, known = c.FindID(id); !known {
		return fmt.Errorf(textNoID, id)
	}
	return nil
}

type deleteArgs struct {
	ID    string         `json:"id"`
	Scope calendar.Scope `json:"scope"`
}

func (h *Home) delete(ctx context.Context, call worker.Call, args deleteArgs) (r worker.Result, err error) {
	edit := calendar.Edit{Scope: args.Scope, Now: h.Now()}
	title, foreign := "", false
	_, undo, err := h.change(ctx, workspace.BackupFunc(call.KeepBefore), func(c *calendar.Calendar) error {
		if err := find(c, args.ID, &edit); err != nil {
			return err
		}
		title, foreign = c.Title(edit.UID), c.IsForeign(edit.UID)
		return c.Delete(edit)
	})
	if err != nil {
		return r, fmt.Errorf(textNotDeleted, err)
	}
	text := fmt.Sprintf(textDeleted, title, textScopes[args.Scope])
	return worker.Result{Text: text, Brief: title, Changes: changes(undo, title), World: foreign}, nil
}

// changes returns the change of the file. nil means that it did not change.
func changes(undo *protocol.Undo, title string) []protocol.Change {
	return []protocol.Change{{Kind: "edit", Target: FileName, Detail: title, Undo: undo}}
}

// changed tells the dates of an event after a change, and what it conflicts with.
func (h *Home) changed(c *calendar.Calendar, uid, done string, left29 bool, undo *protocol.Undo,
	others Subscribed) (r worker.Result) {
	now := h.Now()
	title := c.Title(uid)
	next := c.Next(uid, now, 3)
	if len(next) == 0 {
		next = c.Next(uid, now.Add(-calendar.MaxSpan), 1)
		done += textPast
	}
	r.World = c.IsForeign(uid)
	var b strings.Builder
	fmt.Fprintf(&b, done+"\n", title)
	for _, o := range next {
		fmt.Fprintln(&b, h.line(o))
	}
	if left29 {
		b.WriteString(textLeapDay)
	}
	for _, k := range c.Conflicts(uid, now, 3, others.Calendars...) {
		fmt.Fprintf(&b, textConflict, k.Ours.Day(h.Zone), k.Other.Title(), k.Other.When(h.Zone)+ofCalendar(k.Other))
		r.World = r.World || k.Other.Foreign()
	}
	r.Text, r.Brief, r.Changes = b.String(), title, changes(undo, title)
	return r
}
