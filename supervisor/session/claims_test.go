package session_test

import (
	"context"
	"fmt"
	"testing"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/session"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
)

// toolReadCounter counts how often tool calls are read.
type toolReadCounter struct {
	sqlite.Turns
	reads int
	err   error
}

func (c *toolReadCounter) ListSuccessfulTools(ctx context.Context, turn int64, turns int) ([]sqlite.SuccessfulCall,
	error) {
	c.reads++
	calls, err := c.Turns.ListSuccessfulTools(ctx, turn, turns)
	return calls, errorOr(c.err, err)
}

func errorOr(err, otherwise error) error {
	if err != nil {
		return err
	}
	return otherwise
}

const (
	notSaved = "(Not verified: the assistant says that it saved or changed something; no tool did that for this " +
		"answer.)"
	notPromised = "(Not verified: the assistant says that it will come back to you; it set no reminder or task for " +
		"that.)"
	notDeleted = "(Not verified: the assistant says that it deleted something; no tool did that for this answer.)"
)

// TestClaim_NoToolRan_AddsNoteToAnswer runs several turns in one conversation. In each turn tools
// run, and the model says something. Only a claim without a matching tool gets a note. For an
// answer without a claim, the store is not read.
func TestClaim_NoToolRan_AddsNoteToAnswer(t *testing.T) {
	turns := []struct {
		name   string
		tool   string // the tool that ran; "!" before the name means that it failed
		says   string
		want   string // the note below the answer
		reads  int
		broken bool // whether the store fails
	}{
		{"nothing is claimed", "", "I can save that for you.", "", 0, false},
		{"claimed, and not done", "", "I've saved it to notes.md.", notSaved, 1, false},
		{"in Spanish", "", "He borrado los archivos.", notDeleted, 1, false},
		{"done", "write_file", "I've saved it to notes.md.", "", 1, false},
		{"claimed again, and not done again", "", "I've saved the second list as well.", notSaved, 1, false},
		{"what was done before is repeated", "", "Yes, I saved it to notes.md.", "", 1, false},
		{"and what stands since then", "", "Your notes.md has been saved.", "", 1, false},
		{"of another file", "", "Yes, I saved it to todo.md.", notSaved, 1, false},
		{"of no file", "", "Yes, I saved it.", notSaved, 1, false},
		{"a promise", "", "I'll remind you tomorrow at 9.", notPromised, 1, false},
		{"a promise in German", "", "Ich erinnere dich morgen um 9.", notPromised, 1, false},
		{"a promise with a job", "schedule_task", "I'll remind you tomorrow at 9.", "", 1, false},
		{"what was promised before", "", "Yes, I'll remind you tomorrow at 9.", "", 1, false},
		{"another time", "", "Yes, I'll remind you at 10.", notPromised, 1, false},
		{"a tool of another kind", "read_file", "I've deleted notes.md.", notDeleted, 1, false},
		{"the tool has failed", "!delete_file", "I've deleted notes.md.", notDeleted, 1, false},
		{"a program may have", "run_command", "I've deleted notes.md.", "", 1, false},
		{"but not have sent", "run_command", "I've sent you the file, and I've saved it.",
			"(Not verified: the assistant says that it sent something; no tool did that for this answer.)", 2, false},
		{"a tool that nobody knows", "garden_water", "I've emailed Bob.", "", 1, false},
		{"much at once", "", "I've saved it, deleted the old one, sent it and scheduled a call.",
			"(Not verified: the assistant says that it saved or changed something, deleted something and sent " +
				"something; no tool did that for this answer.)",
			4, false},
		{"the store is away", "", "I've saved it to notes.md.", "", 1, true},
	}
	for _, last := range []bool{false, true} {
		t.Run(fmt.Sprint("the last step ends the turn: ", last), func(t *testing.T) {
			var h *harness
			var counted toolReadCounter
			n := 0
			h = newHarness(t, func(ctx context.Context, a session.Attempt) (session.AttemptEnd, error) {
				turn := turns[n]
				if turn.tool != "" {
					h.ran(a, fmt.Sprint("call-", n), turn.tool)
				}
				if !last {
					h.commit(a, turn.says)
				} else if _, err := h.commitLast(ctx, a, turn.says, nil); err != nil {
					t.Error(err)
				}
				return done, nil
			})
			counted.Turns = h.db.Turns()
			h.options.Worked = &counted
			home := h.conversation("ann", "")
			h.live()
			for i, turn := range turns {
				n, counted.reads, counted.err = i, 0, nil
				if turn.broken {
					counted.err = context.DeadlineExceeded
				}
				h.say(home, "go on")
				want := turn.says
				if turn.want != "" {
					want += "\n\n" + turn.want
				}
				if got := h.await(home, i+1)[i].Text; got != want || counted.reads != turn.reads {
					t.Errorf("%s: the answer is %q after %d reads, want %q after %d", turn.name, got, counted.reads, want, turn.reads)
				}
			}
		})
	}
}

// ran stores a tool call with its result, as the attempt would.
func (h *harness) ran(a session.Attempt, id, tool string) {
	h.Helper()
	failed := tool[0] == '!'
	if failed {
		tool = tool[1:]
	}
	call := protocol.Message{Role: protocol.RoleAssistant,
		Parts: []protocol.ContentPart{{Call: &protocol.ToolCall{ID: id,
			Name: tool, Arguments: []byte(`{"path":"notes.md","when":"2026-11-30 09:00"}`)}}}}
	_, err := h.db.Turns().CommitStep(h.Context(), sqlite.Step{Turn: a.Turn.ID, Message: call, Model: "test"})
	if err == nil {
		_, err = h.db.Turns().CommitResult(h.Context(), a.Turn.ID, protocol.ToolResult{Call: id, Name: tool, Text: "…", Failed: failed})
	}
	if err != nil {
		h.Error(err)
	}
}

// TestClaim_AboutAttachment_AddsNoNote checks that a claim about an attachment needs no tool,
// because the model reads attachments itself. A job's turn gets no note.
func TestClaim_AboutAttachment_AddsNoNote(t *testing.T) {
	var h *harness
	h = newHarness(t, func(_ context.Context, a session.Attempt) (session.AttemptEnd, error) {
		h.commit(a, "I read contract.pdf.")
		return done, nil
	})
	h.options.Worked = h.db.Turns()
	h.live()
	for i, c := range []struct {
		in    supervisor.Inbound
		parts string
		want  string
	}{
		{supervisor.Inbound{Kind: supervisor.KindText}, "", "\n\n(Not verified: the assistant says that it looked " +
			"something up; no tool did that for this answer.)"},
		{supervisor.Inbound{Kind: supervisor.KindText}, `[{"text":"With this came contract.pdf: ..."}]`, ""},
		{supervisor.Inbound{Kind: supervisor.KindText, Origin: supervisor.OriginWorld}, "", ""},
		{supervisor.Inbound{Kind: supervisor.KindJob}, "", ""},
	} {
		home := h.conversation("ann", fmt.Sprint(i))
		c.in.Conversation, c.in.Source, c.in.Key, c.in.Text = home, "test", fmt.Sprint("own-", i), "what does it say?"
		in, _, err := h.db.Inbox().StoreInbound(h.Context(), c.in)
		must(h, in, err)
		if c.parts != "" {
			sqlitetest.ExecStatements(t, h.db, fmt.Sprintf("UPDATE inbox SET parts = '%s' WHERE id = %d", c.parts,
				in.ID))
		}
		h.registry.WakeSession(home)
		if got := h.await(home, 1)[0].Text; got != "I read contract.pdf."+c.want {
			t.Errorf("%d: the answer is %q", i, got)
		}
	}
}
