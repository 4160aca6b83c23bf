package index

import (
	"slices"
	"strings"
	"testing"
	"time"

	"mews/protocol"
)

// Scripts without spaces are found by pairs of letters anywhere in a sentence. Accents and case
// make no difference.
func TestSearch_AllWritingSystems_AreFound(t *testing.T) {
	for text, want := range map[string]string{
		"Küche, ÉTÉ & Straße":              "kuche ete strasse",
		"cafe\u0301 Ёлка йод":              "cafe елка иод",
		"東京都に行く":                           "東京 京都 都に に行 行く",
		"a\x00b\xff 100%":                  "a b 100",
		strings.Repeat("x", 100):           strings.Repeat("x", longestWord),
		"👍 \"AND\" NEAR(a b) col:x* - ^":   "and near a b col x",
		"notes/garden/2026-03-tomatoes.md": "notes garden 2026 03 tomatoes md",
	} {
		if got := ftsText(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// A search can be narrowed by speaker, conversation, time and source.
func TestSearch_Filters_NarrowHits(t *testing.T) {
	r := newRig(t, "alice").run()
	mine := r.putMessage("alice", protocol.RoleUser, "tomatoes in 東京都 one")
	said := r.putMessage("alice", protocol.RoleAssistant, "tomatoes two")
	r.put("alice", file("a.md", "Three\ntomatoes"))
	at := time.Unix(mine, 0)
	for name, c := range map[string]struct {
		q    Query
		want []int64
	}{
		"all":          {Query{}, []int64{0, mine, said}},
		"person":       {Query{Who: "person"}, []int64{mine}},
		"assistant":    {Query{Who: "assistant"}, []int64{said}},
		"transcript":   {Query{Scope: ScopeTranscript}, []int64{mine, said}},
		"home":         {Query{Scope: ScopeHome}, []int64{0}},
		"conversation": {Query{Conversation: 1}, []int64{mine, said}},
		"another":      {Query{Conversation: 2}, nil},
		"dates":        {Query{From: at, To: at.Add(time.Second)}, []int64{mine}},
		"limit":        {Query{Limit: 1, Scope: ScopeTranscript}, []int64{said}},
	} {
		c.q.User, c.q.Text = "alice", "tomato"
		var got []int64
		for _, h := range r.search(c.q) {
			got = append(got, h.Message)
		}
		if slices.Sort(got); !slices.Equal(got, c.want) {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
	if got := r.searchTexts("alice", "京都"); len(got) != 1 {
		t.Errorf("a pair in the middle of a sentence: %q", got)
	}
}

// Of two equally good hits, the newer hit comes first. It never comes before a better hit.
func TestRank_NewHit_StaysBelowBetterHit(t *testing.T) {
	now := time.Date(2026, 11, 16, 0, 0, 0, 0, time.UTC)
	terms := termsOf("blue garden shed")
	for i := range terms {
		terms[i].weight = 5
	}
	hits := []Hit{{Text: "the garden is blue", At: now}, {Text: "the shed in the garden is blue", At: now.AddDate(-9, 0, 0)},
		{Text: "the shed in the garden is blue", At: now.AddDate(0, -2, 0)}, {Text: "blue garden shed", At: now.AddDate(-8, 0, 0)}}
	rank(hits, terms, now)
	var years []int
	for _, h := range hits {
		years = append(years, h.At.Year())
	}
	if want := []int{2018, 2026, 2017, 2026}; !slices.Equal(years, want) {
		t.Errorf("got those of %d, want %d", years, want)
	}
}

// No text of a user makes a search fail, or acts as an operator of FTS5.
func FuzzSearch(f *testing.F) {
	for _, text := range []string{"", "\"", "a\" OR \"b", "tomato*", "heading:x", "NEAR(a b, 2)", "-a +b ^c", "a\x00b", "東京都", "👍🏽", "\xff\xfe", strings.Repeat("word ", 2048)} {
		f.Add(text)
	}
	r := newRig(f, "alice").run()
	r.putMessage("alice", protocol.RoleUser, "tomatoes and 東京都")
	r.waitUntilRead()
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := r.index.Search(t.Context(), Query{User: "alice", Text: text}); err != nil {
			t.Errorf("%q: %v", text, err)
		}
		for _, w := range wordsOf(text) {
			if strings.ContainsAny(w, "\"* \x00") || w == "" {
				t.Errorf("%q is a word of %q", w, text)
			}
		}
	})
}
