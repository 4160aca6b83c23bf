package memory

import (
	"context"
	"fmt"
	"strings"

	"mews/protocol"
	"mews/supervisor/feature"
	"mews/supervisor/printable"
)

// MethodMemory is what the control socket answers to a Question with a protocol.MemoryResult.
// Anybody with an account may ask for their own; admins for somebody's, which is in the audit log
// then.
const MethodMemory = "memory"

// Question says whose memory is to be seen to, and how.
type Question struct {
	User       string                    `json:"user,omitempty"` // "" is whoever asks
	Parameters protocol.MemoryParameters `json:"parameters"`
}

func (m *Memory) answer(ctx context.Context, by feature.Caller, q Question) (r protocol.MemoryResult, err error) {
	user, err := by.Whose(q.User, "memory."+string(q.Parameters.Action))
	if err != nil {
		return r, err
	}
	return m.See(ctx, user.Name, q.Parameters)
}

// Ask asks a question. Of a list it has all pages.
func Ask(q Question, ask func(Question) (protocol.MemoryResult, error)) (all protocol.MemoryResult, err error) {
	for {
		page, err := ask(q)
		if err != nil {
			return all, err
		}
		page.Facts = append(all.Facts, page.Facts...)
		if all = page; q.Parameters.Action != protocol.MemoryList || len(all.Facts) >= all.Total ||
			len(all.Facts) == q.Parameters.Offset {
			return all, nil
		}
		q.Parameters.Offset = len(all.Facts)
	}
}

// Text is facts, or what was taken in, for people at a terminal.
func Text(action protocol.MemoryAction, r protocol.MemoryResult) string {
	var b strings.Builder
	for _, f := range r.Facts {
		fmt.Fprintf(&b, textTerminalFact, f.ID, printable.Text(f.Text), f.Kind, f.Confidence, printable.Text(f.Source),
			f.Line)
	}
	switch {
	case action == protocol.MemoryImport:
		fmt.Fprintf(&b, textTerminalTaken, r.Added, r.Notes, r.Known, len(r.Left)+r.More)
		for _, left := range r.Left {
			fmt.Fprintln(&b, "  "+printable.Text(left))
		}
	case len(r.Facts) == 0:
		b.WriteString(textTerminalNone)
	case action == protocol.MemoryForget:
		b.WriteString(textTerminalForgotten)
	}
	return b.String()
}
