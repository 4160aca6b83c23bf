package memory

import (
	"context"
	"fmt"
	"strings"

	"mews/protocol"
	"mews/supervisor/feature"
	"mews/supervisor/printable"
)

// MethodMemory is the control call for a user's memory. It takes a Query and returns a
// protocol.MemoryResult. Users may ask about their own memory. Admins may ask about any user's
// memory, which the audit log records.
const MethodMemory = "memory"

// Query is one request about a user's memory.
type Query struct {
	// user whose memory is meant; "" means the caller
	User       string                    `json:"user,omitempty"`
	Parameters protocol.MemoryParameters `json:"parameters"`
}

func (m *Memory) answer(ctx context.Context, by feature.Caller, q Query) (r protocol.MemoryResult, err error) {
	user, err := by.UserFor(q.User, "memory."+string(q.Parameters.Action))
	if err != nil {
		return r, err
	}
	return m.RunAction(ctx, user.Name, q.Parameters)
}

// FetchAllPages sends a query. If the query is for a list, FetchAllPages fetches all pages.
func FetchAllPages(q Query, ask func(Query) (protocol.MemoryResult, error)) (all protocol.MemoryResult, err error) {
	for {
		page, err := ask(q)
		if err != nil {
			return all, err
		}
		page.Facts = append(all.Facts, page.Facts...)
		if all = page; q.Parameters.Action != protocol.MemoryActionList || len(all.Facts) >= all.Total ||
			len(all.Facts) == q.Parameters.Offset {
			return all, nil
		}
		q.Parameters.Offset = len(all.Facts)
	}
}

// terminalFact formats a fact for a terminal.
func terminalFact(f protocol.MemoryFact) string {
	text, origin := printable.DropControls(f.Text), printable.DropControls(f.Origin)
	if f.Line == 0 {
		return fmt.Sprintf(textTerminalEarlier, f.ID, text, f.Kind, f.Confidence, origin)
	}
	return fmt.Sprintf(textTerminalFact, f.ID, text, f.Kind, f.Confidence, origin, f.Line)
}

// FormatResult formats facts, or the result of an import, for a terminal.
func FormatResult(action protocol.MemoryAction, r protocol.MemoryResult) string {
	var b strings.Builder
	for _, f := range r.Facts {
		fmt.Fprint(&b, terminalFact(f))
	}
	switch {
	case action == protocol.MemoryActionImport:
		fmt.Fprintf(&b, textTerminalTaken, r.Added, r.Notes, r.Known, len(r.NotImported)+r.More)
		for _, left := range r.NotImported {
			fmt.Fprintln(&b, "  "+printable.DropControls(left))
		}
	case len(r.Facts) == 0:
		b.WriteString(textTerminalNone)
	case action == protocol.MemoryActionForget:
		b.WriteString(textTerminalForgotten)
	}
	return b.String()
}
