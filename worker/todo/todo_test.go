package todo_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mews/worker/todo"
)

var now = time.Date(2026, 11, 30, 10, 15, 0, 0, time.UTC)

// folderbot is a list as Folderbot writes it.
const folderbot = `# Todos

- [ ] Buy groceries +shopping +errands
  effort: small
  Milk and eggs.
  <!-- id:1 user:42 created:2026-02-19T10:00:00 updated:2026-02-19T10:00:00 -->

- [x] Write report +work
  effort: large
  Quarterly report.
  <!-- id:2 user:42 created:2026-02-18T08:00:00 updated:2026-02-19T12:00:00 completed:2026-02-19T12:00:00 -->
`

func to[T any](v T) *T { return &v }

func TestParse_Folderbot_HasEachField(t *testing.T) {
	items := todo.Parse(folderbot).Items()
	want := []todo.Item{
		{Key: "1", Title: "Buy groceries", Description: "Milk and eggs.", Status: todo.StatusTodo, Effort: "small",
			Tags: []string{"shopping", "errands"}, Created: "2026-02-19T10:00:00", Line: 3},
		{Key: "2", Title: "Write report", Description: "Quarterly report.", Status: todo.StatusDone, Effort: "large",
			Tags: []string{"work"}, Created: "2026-02-18T08:00:00", Completed: "2026-02-19T12:00:00", Line: 8},
	}
	if len(items) != 2 {
		t.Fatalf("got %+v", items)
	}
	for n := range want {
		if !equal(items[n], want[n]) {
			t.Errorf("got  %+v\nwant %+v", items[n], want[n])
		}
	}
}

func equal(a, b todo.Item) bool {
	tags := slices.Equal(a.Tags, b.Tags)
	a.Tags, b.Tags = nil, nil
	return tags && a.Key == b.Key && a.Title == b.Title && a.Description == b.Description && a.Status == b.Status &&
		a.Effort == b.Effort && a.Due == b.Due && a.Created == b.Created &&
		a.Completed == b.Completed && a.Line == b.Line
}

// goldenEdits are edits of testdata/NAME.md, whose result is testdata/NAME.EDIT.md.
var goldenEdits = map[string]func(f *todo.File) error{
	"folderbot.done": func(f *todo.File) error {
		_, _, err := f.Update("1", todo.Change{Status: to(todo.StatusDone)}, now)
		return err
	},
	"folderbot.reopen": func(f *todo.File) error {
		_, _, err := f.Update("2", todo.Change{Status: to(todo.StatusInProgress)}, now)
		return err
	},
	"folderbot.due": func(f *todo.File) error {
		_, _, err := f.Update("1", todo.Change{Due: to("2026-12-01")}, now)
		return err
	},
	"folderbot.all": func(f *todo.File) error {
		_, _, err := f.Update("1", todo.Change{Title: to("Buy food +week"),
			Description: to("Bread.\n\n- [ ] rye\n  dark"),
			Effort:      to("medium"), Tags: to([]string{"shopping"}), Due: to("2026-12-01T15:30")}, now)
		return err
	},
	"folderbot.add": func(f *todo.File) error {
		_, _, err := f.Add(todo.Change{Title: to("Call the dentist +health due:2026-12-03"), Effort: to("tiny"),
			Description: to("About Thursday.")}, now)
		return err
	},
	"folderbot.remove": func(f *todo.File) error {
		_, err := f.Remove("2")
		return err
	},
	"byhand.done": func(f *todo.File) error {
		for _, item := range f.Items() {
			if item.Title == "Water the plants" {
				_, _, err := f.Update(item.Key, todo.Change{Status: to(todo.StatusDone)}, now)
				return err
			}
		}
		return todo.ErrNotFound
	},
	"byhand.remove": func(f *todo.File) error {
		_, err := f.Remove("7")
		return err
	},
	"byhand.crlf": func(f *todo.File) error {
		_, _, err := f.Update("8", todo.Change{Effort: to("epic"), Description: to("One.\nTwo.")}, now)
		return err
	},
	"byhand.inline": func(f *todo.File) error {
		_, _, err := f.Update("9", todo.Change{Due: to("2026-12-24"), Tags: to([]string{"home"})}, now)
		return err
	},
	"empty.add": func(f *todo.File) error {
		_, _, err := f.Add(todo.Change{Title: to("Buy milk")}, now)
		return err
	},
}

func TestEdit_Golden_ChangesOnlyItsItem(t *testing.T) {
	for name, edit := range goldenEdits {
		before, _, _ := strings.Cut(name, ".")
		f := todo.Parse(read(t, before))
		if f.String() != read(t, before) {
			t.Errorf("%s: parsing changes the text", before)
		}
		if err := edit(f); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if os.Getenv("UPDATE_TODO_GOLDEN") != "" {
			_ = os.WriteFile(filepath.Join("testdata", name+".md"), []byte(f.String()), 0o600)
		}
		if want := read(t, name); f.String() != want {
			t.Errorf("%s: got\n%q\nwant\n%q", name, f.String(), want)
		}
	}
	if read(t, "folderbot") != folderbot {
		t.Error("testdata/folderbot.md is not the list of the tests")
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name+".md"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestAdd_OpenItemWithSameWords_AddsNothing(t *testing.T) {
	f := todo.Parse(folderbot)
	c := todo.Change{Title: to("Buy groceries +shopping +errands"), Description: to("Milk and eggs."),
		Effort: to("small")}
	if item, added, err := f.Add(c, now); err != nil || added || item.Key != "1" || f.String() != folderbot {
		t.Errorf("got %+v, %t, %v", item, added, err)
	}
	c = todo.Change{Title: to("Write report +work"), Description: to("Quarterly report."), Effort: to("large")}
	if item, added, err := f.Add(c, now); err != nil || !added || item.Key != "3" {
		t.Errorf("a done one: got %+v, %t, %v", item, added, err)
	}
}

func TestUpdate_SameValues_ChangesNoByte(t *testing.T) {
	f := todo.Parse(folderbot)
	c := todo.Change{Status: to(todo.StatusTodo), Effort: to("small"), Due: to(""), Title: to("Buy  groceries")}
	if _, changed, err := f.Update("1", c, now); err != nil || changed || f.String() != folderbot {
		t.Errorf("changed %t, %v:\n%s", changed, err, f)
	}
}

func TestEdit_BadValue_IsRefused(t *testing.T) {
	for name, c := range map[string]todo.Change{
		"no title":        {Title: to(" \n ")},
		"only tags":       {Title: to("+a +b")},
		"long title":      {Title: to(strings.Repeat("x", 301))},
		"long text":       {Description: to(strings.Repeat("x", 4001))},
		"comment":         {Description: to("a <!-- b")},
		"comment's end":   {Description: to("a --> b")},
		"effort in text":  {Description: to("a\neffort: small")},
		"due in text":     {Description: to("due: 2026-12-01")},
		"zero byte":       {Description: to("a\x00")},
		"unknown effort":  {Effort: to("huge")},
		"unknown status":  {Status: to(todo.Status("later"))},
		"tag of words":    {Tags: to([]string{"a b"})},
		"empty tag":       {Tags: to([]string{"+"})},
		"words as a date": {Due: to("tomorrow")},
		"no such day":     {Due: to("2026-02-30")},
	} {
		f := todo.Parse(folderbot)
		if _, _, err := f.Update("1", c, now); err == nil || f.String() != folderbot {
			t.Errorf("%s: got %v", name, err)
		}
	}
	f := todo.Parse(folderbot)
	if _, _, err := f.Update("3", todo.Change{}, now); err != todo.ErrNotFound {
		t.Errorf("got %v", err)
	}
	if _, err := f.Remove("h123456"); err != todo.ErrNotFound {
		t.Errorf("got %v", err)
	}
}

func TestParse_NoItems_AreSkipped(t *testing.T) {
	for name, text := range map[string]string{
		"code":           "```\n- [ ] a\n```\n",
		"tilde code":     "~~~ md\n- [ ] a\n~~~\n",
		"comment":        "<!--\n- [ ] a\n-->\n",
		"other box":      "- [?] a\n",
		"no box":         "- a\n",
		"wide box":       "- [  ] a\n",
		"no space":       "-[ ] a\n",
		"glued":          "- [ ]a\n",
		"indented code":  "    - [ ] a\n",
		"plain text":     "a\n\nb\n",
		"numbered":       "1. [ ] a\n",
		"end of a line":  "-",
		"box at the end": "- [",
	} {
		if items := todo.Parse(text).Items(); len(items) != 0 {
			t.Errorf("%s: got %+v", name, items)
		}
	}
}

func TestParse_ByHand_HasStableKeys(t *testing.T) {
	text := "- [ ] Call mum\n- [ ] Call mum\n- [ ] Tea +x due:soon\n\n- [ ] Late +49 due:2026-12-01\n"
	items := todo.Parse(text).Items()
	if len(items) != 4 || items[0].Key == items[1].Key || items[0].Key+"-2" != items[1].Key ||
		items[2].Title != "Tea due:soon" || items[3].Title != "Late +49" || items[3].Due != "2026-12-01" {
		t.Fatalf("got %+v", items)
	}
	again := todo.Parse("- [ ] Another\n" + text).Items()
	for n := range items {
		if again[n+1].Key != items[n].Key {
			t.Errorf("item %d: got %s, want %s", n, again[n+1].Key, items[n].Key)
		}
	}
}

func TestSelect_Filter_FindsItems(t *testing.T) {
	items := todo.Parse(folderbot + `
- [~] Paint the door +home
  due: 2026-12-05
  <!-- id:3 -->
- [ ] Pay the rent
  due: 2026-12-01 12:00
  effort: tiny
  <!-- id:4 -->
`).Items()
	for name, c := range map[string]struct {
		filter todo.Filter
		want   string
	}{
		"open, due first": {todo.Filter{}, "4 3 1"},
		"done":            {todo.Filter{Status: todo.StatusDone}, "2"},
		"begun":           {todo.Filter{Status: todo.StatusInProgress}, "3"},
		"short":           {todo.Filter{MaxEffort: "small"}, "4 1"},
		"tag":             {todo.Filter{Tag: "+Home"}, "3"},
		"words":           {todo.Filter{Text: "EGGS groceries"}, "1"},
		"soon":            {todo.Filter{DueBefore: "2026-12-02"}, "4"},
		"none":            {todo.Filter{Text: "none"}, ""},
	} {
		var keys []string
		for _, i := range todo.Select(items, c.filter) {
			keys = append(keys, i.Key)
		}
		if got := strings.Join(keys, " "); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

func TestDueTime_Zone_HasItsHour(t *testing.T) {
	zone, err := time.LoadLocation("Europe/Madrid")
	if err != nil {
		t.Fatal(err)
	}
	at, day, ok := todo.Item{Due: "2026-12-01"}.DueTime(zone)
	if !ok || !day || at.UTC().Format(time.RFC3339) != "2026-11-30T23:00:00Z" {
		t.Errorf("got %s, %t, %t", at, day, ok)
	}
	at, day, ok = todo.Item{Due: "2026-12-01 15:00"}.DueTime(zone)
	if !ok || day || at.UTC().Format(time.RFC3339) != "2026-12-01T14:00:00Z" {
		t.Errorf("got %s, %t, %t", at, day, ok)
	}
	if _, _, ok := (todo.Item{}).DueTime(zone); ok {
		t.Error("an item without a due date is due")
	}
}

func TestAdd_BlockWithoutEnd_IsRefused(t *testing.T) {
	for _, text := range []string{"```\ncode\n", "<!-- note\n"} {
		if _, _, err := todo.Parse(text).Add(todo.Change{Title: to("a")}, now); err == nil {
			t.Errorf("%q: no error", text)
		}
	}
}

// BenchmarkTodoEdit ticks one of 2,000 items. The goal is 5 ms.
func BenchmarkTodoEdit(b *testing.B) {
	text := "# Todos\n"
	for n := range 2000 {
		text += fmt.Sprintf("\n- [ ] Call number %d +work\n  effort: small\n  Words about it.\n"+
			"  <!-- id:%d user:42 created:2026-02-19T10:00:00 updated:2026-02-19T10:00:00 -->\n", n, n+1)
	}
	for b.Loop() {
		f := todo.Parse(text)
		if _, _, err := f.Update("1000", todo.Change{Status: to(todo.StatusDone)}, now); err != nil {
			b.Fatal(err)
		}
	}
}
