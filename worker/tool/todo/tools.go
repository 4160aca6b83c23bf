package todo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"mews/protocol"
	"mews/protocol/amount"
	"mews/worker"
	"mews/worker/todo"
)

// familyName is the family of the tools. The model opens them with find_tools.
const familyName = "todos"

// maxListed is the most items that a call lists.
const maxListed = 50

const dueText = "2026-12-01 15:00 or date"

// A repeated call of these tools changes nothing more, so they are idempotent.
var (
	addSpec = worker.ToolSpec{
		Name: "todo_add", Family: familyName, Effect: protocol.EffectIdempotent,
		Description: "Put a to-do on the user's list.",
		Arguments: []worker.Argument{
			{Name: "title", Type: worker.StringArgument, Required: true},
			{Name: "description", Type: worker.StringArgument},
			{Name: "effort", Values: todo.Efforts()},
			{Name: "tags", Type: worker.StringListArgument},
			{Name: "due", Type: worker.StringArgument, Description: dueText},
		},
	}
	listSpec = worker.ToolSpec{
		Name: "todo_list", Family: familyName, Effect: protocol.EffectNone,
		Description: "List at most 50 to-dos; done ones only by status.",
		Arguments: []worker.Argument{
			{Name: "status", Values: todo.Statuses()},
			{Name: "max_effort", Values: todo.Efforts()},
			{Name: "tag", Type: worker.StringArgument},
			{Name: "text", Type: worker.StringArgument},
			{Name: "due_before", Type: worker.StringArgument, Description: "date"},
		},
	}
	updateSpec = worker.ToolSpec{
		Name: "todo_update", Family: familyName, Effect: protocol.EffectIdempotent,
		Description: "Change a to-do, also to done. Only what is given changes.",
		Arguments: []worker.Argument{
			{Name: "id", Type: worker.StringArgument, Description: "of todo_list", Required: true},
			{Name: "title", Type: worker.StringArgument},
			{Name: "description", Type: worker.StringArgument},
			{Name: "status", Values: todo.Statuses()},
			{Name: "effort", Values: todo.Efforts()},
			{Name: "tags", Type: worker.StringListArgument},
			{Name: "due", Type: worker.StringArgument, Description: dueText + "; none"},
		},
	}
	removeSpec = worker.ToolSpec{
		Name: "todo_remove", Family: familyName, Effect: protocol.EffectIdempotent,
		Description: "Delete a to-do. If it was done, set its status instead.",
		Arguments: []worker.Argument{
			{Name: "id", Type: worker.StringArgument, Description: "of todo_list", Required: true},
		},
	}
)

// Tools makes the tools over a list.
func Tools(l *List) []worker.Tool {
	return []worker.Tool{
		worker.DefineTool(addSpec, addArgs{}, l.add),
		worker.DefineTool(listSpec, listArgs{}, l.list),
		worker.DefineTool(updateSpec, updateArgs{}, l.update),
		worker.DefineTool(removeSpec, removeArgs{}, l.remove),
	}
}

// itemID is the id of an item. Models write it as a text or as a number.
type itemID string

// UnmarshalJSON reads a text or a number.
func (i *itemID) UnmarshalJSON(raw []byte) error {
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		var number json.Number
		if err := json.Unmarshal(raw, &number); err != nil {
			return errors.New("id: want the id of a to-do, such as 7")
		}
		text = number.String()
	}
	*i = itemID(text)
	return nil
}

// values are the arguments with the values of an item; nil means that a value is not given.
type values struct {
	Title       *string      `json:"title"`
	Description *string      `json:"description"`
	Status      *todo.Status `json:"status"`
	Effort      *string      `json:"effort"`
	Tags        *[]string    `json:"tags"`
	Due         *string      `json:"due"`
}

// change returns the values as a change. Empty texts of a new item count as not given.
func (v values) change() todo.Change {
	c := todo.Change(v)
	if c.Due != nil && strings.EqualFold(strings.TrimSpace(*c.Due), "none") {
		c.Due = new(string)
	}
	if c.Effort != nil && *c.Effort == "" {
		c.Effort = nil
	}
	if c.Status != nil && *c.Status == "" {
		c.Status = nil
	}
	return c
}

type addArgs struct{ values }

func (l *List) add(ctx context.Context, call worker.Call, args addArgs) (r worker.Result, err error) {
	if args.Title == nil {
		return r, errors.New("todo_add: the title is missing; say what is to be done")
	}
	var item todo.Item
	undo, changed, err := l.edit(ctx, call.KeepBefore, func(f *todo.File) (err error) {
		item, _, err = f.Add(args.change(), l.now().In(l.zone))
		return err
	})
	if err != nil {
		return l.refused("add a to-do", err)
	}
	if !changed {
		return l.result("Is on the list already: "+l.line(item), item.Key+" is there"), nil
	}
	return l.changed("added", "Added "+l.line(item), item, undo), nil
}

type updateArgs struct {
	ID itemID `json:"id"`
	values
}

func (l *List) update(ctx context.Context, call worker.Call, args updateArgs) (r worker.Result, err error) {
	var item todo.Item
	undo, changed, err := l.edit(ctx, call.KeepBefore, func(f *todo.File) (err error) {
		item, _, err = f.Update(string(args.ID), args.change(), l.now().In(l.zone))
		return err
	})
	if err != nil {
		return l.refused("change to-do "+string(args.ID), err)
	}
	if !changed {
		return l.result("It has these values already: "+l.line(item), item.Key+" unchanged"), nil
	}
	what := "changed"
	if args.Status != nil && item.Status == todo.StatusDone {
		what = "done"
	}
	return l.changed(what, strings.ToUpper(what[:1])+what[1:]+" "+l.line(item), item, undo), nil
}

type removeArgs struct {
	ID itemID `json:"id"`
}

func (l *List) remove(ctx context.Context, call worker.Call, args removeArgs) (r worker.Result, err error) {
	var item todo.Item
	undo, _, err := l.edit(ctx, call.KeepBefore, func(f *todo.File) (err error) {
		item, err = f.Remove(string(args.ID))
		return err
	})
	if err != nil {
		return l.refused("delete to-do "+string(args.ID), err)
	}
	return l.changed("deleted", "Deleted "+l.line(item), item, undo), nil
}

// changed returns the result of a change of an item.
func (l *List) changed(what, text string, item todo.Item, undo *protocol.Undo) worker.Result {
	r := l.result(text, what+" "+item.Key)
	r.Changes = []protocol.Change{{Kind: "edit", Target: todo.FileName,
		Detail: what + " " + item.Key + ": " + item.Title, Undo: undo}}
	return r
}

func (l *List) result(text, brief string) worker.Result {
	return worker.Result{Text: text, Brief: brief, World: l.files.LeadsToUploads(todo.FileName)}
}

// refused returns the error of an attempt, with the next step for the model.
func (l *List) refused(attempt string, err error) (worker.Result, error) {
	switch {
	case errors.Is(err, todo.ErrNotFound):
		return worker.Result{}, fmt.Errorf("%s: %w; todo_list shows the ids", attempt, err)
	case errors.Is(err, todo.ErrBadDue):
		today := l.now().In(l.zone).Format("Monday, " + time.DateOnly)
		return worker.Result{}, fmt.Errorf("%s: %w; today is %s", attempt, err, today)
	}
	return worker.Result{}, fmt.Errorf("%s: %w", attempt, err)
}

type listArgs struct {
	Status    todo.Status `json:"status"`
	MaxEffort string      `json:"max_effort"`
	Tag       string      `json:"tag"`
	Text      string      `json:"text"`
	DueBefore string      `json:"due_before"`
}

func (l *List) list(_ context.Context, _ worker.Call, args listArgs) (worker.Result, error) {
	filter := todo.Filter(args)
	switch {
	case filter.Status != "" && !slices.Contains(todo.Statuses(), string(filter.Status)):
		return worker.Result{}, fmt.Errorf("status %.40q: want one of %s", filter.Status,
			strings.Join(todo.Statuses(), ", "))
	case filter.MaxEffort != "" && !slices.Contains(todo.Efforts(), filter.MaxEffort):
		return worker.Result{}, fmt.Errorf("max_effort %.40q: want one of %s", filter.MaxEffort,
			strings.Join(todo.Efforts(), ", "))
	}
	if filter.DueBefore != "" {
		due, ok := todo.ParseDue(filter.DueBefore)
		if !ok {
			return l.refused("list to-dos", fmt.Errorf("due_before %.40q: %w", filter.DueBefore, todo.ErrBadDue))
		}
		filter.DueBefore = due
	}
	f, err := l.Read()
	if err != nil {
		return worker.Result{}, err
	}
	all := f.Items()
	selected := todo.Select(all, filter)
	var b strings.Builder
	for _, item := range selected[:min(len(selected), maxListed)] {
		b.WriteString(l.line(item) + "\n")
	}
	if more := len(selected) - maxListed; more > 0 {
		fmt.Fprintf(&b, "... and %d more; narrow the list by tag, text, max_effort or due_before\n", more)
	}
	if len(selected) == 0 {
		b.WriteString("No to-do fits.\n")
	}
	if done := len(todo.Select(all, todo.Filter{Status: todo.StatusDone})); filter.Status == "" && done > 0 {
		fmt.Fprintf(&b, "Not shown: %d done; status done lists them.\n", done)
	}
	return l.result(strings.TrimSuffix(b.String(), "\n"), amount.Plural(len(selected), "to-do", "to-dos")), nil
}

// maxShownDescription is the most characters of a description in a line.
const maxShownDescription = 200

// line describes an item in one line.
func (l *List) line(i todo.Item) string {
	text := i.Key + " " + map[todo.Status]string{todo.StatusTodo: "[ ]", todo.StatusInProgress: "[~]",
		todo.StatusDone: "[x]"}[i.Status] + " " + i.Title
	for _, tag := range i.Tags {
		text += " +" + tag
	}
	if i.Due != "" {
		text += "; due " + i.Due
		if at, day, ok := i.DueTime(l.zone); ok && i.Status != todo.StatusDone {
			text += describeDay(at, day, l.now().In(l.zone))
		}
	}
	if i.Effort != todo.DefaultEffort {
		text += "; effort " + i.Effort
	}
	if i.Description != "" {
		runes := []rune(strings.Join(strings.Fields(i.Description), " "))
		if len(runes) > maxShownDescription {
			runes = append(runes[:maxShownDescription], '…')
		}
		text += "; " + string(runes)
	}
	return text
}

// describeDay tells how a due time lies to now; "" for a day that is further away than tomorrow.
func describeDay(at time.Time, day bool, now time.Time) string {
	today, due := now.Format(time.DateOnly), at.Format(time.DateOnly)
	switch {
	case due < today || !day && at.Before(now):
		return " (overdue)"
	case due == today:
		return " (today)"
	case due == now.AddDate(0, 0, 1).Format(time.DateOnly):
		return " (tomorrow)"
	}
	return ""
}
