package todo

import (
	"context"
	"fmt"
	"strings"

	"mews/protocol"
	"mews/supervisor/feature"
	"mews/supervisor/printable"
)

// MethodTodo is the control call for a user's to-do list. It takes a Query and returns a
// protocol.TodoResult. Users may ask about their own list. Admins may ask about any user's list,
// which the audit log records.
const MethodTodo = "todo"

// Query is one request about a user's list.
type Query struct {
	// user whose list is meant; "" means the caller
	User       string                  `json:"user,omitempty"`
	Parameters protocol.TodoParameters `json:"parameters"`
	When       string                  `json:"when,omitempty"` // words for the due date
}

func (t *Todos) answer(ctx context.Context, by feature.Caller, q Query) (r protocol.TodoResult, err error) {
	user, err := by.UserFor(q.User, "todo."+string(q.Parameters.Action))
	if err != nil {
		return r, err
	}
	now := t.now(user.Name)
	switch q.Parameters.Action {
	case protocol.TodoActionAdd:
		q.Parameters.Text, err = withDates(q.Parameters.Text, now, user.Language)
	case protocol.TodoActionDue:
		q.Parameters.Due, err = readDue(q.When, now, user.Language)
	}
	if err != nil {
		return r, err
	}
	return t.RunAction(ctx, origin{user: user.Name, at: now}, q.Parameters)
}

// FetchAllPages sends a query. If the query is for a list, FetchAllPages fetches all pages.
func FetchAllPages(q Query, ask func(Query) (protocol.TodoResult, error)) (all protocol.TodoResult, err error) {
	for {
		page, err := ask(q)
		if err != nil {
			return all, err
		}
		count := len(page.Items)
		page.Items = append(all.Items, page.Items...)
		if all = page; q.Parameters.Action != protocol.TodoActionList || count == 0 || len(all.Items) >= all.Total {
			return all, nil
		}
		q.Parameters.Offset = len(all.Items)
	}
}

// FormatResult formats items for a terminal.
func FormatResult(action protocol.TodoAction, r protocol.TodoResult) string {
	var b strings.Builder
	for _, i := range r.Items {
		more := ""
		for _, tag := range i.Tags {
			more += " +" + tag
		}
		if i.Due != "" {
			more += textLineDue + i.Due
		}
		if effort, known := efforts[i.Effort]; known {
			more += ", " + effort
		}
		box := map[string]string{"in_progress": "[~]", statusDone: "[x]"}[i.Status]
		if box == "" {
			box = "[ ]"
		}
		fmt.Fprintf(&b, textTerminalItem, i.ID, box, printable.DropControls(i.Title), printable.DropControls(more))
		if action == protocol.TodoActionShow {
			for line := range strings.Lines(i.Description) {
				fmt.Fprintln(&b, "    "+printable.DropControls(strings.TrimRight(line, "\n")))
			}
		}
	}
	switch {
	case len(r.Items) > 0:
	case action == protocol.TodoActionList:
		b.WriteString(textTerminalEmpty)
	default:
		b.WriteString(textTerminalNone)
	}
	return b.String()
}
