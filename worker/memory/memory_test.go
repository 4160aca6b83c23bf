package memory_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mews/protocol"
	"mews/protocol/facts"
	"mews/worker/memory"
	"mews/worker/workspace"
)

const mine = "# About me\r\n\r\nI am Al.\r\n* Takes oolong, no sugar <!-- k7 preference 0.9 2026-11-20 #4711 about tea -->\r\n  - Plays the cello\r\n" +
	"```\r\n- no fact\r\n```\r\n- Knows Go <!-- k7 expertise -->\r\n- [ ] buy milk <!-- later -->\r\nThe end"

func newHome(t *testing.T, text string) *memory.Home {
	t.Helper()
	dir := t.TempDir()
	if text != "" {
		write(t, dir, memory.MemoryFileName, text)
	}
	ws, err := workspace.Open(dir, protocol.FilePolicy{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ws.Close() })
	zone, err := time.LoadLocation("Asia/Tokyo")
	if err != nil {
		t.Fatal(err)
	}
	return &memory.Home{Files: ws, Zone: zone}
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	name = filepath.Join(dir, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
}

func textOf(t *testing.T, h *memory.Home) string {
	t.Helper()
	file, err := h.ReadMemoryFile()
	if err != nil {
		t.Fatal(err)
	}
	return file.String()
}

func fact(text string) facts.Fact {
	return facts.Fact{Text: text, Kind: "fact", Confidence: 0.9, Date: "2026-11-20", Message: 12}
}

func TestParse_HandWrittenBullet_IsFact(t *testing.T) {
	list := facts.ParseFile(mine).Facts()
	if len(list) != 4 || facts.ParseFile(mine).String() != mine {
		t.Fatalf("got %+v", list)
	}
	want := facts.Fact{ID: "k7", Text: "Takes oolong, no sugar", Kind: "preference", Confidence: 0.9,
		Date: "2026-11-20", Message: 4711, Subject: "tea", Line: 4}
	if list[0] != want {
		t.Errorf("got %+v", list[0])
	}
	if f := list[1]; f.Text != "Plays the cello" || f.Kind != "fact" || f.Confidence != 1 || f.Message != 0 ||
		f.ID[0] != 'h' || f.DescribeProvenance() != "by hand" {
		t.Errorf("got %+v", f)
	}
	if f := list[2]; f.ID[0] != 'h' || f.Kind != "expertise" {
		t.Errorf("an id that was there before is kept: %+v", f)
	}
}

func TestFactChange_OtherLines_StayUnchanged(t *testing.T) {
	h, ctx := newHome(t, mine), t.Context()
	cello, _ := facts.ParseFile(mine).FindFact(facts.ParseFile(mine).Facts()[1].ID)
	new := fact("Played the cello until 2020")
	kept, _, err := h.CorrectFact(ctx, memory.ChangeOptions{}, cello.ID, new)
	if err != nil || kept.ID != "k8" {
		t.Fatalf("%+v, %v", kept, err)
	}
	added, _, err := h.RememberFact(ctx, memory.ChangeOptions{HighestForgotten: 40},
		fact("Lives in <!-- x --> Berlin\nsince May"), false)
	if err != nil || added.ID != "k41" {
		t.Fatalf("%+v, %v", added, err)
	}
	gone, _, err := h.ForgetFacts(ctx, []string{"K7", "k99"}, func(memory.Change, []facts.Fact) error { return nil })
	if err != nil || len(gone) != 1 || gone[0].Message != 4711 {
		t.Fatalf("%+v, %v", gone, err)
	}
	want := "# About me\r\n\r\nI am Al.\r\n  - Played the cello until 2020 <!-- k8 fact 0.9 2026-11-20 #12 -->\r\n" +
		"```\r\n- no fact\r\n```\r\n- Knows Go <!-- k7 expertise -->\r\n- [ ] buy milk <!-- later -->\r\n- Lives in x Berlin since May <!-- k41 fact 0.9 2026-11-20 #12 -->\r\nThe end"
	if got := textOf(t, h); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// A fact is read back unchanged, with any text in the file and in the fact.
func TestRemember_AnyFact_IsReadBack(t *testing.T) {
	for name, c := range map[string]struct{ text, say, file string }{
		"unclosed code block":  {"# Me\n```\n- x", "Whistles", "# Me\n- Whistles <!-- k1 fact 0.9 2026-11-20 #12 -->\n```\n- x"},
		"marks within a line":  {"```a```\n", "Whistles", "```a```\n- Whistles <!-- k1 fact 0.9 2026-11-20 #12 -->\n"},
		"fences of two kinds":  {"~~~\n```\n~~~\n", "Whistles", "~~~\n```\n~~~\n- Whistles <!-- k1 fact 0.9 2026-11-20 #12 -->\n"},
		"the greatest id":      {"- Sings <!-- k999999999 fact 1 -->\n", "Whistles", "- Sings <!-- k999999999 fact 1 -->\n- Whistles <!-- k1 fact 0.9 2026-11-20 #12 -->\n"},
		"a comment of its own": {"", "x <!<!----- k7 person 1 --> y\n- z", "- x - k7 person 1 y - z <!-- k1 fact 0.9 2026-11-20 #12 -->\n"},
		"turned around":        {"", "pay \u202emallory\u2069 \x1b[2J\u2028now", "- pay mallory [2J now <!-- k1 fact 0.9 2026-11-20 #12 -->\n"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHome(t, c.text)
			for range 2 {
				if _, _, err := h.RememberFact(t.Context(), memory.ChangeOptions{}, fact(c.say), false); err != nil {
					t.Fatal(err)
				}
				if got := textOf(t, h); got != c.file {
					t.Errorf("got %q\nwant %q", got, c.file)
				}
			}
		})
	}
}

func TestRemember_SameFact_IsKeptOnce(t *testing.T) {
	h, ctx := newHome(t, ""), t.Context()
	for _, text := range []string{"Pays the rent of 950 euros on the 5th of each month", "Pays the rent of 950 euros on the 6th of each month",
		"Pays the rent of 950 Euros on the 6th of each month.", "Pays the rent for the garage too"} {
		if _, _, err := h.RememberFact(ctx, memory.ChangeOptions{}, fact(text), false); err != nil {
			t.Fatal(err)
		}
	}
	want := "- Pays the rent of 950 Euros on the 6th of each month. <!-- k1 fact 0.9 2026-11-20 #12 -->\n- Pays the rent for the garage too <!-- k2 fact 0.9 2026-11-20 #12 -->\n"
	if got := textOf(t, h); got != want {
		t.Errorf("got %q", got)
	}
}

func TestRemember_Contradiction_IsReplaced(t *testing.T) {
	for replace, want := range map[bool]string{true: "Black tea|Home: Bonn", false: "Oolong|Home: Bonn"} {
		h, ctx := newHome(t, "- Oolong <!-- k1 preference 0.9 about tea -->\n- Home: Bonn\n"), t.Context()
		black := facts.Fact{Text: "Black tea", Kind: "preference", Confidence: 1, Subject: "Tea"}
		old, found, err := h.FindContradictedFact(black)
		if err != nil || !found || old.ID != "k1" {
			t.Errorf("%+v, %t, %v", old, found, err)
		}
		told := 0
		tell := func(memory.Change) error {
			told++
			return nil
		}
		for range 2 { // runs twice, as after a crash
			if _, _, err := h.RememberFact(ctx, memory.ChangeOptions{Announce: tell}, black,
				replace); (err != nil) == replace {
				t.Errorf("replaces %t: %v", replace, err)
			}
		}
		if want := map[bool]int{true: 1}[replace]; told != want {
			t.Errorf("replaces %t: announced %d changes", replace, told)
		}
		var texts []string
		for _, f := range facts.ParseFile(textOf(t, h)).Facts() {
			texts = append(texts, f.Text)
		}
		if got := strings.Join(texts, "|"); got != want {
			t.Errorf("replaces %t: %s", replace, got)
		}
		black.Kind = "fact"
		if _, found, _ := h.FindContradictedFact(black); found {
			t.Error("one of another kind contradicts")
		}
		if _, found, _ := h.FindContradictedFact(facts.Fact{Text: "Home: Berlin", Kind: "fact"}); !found {
			t.Error("what stands before a colon is no subject")
		}
	}
}

func TestRemember_FileFull_NamesLeastUsed(t *testing.T) {
	var b strings.Builder
	for i := range protocol.MaxFacts {
		fmt.Fprintf(&b, "- Fact %x of many <!-- k%d fact 0.9 -->\n", i*7919, i+1)
	}
	h := newHome(t, b.String())
	uses := map[string]int{}
	for i := range protocol.MaxFacts {
		uses[fmt.Sprint("k", i+1)] = i % 100
	}
	_, _, err := h.RememberFact(t.Context(), memory.ChangeOptions{Uses: uses}, fact("Likes rowing"), false)
	if err == nil || !strings.Contains(err.Error(), "500 facts") || strings.Count(err.Error(), "\nk") != 5 || !strings.Contains(err.Error(), "\nk101 ") {
		t.Errorf("got %v", err)
	}
	if _, _, err := h.RememberFact(t.Context(), memory.ChangeOptions{}, fact(strings.Repeat("é", 301)),
		false); err == nil || !strings.Contains(err.Error(), "300") {
		t.Errorf("got %v", err)
	}
}

func TestRemember_AnnounceFails_WritesNothing(t *testing.T) {
	h := newHome(t, "- Oolong\n")
	down := errors.New("down")
	_, _, err := h.RememberFact(t.Context(), memory.ChangeOptions{Announce: func(c memory.Change) error {
		if c.Before != facts.FileStateOf("- Oolong\n") || c.After != facts.FileStateOf(c.Text) {
			t.Errorf("got %+v", c)
		}
		return down
	}}, fact("Likes rowing"), false)
	if !errors.Is(err, down) || textOf(t, h) != "- Oolong\n" {
		t.Errorf("%v, %q", err, textOf(t, h))
	}
}

func TestAddNote_UsesDayInUserTimeZone(t *testing.T) {
	h := newHome(t, "")
	at := time.Date(2026, 11, 20, 16, 19, 0, 0, time.UTC) // in Tokyo this is already the next day
	for range 2 {
		name, _, err := h.AddNote(context.Background(), nil, at, "Met  Ana\nat noon")
		if err != nil || name != "memory/2026-11-21.md" {
			t.Fatal(name, err)
		}
	}
	if _, _, err := h.AddNote(context.Background(), nil, at.Add(time.Minute), strings.Repeat("x", 1<<10)); err != nil {
		t.Fatal(err)
	}
	full := false
	for i := 0; i < 70 && !full; i++ {
		_, _, err := h.AddNote(context.Background(), nil, at.Add(time.Hour), strings.Repeat(fmt.Sprint(i%10), 1000+i))
		full = err != nil && strings.Contains(err.Error(), "2026-11-21.md is full")
	}
	if text, err := h.Files.Stat("memory/2026-11-21.md"); err != nil || !full || text.Size() > 64<<10 {
		t.Errorf("full %t: %v, %v", full, text.Size(), err)
	}
	notes, err := h.NotesOfDay("2026-11-21")
	if err != nil || len(notes) < 60 || notes[0] != (memory.Note{Day: "2026-11-21", Line: 1, Text: "01:19 Met Ana at noon"}) {
		t.Errorf("%+v, %v", notes, err)
	}
}

func TestRecall_AnyWordOfFact_FindsIt(t *testing.T) {
	h := newHome(t, "Prose about sailing.\n- Takes oolong, no sugar <!-- k7 preference 0.9 2026-11-20 #4711 -->\n- Ärztin: Dr. Núñez\n- Takes the tram\n- Takes the bus\n")
	for at, text := range map[string]string{"2026-01-02T10:00:00Z": "planted oolong on the balcony", "2026-01-03T10:00:00Z": "the tram was late"} {
		when, _ := time.Parse(time.RFC3339, at)
		if _, _, err := h.AddNote(t.Context(), nil, when, text); err != nil {
			t.Fatal(err)
		}
	}
	for query, want := range map[string]string{
		"what sort of oolong does she take?": "k7 Takes oolong, no sugar (preference, confidence 0.9, 2026-11-20, message #4711, MEMORY.md:2)",
		"NUNEZ":                              "Ärztin: Dr. Núñez (fact, confidence 1, by hand, MEMORY.md:3)", "balc": "19:00 planted oolong on the balcony (memory/2026-01-02.md:1)",
		"sail": "Prose about sailing. (MEMORY.md:1)", "nothing of that": "",
	} {
		hits, err := h.RecallMatches(t.Context(), map[string]string{memory.MemoryFileName: textOf(t, h)}, query)
		got := ""
		if len(hits) > 0 {
			got = hits[0].String()
		}
		if err != nil || !strings.HasSuffix(got, want) || want == "" && got != "" {
			t.Errorf("%q: %q, %v", query, got, err)
		}
	}
}

func TestMemoryPrompt_HasFactsOfMostWeight(t *testing.T) {
	var b strings.Builder
	uses := map[string]int{}
	for i := range 100 {
		fmt.Fprintf(&b, "- Fact %d %s <!-- k%d fact 0.5 -->\n", i+1, strings.Repeat("long ", 20), i+1)
	}
	b.WriteString("- Short <!-- k101 fact 0.9 -->\n")
	uses["k50"], uses["k60"] = 3, 1
	h := newHome(t, b.String())
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for day := range 3 {
		for hour := range 30 {
			text := fmt.Sprint("day ", day, " note ", hour, strings.Repeat(" and so on", 5))
			if _, _, err := h.AddNote(t.Context(), nil, now.AddDate(0, 0, -day).Add(time.Duration(hour)*time.Second*60), text); err != nil {
				t.Fatal(err)
			}
		}
	}
	texts := map[string]string{memory.MemoryFileName: textOf(t, h)}
	for _, path := range h.DailyNotePaths(now)[:2] {
		f, err := h.Files.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(f)
		if err = errors.Join(err, f.Close()); err != nil {
			t.Fatal(err)
		}
		texts[path] = string(text)
	}
	got := h.PromptText(texts, uses, now)
	if len(got) > 4<<10 {
		t.Fatalf("%d bytes", len(got))
	}
	for _, want := range []string{"(k50)\n", "(k60)\n", "- Short (k101)\n", "(86 more facts; recall finds them", "Notes of 2026-11-20:\n", "day 0 note 29"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in %s", want, got)
		}
	}
	if strings.Count(got, "(k") != 15 || strings.Contains(got, "day 2") || strings.Index(got, "(k50)") > strings.Index(got, "(k60)") {
		t.Errorf("got %s", got)
	}
	if got := newHome(t, "").PromptText(nil, nil, now); got != "" {
		t.Errorf("of nothing: %q", got)
	}
}
