package undo

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/feature"
	"mews/supervisor/spool"
)

// changeRows are the changes of one turn of alice. No change has been undone.
type changeRows struct {
	Store
	changes  []supervisor.FileChange
	programs []supervisor.Effect
}

func (changeRows) FindLastTurn(context.Context, supervisor.Conversation, time.Time, int, bool) (int64, bool, error) {
	return 1, true, nil
}
func (changeRows) FindTurnUser(context.Context, int64) (string, error) { return "alice", nil }

func (r changeRows) ListChanges(context.Context, string, int64, int64) ([]supervisor.FileChange, error) {
	return r.changes, nil
}

func (changeRows) FindLastUndo(context.Context, supervisor.Conversation, time.Time) (turn, operation int64, err error) {
	return 0, 0, nil
}

func (r changeRows) ListPrograms(context.Context, string, int64, bool) ([]supervisor.Effect, error) {
	return r.programs, nil
}

// The test undoes changes whose old content is lost, changes that can't be taken back, and other
// changes of the same files. All these files stay as they are.
func TestUndo_LostOrUnsafeChanges_Stay(t *testing.T) {
	now := time.Now()
	change := func(path, not string, age time.Duration) supervisor.FileChange {
		return supervisor.FileChange{Undo: protocol.Undo{Path: path, After: "large 1 2", Obstacle: not},
			CreatedAt: now.Add(-age)}
	}
	u := New(Options{Now: func() time.Time { return now }, Store: changeRows{changes: []supervisor.FileChange{
		change("old", "", spool.Retention+1), change("large", "it was large", 0), change("large", "", 0),
		change("a.out", protocol.ObstacleProgramChange, 0),
	}}})
	report, err := u.UndoTurn(t.Context(), "alice", 0, 1, 0, false)
	want := map[Outcome][]string{OutcomeExpired: {"old"}, OutcomeImpossible: {"large" + whyMark + "it was large"},
		OutcomeChangedByProgram: {"a.out"}}
	if err != nil || fmt.Sprint(report.Paths) != fmt.Sprint(want) {
		t.Errorf("reported is %q, %v, want %q", report.Paths, err, want)
	}
	_, err = u.UndoTurn(t.Context(), "bob", 0, 1, 0, false)
	if supervisor.ErrorCodeOf(err) != supervisor.CodeForbidden {
		t.Errorf("somebody else's: %v", err)
	}
}

// The answer of /undo names the programs that ran, and the files that they changed or deleted.
func TestUndo_Programs_AreNamed(t *testing.T) {
	byProgram := func(path, after string) supervisor.FileChange {
		return supervisor.FileChange{Undo: protocol.Undo{Path: path, After: protocol.FileState(after),
			Obstacle: protocol.ObstacleProgramChange}}
	}
	ran := func(kind, target, detail string) supervisor.Effect {
		return supervisor.Effect{Kind: kind, Target: target, Detail: detail}
	}
	changed := undoLines[len(undoLines)-1].text
	for name, c := range map[string]struct {
		changes  []supervisor.FileChange
		programs []supervisor.Effect
		want     string // the wanted answer, with %s for textUndoEarlier
	}{
		"nothing": {nil, nil, textNothingToUndo},
		"no change": {nil, []supervisor.Effect{ran("run", "ls", "exit 0")},
			says(textProgramsRan, "`ls`") + "\n%s"},
		"a deleted file": {[]supervisor.FileChange{byProgram("diary.md", "")}, []supervisor.Effect{ran("run",
			"rm diary.md", "exit 0")},
			says(textProgramsRan, "`rm diary.md`") + "\n" + says(changed, "`diary.md` (deleted)") + "\n%s"},
		"the same twice": {nil, []supervisor.Effect{ran("run", "make", "exit 0"), ran("run", "make", "exit 1"),
			ran("run", "ls", "exit 0")},
			says(textProgramsRan, "`make`, `ls`") + "\n%s"},
		"more files": {[]supervisor.FileChange{byProgram("a", "large 1 2")},
			[]supervisor.Effect{ran("run", "make", "exit 0"), ran("program", "5 more files", ""), ran("program",
				"292 more files", "deleted")},
			says(textProgramsRan, "`make`") + "\n" + says(changed,
				"`a`, and 5 more files, and 292 more files (deleted)") + "\n%s"},
		"too many to list": {[]supervisor.FileChange{byProgram(".", "")}, []supervisor.Effect{ran("run", "make",
			"exit 0")},
			says(textProgramsRan, "`make`") + "\n" + says(changed, textWholeFolder) + "\n%s"},
		"interrupted": {nil, []supervisor.Effect{ran("call.begun", "run_command", "")},
			says(textUnknownEnd, "`run_command`") + "\n%s"},
		"begun before a crash": {nil, []supervisor.Effect{ran("begin", "terminal", ""), ran("run", "ls", "")},
			says(textProgramsRan, "`ls`") + "\n" + says(textUnknownEnd, "`terminal`") + "\n%s"},
		"many programs": {nil, []supervisor.Effect{ran("run", "1", ""), ran("run", "2", ""), ran("run", "3", ""),
			ran("run", "4", ""), ran("run", "5", ""),
			ran("run", "6", ""), ran("run", "7", ""), ran("run", "8", ""), ran("run", "9", ""), ran("run", "10", ""),
			ran("run", "11", "")},
			says(textProgramsRan, "`1`, `2`, `3`, `4`, `5`, `6`, `7`, `8`, `9`, `10`, and 1 more") + "\n%s"},
		"a name with marks": {nil, []supervisor.Effect{ran("run", "echo `date`", "")},
			says(textProgramsRan, "`echo date`") + "\n%s"},
	} {
		u := New(Options{Now: time.Now, Store: changeRows{changes: c.changes, programs: c.programs}})
		d, err := u.tellUndone(t.Context(),
			feature.CommandRequest{Conversation: supervisor.Conversation{User: "alice"}}, 1, 0,
			false)
		if want := strings.ReplaceAll(c.want, "%s", textUndoEarlier); err != nil || d.Text != want {
			t.Errorf("%s: %q, %v, want %q", name, d.Text, err, want)
		}
		shown, err := u.tellDiff(t.Context(),
			feature.CommandRequest{Conversation: supervisor.Conversation{User: "alice"}}, 1,
			0)
		if want := strings.TrimSuffix(c.want, "\n%s"); err != nil || len(c.programs) > 0 && shown.Text != want ||
			len(c.programs) == 0 && shown.Text != textNoDiff {
			t.Errorf("the difference of %s: %q, %v", name, shown.Text, err)
		}
	}
}

// The report says whether a file came back or went away.
func TestUndo_EachChange_SaysHowFileDiffers(t *testing.T) {
	const old, edited = "1", "2"
	change := func(path, before, after string) supervisor.FileChange {
		return supervisor.FileChange{Undo: protocol.Undo{Path: path, Before: protocol.FileState(before),
			After: protocol.FileState(after)}}
	}
	moved := supervisor.FileChange{Undo: protocol.Undo{Path: "a", To: "b_c", Before: old}}
	for name, c := range map[string]struct {
		newestFirst []supervisor.FileChange
		want        string
	}{
		"edited":              {[]supervisor.FileChange{change("a", old, edited)}, ""},
		"created":             {[]supervisor.FileChange{change("a", "", edited)}, "deleted"},
		"deleted":             {[]supervisor.FileChange{change("a", old, "")}, "restored"},
		"created, edited":     {[]supervisor.FileChange{change("a", old, edited), change("a", "", old)}, "deleted"},
		"edited, deleted":     {[]supervisor.FileChange{change("a", edited, ""), change("a", old, edited)}, "restored"},
		"created, deleted":    {[]supervisor.FileChange{change("a", old, ""), change("a", "", old)}, ""},
		"deleted, created":    {[]supervisor.FileChange{change("a", "", edited), change("a", old, "")}, ""},
		"moved":               {[]supervisor.FileChange{moved}, "moved back from `b_c`"},
		"moved, created":      {[]supervisor.FileChange{change("a", "", edited), moved}, "moved back from `b_c`"},
		"edited, with others": {[]supervisor.FileChange{change("b", "", old), change("a", old, edited)}, ""},
		"edited twice":        {[]supervisor.FileChange{change("a", edited, "3"), change("a", old, edited)}, ""},
	} {
		if got := differencesOf(c.newestFirst)["a"]; got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
