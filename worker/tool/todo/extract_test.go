package todo_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mews/protocol"
	"mews/worker"
	"mews/worker/filehistory"
	"mews/worker/host/hosttest"
	"mews/worker/tool/todo"
	"mews/worker/workspace"
)

// fakeSearch is a supervisor that knows seen sections. The user accepts everything that is not in
// refused.
type fakeSearch struct {
	seen     map[string]bool
	finds    map[string]protocol.FoundTodo // what the model finds, by a word of the section's text
	refused  string                        // a title that the user does not want
	asked    []protocol.TodoExtractParams
	waits    bool  // the user has not answered
	seenFail error // why todo.sections fails with Seen
	kept     *protocol.TodoExtractResult
}

func (s *fakeSearch) answers() hosttest.Answers {
	return hosttest.Answers{
		protocol.MethodTodoSections: hosttest.NewAnswer(func(_ context.Context, p protocol.TodoSectionsParams) (
			r protocol.TodoSectionsResult, err error) {
			if err := p.Validate(); err != nil {
				return r, err
			}
			if p.Seen {
				for _, d := range p.Digests {
					s.seen[d] = s.seenFail == nil
				}
				return r, s.seenFail
			}
			r.Begun = s.kept != nil
			for n, d := range p.Digests {
				if !s.seen[d] {
					r.New = append(r.New, n)
				}
			}
			return r, nil
		}),
		protocol.MethodTodoExtract: hosttest.NewAnswer(s.extract),
	}
}

func (s *fakeSearch) extract(_ context.Context, p protocol.TodoExtractParams) (r protocol.TodoExtractResult,
	err error) {
	if err := p.Validate(); err != nil {
		return r, err
	}
	if s.kept != nil {
		return *s.kept, nil
	}
	s.asked = append(s.asked, p)
	if s.waits {
		return r, &protocol.Error{Code: protocol.CodeWaitsForUser}
	}
	all := slices.Clone(p.Boxes)
	for _, b := range p.Boxes {
		r.Seen = append(r.Seen, b.Digest)
	}
	for _, part := range p.Sections {
		r.Seen, r.Read = append(r.Seen, part.Digest), r.Read+1
		for word, t := range s.finds {
			if strings.Contains(part.Text, word) {
				t.Path, t.Line = part.Path, part.Line
				all = append(all, t)
			}
		}
	}
	r.Found = len(all)
	for _, t := range all {
		if t.Title != s.refused {
			r.Add = append(r.Add, t)
		}
	}
	return r, nil
}

func newSearch() *fakeSearch {
	return &fakeSearch{seen: map[string]bool{}, finds: map[string]protocol.FoundTodo{}}
}

func (r *rig) note(name, text string) {
	r.Helper()
	path := filepath.Join(r.home, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		r.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		r.Fatal(err)
	}
}

// extract calls todo_extract.
func (r *rig) extract(s *fakeSearch, history *filehistory.History, globs ...string) (worker.Result, error) {
	arguments, err := json.Marshal(map[string]any{"globs": globs})
	if err != nil {
		r.Fatal(err)
	}
	tool := todo.ExtractTools(r.list, s.answers(), history)[0]
	return tool.Run(r.Context(), worker.Call{ID: "c", Arguments: arguments, Progress: func(string) {}})
}

const tripNote = `# Trip

We fly on Friday. I must call the bank before.

- [ ] Book a hotel +travel
  Near the sea.
- [x] Buy tickets

## Ideas

Perhaps a walk along the sea.
`

func TestExtract_BoxesAndProse_GoOnList(t *testing.T) {
	r, s := newRig(t, ""), newSearch()
	s.finds["bank"] = protocol.FoundTodo{Title: "Call the bank", Due: "2026-12-04", Effort: "tiny"}
	s.refused = "Nothing"
	r.note("notes/my trip.md", tripNote)
	got, err := r.extract(s, nil, "notes")
	if err != nil {
		t.Fatal(err)
	}
	want := "On the list: 1 [ ] Book a hotel +travel; Near the sea. (notes/my trip.md:5)\n" +
		"On the list: 2 [ ] Call the bank; due 2026-12-04; effort tiny (notes/my trip.md:3)"
	if got.Text != want || len(got.Changes) != 1 {
		t.Errorf("got %q, %+v", got.Text, got.Changes)
	}
	if text := r.text(); !strings.Contains(text, " source:notes/my%20trip.md#5 found:") ||
		!strings.Contains(text, " was:todo -->\n") {
		t.Errorf("the list is\n%s", text)
	}
	before := r.text()
	for range 2 {
		got, err = r.extract(s, nil)
		if want := "No new to-do in 1 file; 0 sections were read by a model."; got.Text != want || err != nil {
			t.Errorf("again: got %q, %v", got.Text, err)
		}
	}
	if len(s.asked) != 1 || r.text() != before || len(s.asked[0].Sections) != 2 {
		t.Errorf("asked %d times; the list is\n%s", len(s.asked), r.text())
	}
}

func TestExtract_ChangedBox_ChangesStatus(t *testing.T) {
	r, s := newRig(t, ""), newSearch()
	r.note("a.md", "- [ ] One\n- [ ] Two\n")
	if _, err := r.extract(s, nil); err != nil {
		t.Fatal(err)
	}
	r.note("a.md", "more words before it\n\n- [x] One\n- [ ] Two\n- [x] Three\n")
	got, err := r.extract(s, nil, "*.md")
	if want := "Changed as its box: 1 [x] One (a.md:3)\n"; err != nil || !strings.HasPrefix(got.Text, want) {
		t.Errorf("got %q, %v", got.Text, err)
	}
	if len(s.asked) != 2 || len(s.asked[1].Boxes) != 0 {
		t.Errorf("asked %+v", s.asked)
	}
	// what the user does in the list stays, while the box does not change
	if _, err := r.run("todo_update", `{"id":"2","status":"done"}`); err != nil {
		t.Fatal(err)
	}
	before := r.text()
	if _, err := r.extract(s, nil); err != nil || r.text() != before {
		t.Errorf("got %v\n%s", err, r.text())
	}
}

// TestExtract_KilledAfterAdding_AddsOnce also covers a wait for the user.
func TestExtract_KilledAfterAdding_AddsOnce(t *testing.T) {
	r, s := newRig(t, ""), newSearch()
	r.note("a.md", "- [ ] One\n\nPlease call the bank.\n")
	s.finds["bank"] = protocol.FoundTodo{Title: "Call the bank"}
	s.waits = true
	var waits *protocol.Error
	if _, err := r.extract(s, nil); !errors.As(err, &waits) || waits.Code != protocol.CodeWaitsForUser {
		t.Fatalf("got %v", err)
	}
	s.waits, s.seenFail = false, errors.New("killed")
	if _, err := r.extract(s, nil); err == nil {
		t.Fatal("no error")
	}
	before := r.text()
	s.kept = &protocol.TodoExtractResult{Found: 2, Read: 1, Seen: []string{strings.Repeat("a", 24)},
		Add: append(s.asked[1].Boxes, protocol.FoundTodo{Title: "Call the bank", Path: "a.md", Line: 3})}
	s.seenFail = nil
	r.note("a.md", "All is changed now.\n")
	got, err := r.extract(s, nil)
	want := "On the list: 1 [ ] One (a.md:1)\nOn the list: 2 [ ] Call the bank (a.md:3)"
	if err != nil || got.Text != want || r.text() != before || !s.seen[strings.Repeat("a", 24)] {
		t.Errorf("got %q, %v\n%s", got.Text, err, r.text())
	}
}

func TestExtract_ChangedSection_HasOldText(t *testing.T) {
	r, s := newRig(t, ""), newSearch()
	folder, err := os.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	ws, err := workspace.Open(r.home, protocol.FilePolicy{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ws.Close() })
	history, err := filehistory.Open(filehistory.Options{Folder: folder, Home: ws, Room: 1 << 30, Now: time.Now,
		Report: func(err error) { t.Error(err) }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = history.Close() })
	for _, text := range []string{"# Plan\n\nWrite the old letter.\n",
		"# Plan\n\nWrite the new letter.\n\n# More\n\nAnd some other words.\n"} {
		r.note("plan.md", text)
		if err := history.Scan(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := r.extract(s, history); err != nil {
			t.Fatal(err)
		}
	}
	got := s.asked[1].Sections
	if len(got) != 2 || got[0].Old != "Write the old letter." || got[0].Text != "Write the new letter." ||
		got[1].Old != "" || got[1].Line != 7 {
		t.Errorf("got %+v", got)
	}
}

func TestExtract_BadCall_SaysWhatToDo(t *testing.T) {
	r, s := newRig(t, ""), newSearch()
	r.note("a.txt", "- [ ] One\n")
	r.note(".hidden/a.md", "- [ ] One\n")
	for globs, want := range map[string]string{
		"*.md": `find to-dos: no Markdown file matches ["*.md"]`,
		"[":    `find to-dos: glob "[" is not valid; write one such as notes/**/*.md`,
	} {
		if _, err := r.extract(s, nil, globs); err == nil || err.Error() != want {
			t.Errorf("%s: got %v", globs, err)
		}
	}
	for n := range protocol.MaxTodoFiles + 5 {
		r.note(fmt.Sprintf("n/%03d.md", n), fmt.Sprintf("- [ ] Number %d\n", n))
	}
	r.note("n/b.md", "caf\xe9\n")
	got, err := r.extract(s, nil)
	if err != nil || len(s.asked[0].Boxes) != protocol.MaxTodoBoxes ||
		!strings.Contains(got.Text, "boxes are left for another call.\n6 older files were not read, because a call "+
			"reads 100; give narrower globs.\n1 file could not be read as text of at most 1 MiB.") {
		t.Errorf("got %q, %v", got.Text, err)
	}
}

// FuzzExtract searches any text, adds all that is found, and searches again. Nothing is found twice.
func FuzzExtract(f *testing.F) {
	f.Add(tripNote)
	f.Add("- [ ] a\n  <!-- id:1 -->\n- [ ] a +b due:2026-12-01\n```\n- [ ] c\n")
	f.Add("# a\n# a\nb c d\n---\n\n- [~] x -->\n\r\n- [ ] \u2028y\x00")
	f.Fuzz(func(t *testing.T, text string) {
		r, s := newRig(t, ""), newSearch()
		r.note("a.md", text)
		for range 30 {
			before := len(s.asked)
			if _, err := r.extract(s, nil); err != nil {
				if strings.Contains(err.Error(), "no Markdown file") {
					return // it is no text
				}
				t.Fatal(err)
			}
			if len(s.asked) == before {
				return
			}
			for _, part := range s.asked[before].Sections {
				line := strings.Split(text, "\n")
				first, _, _ := strings.Cut(part.Text, "\n")
				if part.Line > len(line) || !strings.Contains(strings.ReplaceAll(line[part.Line-1], "\r", ""), first) &&
					len(text) < 3000 && !strings.Contains(text, "\r") {
					t.Errorf("line %d of %q is not %q", part.Line, text, first)
				}
			}
		}
		if strings.Count(text, "[") < 30*protocol.MaxTodoBoxes && len(text) < 30_000 {
			t.Errorf("%q is searched again and again", text)
		}
	})
}

// BenchmarkExtract_10000UnchangedSections searches 100 files of 100 sections each. No model is
// called. The goal is 150 ms.
func BenchmarkExtract_10000UnchangedSections(b *testing.B) {
	home := b.TempDir()
	for n := range protocol.MaxTodoFiles {
		text := ""
		for m := range 100 {
			text += fmt.Sprintf("# Section %d\n\nSome words about number %d, of which nothing is to be done.\n\n"+
				"- [x] Done %d\n\nMore words, %s.\n\n", m, m, m, strings.Repeat("and more ", 30))
		}
		if err := os.WriteFile(filepath.Join(home, fmt.Sprintf("%d.md", n)), []byte(text), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	ws, err := workspace.Open(home, protocol.FilePolicy{})
	if err != nil {
		b.Fatal(err)
	}
	defer ws.Close()
	s := newSearch()
	tool := todo.ExtractTools(todo.NewList(ws, time.Now, time.UTC), s.answers(), nil)[0]
	call := worker.Call{ID: "c", Arguments: json.RawMessage(`{}`), Progress: func(string) {}}
	search := func() {
		if _, err := tool.Run(b.Context(), call); err != nil {
			b.Fatal(err)
		}
	}
	for before := -1; before != len(s.asked); {
		before = len(s.asked)
		search()
	}
	sections := 0
	for _, p := range s.asked {
		sections += len(p.Sections)
	}
	if sections != 10_000 {
		b.Fatalf("%d sections", sections)
	}
	asked := len(s.asked)
	for b.Loop() {
		search()
	}
	if len(s.asked) != asked {
		b.Fatal("a model was called")
	}
}
