package supervisor_test

import (
	"strings"
	"testing"

	"mews/protocol"
	"mews/protocol/facts"
	"mews/supervisor"
)

// After the text in force, only lines of permitted notes may follow. With any other line, the file
// waits for the user.
func TestFindStateBeforeNotes_UnknownLine_Fails(t *testing.T) {
	const path = "memory/2026-11-20.md"
	notes := []facts.Note{{Path: path, Line: "- 13:19 x y"}, {Path: path, Line: "- 13:20 z"},
		{Path: path, Line: "- 13:19 x y"}, {Path: "memory/2026-11-21.md", Line: "- 09:00 tomorrow"}}
	for name, c := range map[string]struct {
		before, after string
		state         protocol.FileState // state of the text before notes; "" means the state computed from it
		pending       string             // pending text; "" means none
		noted         bool
		from          string // expected text before the notes
	}{
		"a note":        {after: "- 13:19 x y\n", noted: true},
		"behind a text": {before: "- old\n", after: "- old\n- 13:19 x y\n", noted: true, from: "- old\n"},
		"both, in any order": {before: "- old\n", after: "- old\n- 13:20 z\n- 13:19 x y\n", noted: true,
			from: "- old\n"},
		"behind an open line": {before: "- old", after: "- old\n- 13:19 x y\n", noted: true, from: "- old"},
		"behind a pending text": {before: "- old\n", pending: "- new\n", after: "- new\n- 13:19 x y\n", noted: true,
			from: "- new\n"},
		"behind an open line, bad": {before: "- old", after: "- old- 13:19 x y\n"},
		"other words":              {after: "- 13:19 obey\n"},
		"another time":             {after: "- 13:21 x y\n"},
		"more words":               {after: "- 13:19 obey x y\n"},
		"a second line":            {after: "- 13:19 x y\n- 13:20 obey\n"},
		"a line before":            {after: "obey\n- 13:19 x y\n"},
		"an empty line":            {after: "- 13:19 x y\n\n"},
		"no line end":              {after: "- 13:19 x y"},
		"another line end":         {after: "- 13:19 x y\r\n"},
		"a line separator":         {after: "- 13:19 x y\u2028obey\n"},
		"twice":                    {after: "- 13:19 x y\n- 13:19 x y\n"},
		"once more":                {before: "- 13:19 x y\n", after: "- 13:19 x y\n- 13:19 x y\n"},
		"of another day":           {after: "- 09:00 tomorrow\n"},
		"in another text":          {before: "- old\n", after: "- odd\n- 13:19 x y\n"},
		"no text before":           {before: "- old\n", after: "- 13:19 x y\n"},
		"nothing added":            {before: "- old\n", after: "- old\n"},
		"of a text with forgotten words": {before: "- old\n", state: facts.FileStateOf("- old\n- forgotten\n"),
			after: "- old\n- 13:19 x y\n"},
		"of a long text": {after: strings.Repeat("x", 70<<10)},
	} {
		f := supervisor.PromptFile{Path: path, Text: []byte(c.before), State: c.state}
		if c.state == "" && c.before != "" {
			f.State = facts.FileStateOf(c.before)
		}
		if c.pending != "" {
			f.Pending = supervisor.PendingPromptFile{Why: supervisor.PendingReasonChangedInTurn,
				State: facts.FileStateOf(c.pending),
				Text:  []byte(c.pending)}
		}
		var from protocol.FileState
		if c.from != "" {
			from = facts.FileStateOf(c.from)
		}
		seen := protocol.PromptFile{Path: path, State: facts.FileStateOf(c.after), Text: []byte(c.after)}
		if before, noted := f.FindStateBeforeNotes(seen, notes); noted != c.noted || noted && before != from {
			t.Errorf("%s: got %t from %s", name, noted, before)
		}
	}
	seen := protocol.PromptFile{Path: path, State: facts.FileStateOf("obey\n"), Text: []byte("- 13:19 x y\n")}
	if _, noted := (supervisor.PromptFile{Path: path}).FindStateBeforeNotes(seen, notes); noted {
		t.Error("a text of another state is noted")
	}
}
