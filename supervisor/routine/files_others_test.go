package routine

import (
	"strings"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor"
)

// A file in its recorded state was changed by the user's own turns. The same holds for a file whose
// state was not recorded when a program ended.
func TestFileChange_InLedger_IsByOwnTurn(t *testing.T) {
	one, two := protocol.FileState(strings.Repeat("1a", 32)), protocol.FileState(strings.Repeat("2b", 32))
	at, size := noon, int64(12)
	file := func(path string, state protocol.FileState) supervisor.HomeFileChange {
		return supervisor.HomeFileChange{Path: path, Before: "?", After: string(state), Size: size, Modified: at}
	}
	gone := func(path string) supervisor.HomeFileChange {
		return supervisor.HomeFileChange{Path: path, Before: "?", After: supervisor.FileStateMissing,
			Modified: time.Unix(0, 0)}
	}
	effect := func(kind string, u protocol.Undo) supervisor.FileEffect {
		return supervisor.FileEffect{Kind: kind, Target: u.Path, Change: &supervisor.FileChange{Undo: u}, At: at}
	}
	wrote := effect("write", protocol.Undo{Path: "a", After: one})
	moved := effect("move", protocol.Undo{Path: "a", To: "d/b", Before: one})
	folder := effect("move", protocol.Undo{Path: "d", To: "e", Before: protocol.FileStateFolder})
	by := func(path string, after protocol.FileState) supervisor.FileEffect {
		return effect("program", protocol.Undo{Path: path, After: after, Obstacle: protocol.ObstacleProgramChange})
	}
	ran := supervisor.FileEffect{Kind: "run", Target: "make", At: at}
	more := supervisor.FileEffect{Kind: "program", Target: "5 more files", At: at}
	for name, c := range map[string]struct {
		effects []supervisor.FileEffect
		change  supervisor.HomeFileChange
		others  bool
	}{
		"empty ledger":                   {nil, file("a", one), true},
		"written by a turn":              {[]supervisor.FileEffect{wrote}, file("a", one), false},
		"changed after a turn":           {[]supervisor.FileEffect{wrote}, file("a", two), true},
		"deleted after a turn":           {[]supervisor.FileEffect{wrote}, gone("a"), true},
		"another file":                   {[]supervisor.FileEffect{wrote}, file("b", one), true},
		"source of a move":               {[]supervisor.FileEffect{wrote, moved}, gone("a"), false},
		"target of a move":               {[]supervisor.FileEffect{wrote, moved}, file("d/b", one), false},
		"new file at a source of a move": {[]supervisor.FileEffect{wrote, moved}, file("a", two), true},
		"deleted": {[]supervisor.FileEffect{effect("delete",
			protocol.Undo{Path: "a", Before: one})}, gone("a"), false},
		"in the source of a moved folder": {[]supervisor.FileEffect{folder}, gone("d/x/y"), false},
		"in the target of a moved folder": {[]supervisor.FileEffect{folder}, file("e/x/y", one), false},
		"beside a moved folder":           {[]supervisor.FileEffect{folder}, file("ex", one), true},
		"written by a program": {[]supervisor.FileEffect{ran, by("a", protocol.LargeFileState(size, at))},
			file("a", one), false},
		"just written by a program": {[]supervisor.FileEffect{ran,
			by("a", protocol.LargeFileState(size, at.Add(1)))}, file("a", one), false},
		"too large for a hash": {[]supervisor.FileEffect{wrote},
			file("a", protocol.LargeFileState(1<<21, at)), false},
		"large, written by a program": {[]supervisor.FileEffect{ran, by("a", protocol.LargeFileState(1<<21, at))},
			file("a", protocol.LargeFileState(1<<21, at)), false},
		"changed after a program": {[]supervisor.FileEffect{ran,
			by("a", protocol.LargeFileState(size, at.Add(-time.Second)))}, file("a", one), true},
		"perhaps deleted by a program":        {[]supervisor.FileEffect{ran}, gone("a"), false},
		"beyond the named files of a program": {[]supervisor.FileEffect{ran, more}, file("z", one), false},
		"changed after a program with unnamed files": {[]supervisor.FileEffect{ran, more},
			supervisor.HomeFileChange{Path: "z", After: "x", Modified: at.Add(1)}, true},
		"content not kept": {[]supervisor.FileEffect{effect("edit",
			protocol.Undo{Path: "a", Obstacle: "its bytes were not kept"})}, file("a", one), false},
		"no recorded change": {[]supervisor.FileEffect{{Kind: "append", Target: "a"}}, file("a", one),
			false},
		"fact forgotten": {[]supervisor.FileEffect{{Kind: supervisor.EffectFactForgotten,
			Target: "fact forgotten"}}, file("MEMORY.md", one), false},
		"MEMORY.md, without a fact": {nil, file("MEMORY.md", one), true},
		"notes of a day":            {nil, file("memory/2026-03-27.md", one), false},
		"log of a day":              {nil, file("logs/2026-03-27.md", one), false},
		"upload":                    {nil, file("uploads/2026-03-27/a.txt", one), false},
		"file named like a folder":  {nil, file("uploads", one), true},
	} {
		if got := ledgerOf(c.effects).byOthers(c.change); got != c.others {
			t.Errorf("%s: by others: %t", name, got)
		}
	}
}

func TestFilesText_NameWithMarkup_ShowsItAsText(t *testing.T) {
	got := filesText([]supervisor.HomeFileChange{{Path: "```\n*x*\x1b[2J", Before: "x", After: "y"}})
	if want := "Changed in your folder by others:\n````\nchanged: ```*x*[2J\n````"; got != want {
		t.Errorf("it says %q", got)
	}
}
