package sqlite_test

import (
	"path/filepath"
	"testing"
	"time"

	"mews/protocol"
	"mews/protocol/facts"
	"mews/supervisor"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
)

// Changes by hand before and after a check's command are in force at once. Changes during the
// command wait. If the command's end was not reported, later changes wait too, until a turn that
// started after the command's time.
func TestPromptFile_ChangedDuringCheck_Waits(t *testing.T) {
	const before, during, after = "before", "during", "after"
	for name, c := range map[string]struct {
		change       string        // when AGENTS.md changes
		lost         bool          // the worker ends before the report after the command
		programs     bool          // a program still runs at the report after the command
		checkedAgain bool          // another check runs before the turn
		later        time.Duration // when a turn with the old text starts; 0 means that there is no such turn
		waits        bool
	}{
		"before":                      {change: before},
		"during":                      {change: during, waits: true},
		"after":                       {change: after},
		"during, checked again":       {change: during, checkedAgain: true, waits: true},
		"after, checked again":        {change: after, checkedAgain: true},
		"before, lost":                {change: before, lost: true},
		"during, lost":                {change: during, lost: true, waits: true},
		"during, lost, checked again": {change: during, lost: true, checkedAgain: true, waits: true},
		"after, lost":                 {change: after, lost: true, waits: true},
		"after, lost, a turn":         {change: after, lost: true, later: time.Minute, waits: true},
		"after, lost, a late turn":    {change: after, lost: true, later: 4 * time.Minute},
		"after, a program runs":       {change: after, programs: true, waits: true},
	} {
		now := time.UnixMilli(1_800_000_000_000)
		db := sqlitetest.OpenPath(t, filepath.Join(t.TempDir(), "mews.db"),
			sqlite.Options{Now: func() time.Time { now = now.Add(time.Millisecond); return now }})
		d := &notesStory{T: t, db: db, texts: map[string]string{"AGENTS.md": "old"}}
		d.nextTurn("first")
		d.reportDays()
		d.nextTurn("second")
		d.reportDays()
		if _, err := db.Turns().Finish(t.Context(), sqlite.TurnEnding{Turn: d.turn.ID, Why: protocol.TurnEndDone,
			State: supervisor.InboundAnswered, Text: "hello"}); err != nil {
			t.Fatal(err)
		}
		d.turn.ID = 0
		change := func(at string) {
			if at == c.change {
				d.texts["AGENTS.md"] = at
			}
		}
		check := func(r protocol.PromptFileReport) {
			text := d.texts["AGENTS.md"]
			r.Files = []protocol.PromptFile{{Path: "AGENTS.md", Inspected: true, Text: []byte(text),
				State: facts.FileStateOf(text)}}
			if _, _, err := db.PromptFiles().StoreReport(t.Context(), supervisor.PromptFileReport{PromptFileReport: r,
				User: "alice", First: !r.End, Private: supervisor.Conversation{User: "alice",
					Channel: supervisor.ChannelTerminal}}); err != nil {
				t.Fatal(err)
			}
		}
		change(before)
		check(protocol.PromptFileReport{})
		change(during)
		if !c.lost {
			check(protocol.PromptFileReport{End: true, Programs: c.programs})
		}
		if c.later > 0 {
			now = now.Add(c.later)
			d.nextTurn("third")
			d.reportDays()
			d.nextTurn("fourth")
			d.reportDays()
		}
		change(after)
		if c.checkedAgain {
			check(protocol.PromptFileReport{})
			check(protocol.PromptFileReport{End: true})
		}
		d.nextTurn("last")
		if text, waits := d.reportDays()["AGENTS.md"]; waits != c.waits || waits && text != "old" {
			t.Errorf("%s: waits %t, and in force is %q", name, waits, text)
		}
		cards := sqlitetest.QueryColumn(t, db, "SELECT count(*) FROM prompt_file WHERE pending_why = 'turn'")
		if want := map[bool]string{true: "1", false: "0"}[c.waits]; cards[0] != want {
			t.Errorf("%s: %s files wait, want %s", name, cards[0], want)
		}
	}
}
