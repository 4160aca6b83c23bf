package check_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"mews/protocol"
	"mews/worker/check"
	"mews/worker/program"
)

// pageParser answers as the parser of pages does, with a title and a text.
type pageParser struct {
	title, text string
	err         error
}

func (p pageParser) Run(_ context.Context, o program.Program) error {
	if p.err != nil {
		return p.err
	}
	_, err := io.WriteString(o.Stdout, `{"format":"page","title":"`+p.title+`"}`+"\n"+p.text)
	return err
}

// The state of a page is that of its readable text, and words are found in it without regard to
// case and white space.
func TestReadPage_Texts_AreHashedAndSearched(t *testing.T) {
	ctx := t.Context()
	read := func(p pageParser, page protocol.CheckPage) protocol.CheckResult {
		t.Helper()
		page.MediaType = "text/html"
		r, err := check.ReadPage(ctx, p, page)
		if err != nil || len(r.Found) > protocol.MaxCheckFoundBytes {
			t.Fatalf("%+v, %v", r, err)
		}
		return r
	}
	long := strings.Repeat("word ", 1000)
	first := read(pageParser{title: "Tea", text: "Green  tea\nis sold out"}, protocol.CheckPage{})
	again := read(pageParser{title: "Tea", text: "\nGreen tea is sold\n\nout "}, protocol.CheckPage{})
	if again != first {
		t.Errorf("other white space gives %+v, want %+v", again, first)
	}
	other := read(pageParser{title: "Tea", text: "Green tea is in stock"}, protocol.CheckPage{})
	if other.Seen == first.Seen {
		t.Error("another text has the same state")
	}
	for _, c := range []struct {
		name, text, contains string
		met                  bool
		found                string // part of what is shown
	}{
		{"other case and line", "Green tea is In\n  Stock: 3", "in stock", true, "In Stock: 3"},
		{"white space in the words", "in stock", " in \n stock ", true, "in stock"},
		{"in the title", "", "black tea", true, "Black Tea"},
		{"far down", long + "in stock" + long, "in stock", true, "word in stockword"},
		{"letters of other lengths", "\u0130\u0130 Tea IN STOCK", "in stock", true, "in stock"},
		{"not there", "sold out", "in stock", false, "sold out"},
	} {
		r := read(pageParser{title: "Black Tea", text: c.text}, protocol.CheckPage{Contains: c.contains})
		if r.Met != c.met || !strings.Contains(r.Found, c.found) {
			t.Errorf("%s: met %t, found %q", c.name, r.Met, r.Found)
		}
	}
}

// A file that is no text has the state of its bytes, and no words.
func TestReadPage_Picture_HashesBytes(t *testing.T) {
	unused := pageParser{err: errors.New("it is parsed")}
	seen := map[string]bool{}
	for _, body := range []string{"a", "b"} {
		r, err := check.ReadPage(t.Context(), unused, protocol.CheckPage{MediaType: "image/png", Body: []byte(body)})
		if err != nil || r.Met || r.Found != "" {
			t.Errorf("%+v, %v", r, err)
		}
		seen[r.Seen] = true
	}
	if len(seen) != 2 {
		t.Error("other bytes have the same state")
	}
	_, err := check.ReadPage(t.Context(), unused, protocol.CheckPage{MediaType: "image/png", Contains: "tea"})
	if err == nil || !strings.Contains(err.Error(), "no text") {
		t.Errorf("words in a picture: %v", err)
	}
	if _, err := check.ReadPage(t.Context(), unused, protocol.CheckPage{}); !errors.Is(err, unused.err) {
		t.Errorf("a page that can't be parsed: %v", err)
	}
}
