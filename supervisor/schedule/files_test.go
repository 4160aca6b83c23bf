package schedule

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
)

// fakeHome is a fake index of a folder. The zero value is empty.
type fakeHome struct {
	epoch   int
	changes []supervisor.HomeFileChange // changes that the index already has
	pending []supervisor.HomeFileChange // changes that the next scan finds
	scans   int                         // the number of scans
	endless bool
}

func (f *fakeHome) IndexHomeNow(context.Context, string) (bool, error) {
	f.scans++
	f.changes, f.pending = append(f.changes, f.pending...), nil
	return !f.endless, nil
}

func (f *fakeHome) ListChanges(_ context.Context, _ string,
	since supervisor.HomeChangePosition) ([]supervisor.HomeFileChange,
	supervisor.HomeChangePosition, bool, error) {
	next := supervisor.HomeChangePosition{Epoch: fmt.Sprint("e", f.epoch), ID: int64(len(f.changes))}
	if since.Epoch != next.Epoch {
		return nil, next, false, nil
	}
	return slices.Clone(f.changes[since.ID:]), next, true, nil
}

// change parses one of "new a", "changed a" and "gone a".
func change(text string) supervisor.HomeFileChange {
	what, path, _ := strings.Cut(text, " ")
	c := supervisor.HomeFileChange{Path: path, Before: "1", After: "2", Size: 1, Modified: noon.Add(24 * time.Hour)}
	switch what {
	case "new":
		c.Before = supervisor.FileStateMissing
	case "gone":
		c.After = supervisor.FileStateMissing
	}
	return c
}

// changeFiles reports changes in alice's folder, as a worker does.
func (h *harness) changeFiles(list ...string) {
	for _, text := range list {
		h.home.changes = append(h.home.changes, change(text))
	}
	h.routines.RecordHomeChange("alice")
}

func (h *harness) switchNotifications(t testing.TB, words string) string {
	t.Helper()
	d, err := h.routines.SwitchRoutine(t.Context(), person("alice"), chatOf("alice"), supervisor.RoutineFileChanges,
		words,
		h.now)
	if err != nil {
		t.Fatal(err)
	}
	return d.Text
}

// runFor lets a duration pass, as the loop does.
func (h *harness) runFor(t testing.TB, d time.Duration) {
	t.Helper()
	h.now = h.now.Add(d)
	h.fireDue(t)
	if err := h.routines.CheckChangedHomes(t.Context()); err != nil {
		t.Fatal(err)
	}
	h.passTime(t, 0)
}

func notice(lines string) string {
	return "**File watch**\n\nChanged in your folder by others:\n```\n" + lines + "\n```"
}

// newNoticesHarness returns a harness with file notices on and the folder already scanned.
func newNoticesHarness(t *testing.T) *harness {
	h := newHarness(t)
	h.home.pending = []supervisor.HomeFileChange{change("new there")}
	if text := h.switchNotifications(t, "on"); !strings.Contains(text, "File watch is on. It comes every 15 minutes") {
		t.Fatalf("it says %q", text)
	}
	h.runFor(t, 0)
	h.wantStates(t, "silent")
	return h
}

// Files that exist already are not reported. A change is reported 30 s after the last change. Then
// nothing is reported for 10 minutes.
func TestFileNotices_ChangeByOthers_IsReported(t *testing.T) {
	h := newNoticesHarness(t)
	h.changeFiles("new a.md", "changed b.md")
	h.runFor(t, 29*time.Second)
	h.changeFiles("gone c.md")
	h.runFor(t, 29*time.Second)
	h.wantSaid(t)
	h.runFor(t, time.Second)
	first := notice("new: a.md\nchanged: b.md\ngone: c.md")
	h.wantSaid(t, first)
	h.changeFiles("new d.md")
	h.runFor(t, time.Minute)
	h.restart()
	h.changeFiles("new e.md")
	h.runFor(t, 9*time.Minute-time.Second)
	h.wantSaid(t, first)
	h.runFor(t, time.Second)
	h.wantSaid(t, first, notice("new: d.md\nnew: e.md"))
	if h.home.scans != 3 {
		t.Errorf("it was scanned %d times", h.home.scans)
	}
}

// If no worker watches the folder, Mews scans the folder every 15 minutes, also after a start.
func TestFileNotices_WithoutWatcher_FindChanges(t *testing.T) {
	h := newNoticesHarness(t)
	h.home.pending = []supervisor.HomeFileChange{change("new a.md")}
	h.runFor(t, 14*time.Minute)
	h.wantSaid(t)
	h.restart()
	h.runFor(t, time.Minute)
	h.wantSaid(t, notice("new: a.md"))
	h.runFor(t, 15*time.Minute)
	h.wantStates(t, "silent said silent")
	h.home.pending, h.home.endless = []supervisor.HomeFileChange{change("new b.md")}, true
	h.runFor(t, 15*time.Minute) // the next check scans the folder
	h.home.endless = false
	h.runFor(t, 15*time.Minute)
	h.wantSaid(t, notice("new: a.md"), notice("new: b.md"))
	h.wantStates(t, "silent said silent silent said")
}

// If file notices are turned off and on again, changes in between are skipped. A rebuilt index
// causes no notice about existing files.
func TestFileNotices_OffAndOn_SkipTimeBetween(t *testing.T) {
	h := newNoticesHarness(t)
	if text := h.switchNotifications(t, "off"); text != "File watch is off." {
		t.Errorf("it says %q", text)
	}
	h.changeFiles("new a.md")
	h.runFor(t, time.Hour)
	if text := h.switchNotifications(t, ""); !strings.HasPrefix(text, "File watch is off.") {
		t.Errorf("it says %q", text)
	}
	h.switchNotifications(t, "on")
	h.home.pending = []supervisor.HomeFileChange{change("new b.md")}
	h.runFor(t, 0)
	h.wantSaid(t)
	h.changeFiles("new c.md")
	h.runFor(t, 30*time.Second)
	h.wantSaid(t, notice("new: c.md"))

	h.home = fakeHome{epoch: 1, changes: []supervisor.HomeFileChange{change("new all")}}
	h.runFor(t, 15*time.Minute)
	h.changeFiles("new d.md")
	h.runFor(t, 30*time.Second)
	h.wantSaid(t, notice("new: c.md"), notice("new: d.md"))
	if _, err := h.routines.SwitchRoutine(t.Context(), person("alice"), chatOf("alice"), supervisor.RoutineFileChanges,
		"every 2 h", h.now); err == nil {
		t.Error("somebody sets its times")
	}
}

// A notice names only 20 files, and counts the rest.
func TestFileNotices_ManyFiles_AreCounted(t *testing.T) {
	h := newNoticesHarness(t)
	h.changeFiles("changed ```\n*x*\x1b[2J")
	for i := range 29 {
		h.changeFiles(fmt.Sprintf("new %02d.md", i))
	}
	h.runFor(t, 30*time.Second)
	said := h.saidTo(t, chatOf("alice"))
	if len(said) != 1 || strings.Count(said[0], "\nnew: ") != 20 || !strings.HasSuffix(said[0], "\nnew: 19.md\nand 10 more\n```") {
		t.Errorf("it says %q", said)
	}
}

// While a tool runs, the author of a change is unknown, so the change is reported afterwards.
// Changes in the ledger are not reported.
func TestFileNotices_OwnChanges_AreSkipped(t *testing.T) {
	h := newNoticesHarness(t)
	in, _, err := h.db.Inbox().StoreInbound(t.Context(), supervisor.Inbound{Conversation: chatOf("alice"),
		Source: "test", Key: "1", Kind: supervisor.KindText, Text: "write"})
	if err != nil {
		t.Fatal(err)
	}
	turn, _, err := h.db.Turns().Start(t.Context(), in.ID, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = h.db.Turns().CommitStep(t.Context(), sqlite.Step{Turn: turn.ID, Message: protocol.Message{Role: protocol.RoleAssistant,
		Parts: []protocol.ContentPart{{Call: &protocol.ToolCall{ID: "c1", Name: "write_file",
			Arguments: []byte(`{}`)}}}}, Model: "offline"})
	if err != nil {
		t.Fatal(err)
	}
	h.changeFiles("new own.md", "new theirs.md")
	h.runFor(t, 15*time.Minute)
	h.wantSaid(t)
	sum := protocol.FileState(strings.Repeat("ab", 32))
	h.home.changes[1].After = string(sum)
	_, err = h.db.Turns().CommitResult(t.Context(), turn.ID, protocol.ToolResult{Call: "c1", Name: "write_file", Text: "done", Changes: []protocol.Change{
		{Kind: "write", Target: "own.md", Undo: &protocol.Undo{Path: "own.md", After: sum}}}})
	if err != nil {
		t.Fatal(err)
	}
	h.runFor(t, 30*time.Second)
	h.wantSaid(t, notice("new: theirs.md"))
	own := change("changed own.md")
	h.home.pending = []supervisor.HomeFileChange{own}
	h.runFor(t, 15*time.Minute)
	h.wantSaid(t, notice("new: theirs.md"), notice("changed: own.md"))
	if n := sqlitetest.QueryColumn(t, h.db, "SELECT count(*) FROM fire WHERE state = 'failed'"); n[0] != "0" {
		t.Errorf("%s checks failed", n[0])
	}
}

// File notices that are turned on right after a change do not report that change. They report later
// changes only.
func TestFileNotices_EarlierChange_IsNotReported(t *testing.T) {
	h := newHarness(t)
	h.changeFiles("new a.md")
	h.switchNotifications(t, "on")
	h.runFor(t, 0)
	h.changeFiles("new b.md")
	h.runFor(t, 10*time.Second)
	h.runFor(t, 20*time.Second)
	h.wantSaid(t, notice("new: b.md"))
}
