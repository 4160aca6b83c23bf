package undo

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/feature"
)

// spanRows are the changes of one turn of alice. The store records what was undone.
type spanRows struct {
	changeRows
	recorded *supervisor.UndoneChanges
}

func (r spanRows) RecordUndo(_ context.Context, u supervisor.UndoneChanges) error {
	*r.recorded = u
	return nil
}

// worker answers undo operations with a result.
type worker struct {
	result protocol.UndoResult
	asked  *protocol.UndoParameters
}

func (w worker) Start(_ context.Context, op supervisor.Operation) (supervisor.Operation, error) {
	op.ID = 9
	return op, json.Unmarshal([]byte(op.Parameters), w.asked)
}

func (w worker) Wait(context.Context, int64) (supervisor.Operation, error) {
	result, err := json.Marshal(w.result)
	return supervisor.Operation{ID: 9, State: supervisor.OperationDone, Result: string(result)}, err
}

func spanOf(program string, from, to int64) supervisor.FileChange {
	return supervisor.FileChange{Undo: protocol.Undo{Path: ".", Span: &protocol.HistorySpan{From: from, To: to}},
		Effect: from,
		Kind:   "run", Target: program, CreatedAt: time.Now()}
}

func paths(count int64, names ...string) protocol.PathCount {
	return protocol.PathCount{Count: count, Named: names}
}

// undone is the outcome of a span's undo.
func undone(s protocol.UndoneSpan) protocol.UndoneChange {
	return protocol.UndoneChange{Outcome: protocol.UndoOutcomeDone, Span: &s}
}

// The answer has the counts and names of the files, and buttons for what can be done next.
func TestUndo_Span_CountsAndNamesFiles(t *testing.T) {
	inverse := &protocol.HistorySpan{From: 20, To: 21}
	left := undoLines[1].text
	for name, c := range map[string]struct {
		outcome protocol.UndoneChange
		want    string
		partly  bool
		buttons []string
	}{
		"one file": {undone(protocol.UndoneSpan{Restored: paths(1, "a.md"), Span: inverse}),
			says(undoLines[0].text, "`a.md`"), false, []string{textUndoAgain}},
		"many files": {undone(protocol.UndoneSpan{Restored: paths(4814, "a.md", "b.md"), Span: inverse}),
			says(undoLines[0].text, "`a.md`, `b.md` and 4,812 more files"), false, []string{textUndoAgain}},
		"no names": {undone(protocol.UndoneSpan{Restored: paths(2), Span: inverse}),
			says(undoLines[0].text, "2 files"), false, []string{textUndoAgain}},
		"changed since": {undone(protocol.UndoneSpan{Restored: paths(1, "a"), Changed: paths(3, "b"), Span: inverse}),
			says(undoLines[0].text, "`a`") + "\n" + says(left, "`b` and 2 more files"), true,
			[]string{textUndoAgain, textUndoAnyway, textLeave, TextDiffButton}},
		"all changed since": {undone(protocol.UndoneSpan{Changed: paths(1, "b")}),
			says(left, "`b`"), true, []string{textUndoAnyway, textLeave, TextDiffButton}},
		"two programs": {undone(protocol.UndoneSpan{Restored: paths(1, "a"), Shared: paths(1, "c"), Span: inverse}),
			says(undoLines[0].text, "`a`") + "\n" + says(textShared, "`c`"), false, []string{textUndoAgain}},
		"not kept": {undone(protocol.UndoneSpan{Restored: paths(1, "a"), NotKept: paths(31, "big.iso"), Span: inverse}),
			says(undoLines[0].text, "`a`") + "\n" + says(textLost, "`big.iso` and 30 more files"), false,
			[]string{textUndoAgain}},
		"new and not kept": {undone(protocol.UndoneSpan{Restored: paths(1, "a"), Unkept: paths(31, "node_modules"),
			Span: inverse}),
			says(undoLines[0].text, "`a`") + "\n" + says(textUnkept, "`node_modules` and 30 more files"), true,
			[]string{textUndoAgain, textUndoAnyway, textLeave, TextDiffButton}},
		"none kept": {protocol.UndoneChange{Outcome: protocol.UndoOutcomeExpired,
			Span: &protocol.UndoneSpan{NotKept: paths(1, "a")}},
			says(textLost, "`a`") + "\n" + textUndoEarlier, false, nil},
		"all of two programs": {protocol.UndoneChange{Outcome: protocol.UndoOutcomeChangedSince,
			Span: &protocol.UndoneSpan{Shared: paths(1, "a")}}, says(textShared, "`a`") + "\n" + textUndoEarlier,
			false, nil},
		"already": {protocol.UndoneChange{Outcome: protocol.UndoOutcomeAlreadyUndone,
			Span: &protocol.UndoneSpan{Restored: paths(1, "a")}}, says(undoLines[0].text, "`a`"), false, nil},
		"expired": {protocol.UndoneChange{Outcome: protocol.UndoOutcomeExpired, Span: &protocol.UndoneSpan{}},
			says(textSpanExpired, "`rm -rf .`") + "\n" + textUndoEarlier, false, nil},
		"one failed": {undone(protocol.UndoneSpan{Restored: paths(1, "a"), Failed: paths(2, "b"), Span: inverse}),
			says(undoLines[0].text, "`a`") + "\n" + says(textCouldNotChange, "`b` and 1 more file"), true,
			[]string{textUndoAgain}},
		"ended early": {protocol.UndoneChange{Outcome: protocol.UndoOutcomeFailed, Why: "the disk is full",
			Span: &protocol.UndoneSpan{Restored: paths(1, "a"), Failed: paths(1, "b"), Span: inverse}},
			says(undoLines[0].text, "`a`") + "\n" +
				fmt.Sprintf(textSpanFailed, "`rm -rf .`", "the disk is full") + "\n" +
				says(textCouldNotChange, "`b`"), true, []string{textUndoAgain}},
		"failed": {protocol.UndoneChange{Outcome: protocol.UndoOutcomeFailed, Why: "the disk is full",
			Span: &protocol.UndoneSpan{}},
			fmt.Sprintf(textSpanFailed, "`rm -rf .`", "the disk is full") + "\n" + textUndoEarlier, false, nil},
		"failed with a link": {protocol.UndoneChange{Outcome: protocol.UndoOutcomeFailed, Span: &protocol.UndoneSpan{},
			Why: "[click](https://example.org)`\x1b"}, fmt.Sprintf(textSpanFailed, "`rm -rf .`",
			"`[click](https://example.org)`") + "\n" + textUndoEarlier, false, nil},
	} {
		var recorded supervisor.UndoneChanges
		var asked protocol.UndoParameters
		u := New(Options{Now: time.Now, Store: spanRows{changeRows{changes: []supervisor.FileChange{spanOf("rm -rf .",
			3, 4)}}, &recorded},
			Operations: worker{protocol.UndoResult{Changes: []protocol.UndoneChange{c.outcome}}, &asked}})
		d, err := u.tellUndone(t.Context(),
			feature.CommandRequest{Conversation: supervisor.Conversation{User: "alice"}}, 1, 0, false)
		var buttons []string
		for _, row := range d.Buttons {
			for _, b := range row {
				buttons = append(buttons, b.Text)
			}
		}
		if err != nil || d.Text != c.want || fmt.Sprint(buttons) != fmt.Sprint(c.buttons) {
			t.Errorf("%s: %q with %q, %v; want %q with %q", name, d.Text, buttons, err, c.want, c.buttons)
		}
		if len(asked.Changes) != 1 || asked.Changes[0].Span.From != 3 || asked.Validate() != nil {
			t.Errorf("%s: asked for %+v", name, asked)
		}
		failed := c.outcome.Outcome == protocol.UndoOutcomeExpired && c.outcome.Span.NotKept.Count == 0 ||
			c.outcome.Outcome == protocol.UndoOutcomeFailed && c.outcome.Span.Span == nil
		if failed != (len(recorded.Spans) == 0) || !failed && (recorded.Spans[0].Effect != 3 ||
			recorded.Spans[0].Partly != c.partly ||
			recorded.Spans[0].Inverse != nil != (c.outcome.Span.Span != nil)) {
			t.Errorf("%s: recorded %+v", name, recorded)
		}
	}
}

func says(format, names string) string { return fmt.Sprintf(format, names) }

// A restore by a tool is no program, also if it can't be taken back.
func TestUndo_Restore_IsNoProgram(t *testing.T) {
	for _, c := range []struct {
		outcome protocol.UndoneChange
		want    string
	}{
		{protocol.UndoneChange{Outcome: protocol.UndoOutcomeExpired, Span: &protocol.UndoneSpan{}},
			fmt.Sprintf(textRestoreExpired, "`docs`")},
		{protocol.UndoneChange{Outcome: protocol.UndoOutcomeFailed, Why: "the disk is full",
			Span: &protocol.UndoneSpan{}},
			fmt.Sprintf(textRestoreFailed, "`docs`", "the disk is full")},
	} {
		for _, kind := range []string{supervisor.EffectRestore, supervisor.EffectRestoreUndone} {
			restored := spanOf("docs", 3, 4)
			restored.Kind = kind
			u := New(Options{Now: time.Now, Store: spanRows{changeRows{changes: []supervisor.FileChange{restored}},
				new(supervisor.UndoneChanges)}, Operations: worker{protocol.UndoResult{
				Changes: []protocol.UndoneChange{c.outcome}}, new(protocol.UndoParameters)}})
			d, err := u.tellUndone(t.Context(),
				feature.CommandRequest{Conversation: supervisor.Conversation{User: "alice"}}, 1, 0, false)
			if want := c.want + "\n" + textUndoEarlier; err != nil || d.Text != want {
				t.Errorf("%s: %q, %v; want %q", kind, d.Text, err, want)
			}
		}
	}
}

// Spans and single changes are undone in one operation, the newest first.
func TestUndo_SpansAndFiles_AreUndoneInOrder(t *testing.T) {
	const before, after = protocol.FileState("large 1 1"), protocol.FileState("large 2 2")
	edit := supervisor.FileChange{Undo: protocol.Undo{Path: "a", Before: before, After: after, Kept: true}, Effect: 1,
		CreatedAt: time.Now()}
	var recorded supervisor.UndoneChanges
	var asked protocol.UndoParameters
	u := New(Options{Now: time.Now,
		Store: spanRows{changeRows{changes: []supervisor.FileChange{edit, spanOf("make", 3, 4), spanOf("rm b", 5,
			6)}}, &recorded},
		Operations: worker{protocol.UndoResult{Changes: []protocol.UndoneChange{
			undone(protocol.UndoneSpan{Restored: paths(1, "b"), Span: &protocol.HistorySpan{From: 20, To: 21}}),
			undone(protocol.UndoneSpan{Restored: paths(2, "a", "b"), Span: &protocol.HistorySpan{From: 21, To: 22}}),
			{Outcome: protocol.UndoOutcomeDone}}}, &asked}})
	d, err := u.tellUndone(t.Context(), feature.CommandRequest{Conversation: supervisor.Conversation{User: "alice"}},
		1, 0, false)
	if want := says(undoLines[0].text, "`a`, `b`"); err != nil || d.Text != want {
		t.Errorf("said %q, %v, want %q", d.Text, err, want)
	}
	if len(asked.Changes) != 3 || asked.Changes[0].Span.From != 5 || asked.Changes[1].Span.From != 3 ||
		!asked.Changes[2].Kept {
		t.Errorf("asked for %+v", asked.Changes)
	}
	if len(recorded.Effects) != 1 || len(recorded.Changes) != 1 || !recorded.Changes[0].Kept ||
		len(recorded.Spans) != 2 {
		t.Errorf("recorded %+v", recorded)
	}
}

// The answer names changes that are not kept. These are changes outside of the home, and changes by
// calls with an unknown end.
func TestUndo_ChangesThatAreNotKept_AreNamed(t *testing.T) {
	ran, interrupted := supervisor.Effect{Kind: "run", Target: "ls"}, supervisor.Effect{Kind: "call.begun",
		Target: "run_command"}
	for name, c := range map[string]struct {
		changes  []supervisor.FileChange
		programs []supervisor.Effect
		outside  []string
		history  bool
		want     []string
	}{
		"a workspace": {[]supervisor.FileChange{spanOf("make", 3, 4)}, nil, []string{"/workspaces/site"}, true,
			[]string{says(undoLines[0].text, "`a`"), says(textOutsideHome, "`/workspaces/site`")}},
		"a program in a workspace": {nil, []supervisor.Effect{ran}, []string{"/workspaces/site"}, true,
			[]string{says(textProgramsRan, "`ls`"), says(textOutsideHome, "`/workspaces/site`"), textUndoEarlier}},
		"an unknown end": {nil, []supervisor.Effect{interrupted}, nil, true,
			[]string{says(textUnknownEnd, "`run_command`"), textHistoryHint, textUndoEarlier}},
		"no history": {nil, []supervisor.Effect{ran, interrupted}, nil, false,
			[]string{says(textProgramsRan, "`ls`"), says(textUnknownEnd, "`run_command`"), textUndoEarlier}},
	} {
		var recorded supervisor.UndoneChanges
		var asked protocol.UndoParameters
		u := New(Options{Now: time.Now, Store: spanRows{changeRows{changes: c.changes, programs: c.programs},
			&recorded},
			HasHistory: func(string) bool { return c.history }, OutsideHome: func(string) []string { return c.outside },
			Operations: worker{protocol.UndoResult{Changes: []protocol.UndoneChange{
				undone(protocol.UndoneSpan{Restored: paths(1, "a"), Span: &protocol.HistorySpan{From: 20, To: 21}})}},
				&asked}})
		d, err := u.tellUndone(t.Context(),
			feature.CommandRequest{Conversation: supervisor.Conversation{User: "alice"}}, 1, 0, false)
		if want := strings.Join(c.want, "\n"); err != nil || d.Text != want {
			t.Errorf("%s: %q, %v, want %q", name, d.Text, err, want)
		}
	}
}
