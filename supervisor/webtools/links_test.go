package webtools

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mews/supervisor/egress"
)

func TestListLinks_Spellings_AreFound(t *testing.T) {
	page := parse(t, "https://example.org/news/today")
	for body, want := range map[string][]string{
		`<a href="/a">x</a>`:                                 {"https://example.org/a"},
		`<A CLASS=x HREF = 'b?c=1&amp;d=2#e'>`:               {"https://example.org/news/b?c=1&d=2"},
		`<a href=//other.example/x>`:                         {"https://other.example/x"},
		`<a href="">y</a><a href="#x">z</a>`:                 nil,
		`<a href="mailto:a@b.example">`:                      nil,
		`<a href="javascript:x">`:                            nil,
		`<a href="http://10.0.0.1/">`:                        nil,
		`<a href="http://localhost/">`:                       nil,
		`<link rel=icon href=/icon><a href=/a>`:              {"https://example.org/a"},
		`<base href="https://b.example/c/"><a href=d>`:       {"https://b.example/c/d"},
		`<a data-href=/no href=/yes>`:                        {"https://example.org/yes"},
		`<nav><a href=/1></nav><main><a href=/2></main>`:     {"https://example.org/2", "https://example.org/1"},
		`<mainly><a href=/1></mainly><article x><a href=/2>`: {"https://example.org/2", "https://example.org/1"},
		"see https://a.example/b, (https://c.example/d) and\nhttp://e.example.": {"https://a.example/b",
			"https://c.example/d",
			"http://e.example/"},
		`[x](https://a.example/b_(c))`:              {"https://a.example/b_(c)"},
		`{"url":"https://a.example/b"}`:             {"https://a.example/b"},
		"xhttps://a.example/":                       nil,
		`<a href="/a">x</a><a href="/a#b">`:         {"https://example.org/a"},
		`<a href="https://example.org/news/today">`: nil,
		`<a href="`: nil,
		"h":         nil, "": nil, "<main": nil,
	} {
		links, err := listLinks(page, strings.NewReader(body))
		var got []string
		for _, link := range links {
			got = append(got, link.Reveal())
		}
		if d := cmp.Diff(want, got); d != "" || err != nil {
			t.Errorf("%s: %v, (-want +got)\n%s", body, err, d)
		}
	}
}

func TestListLinks_ManyLinks_AreBounded(t *testing.T) {
	var body strings.Builder
	for i := range 100 {
		fmt.Fprintf(&body, `<a href=/a/%d><a href=/a/%[1]d>`, i)
	}
	links, err := listLinks(parse(t, "http://example.org/"), strings.NewReader(body.String()))
	if err != nil || len(links) != maxLinks || links[maxLinks-1].Reveal() != "http://example.org/a/49" {
		t.Errorf("%d links, error %v", len(links), err)
	}
	for _, hostile := range []string{"<script", "<", "<a", "<a href=", "</script", "http://", "<base", "<main",
		"<a href='"} {
		if _, err := listLinks(parse(t, "http://example.org/"), strings.NewReader(strings.Repeat(hostile,
			16<<10))); err != nil {
			t.Error(err)
		}
	}
	late := strings.Repeat(" ", maxScanned) + "<a href=/a>"
	if links, err := listLinks(parse(t, "http://example.org/"), strings.NewReader(late)); err != nil ||
		len(links) != 0 {
		t.Errorf("%d links, error %v", len(links), err)
	}
}

func TestNames_Texts_NameAddresses(t *testing.T) {
	address := parse(t, "https://example.org/a?b=1")
	for text, want := range map[string]bool{
		"https://example.org/a?b=1":            true,
		"See https://example.org/a?b=1.":       true,
		"(https://example.org/a?b=1)":          true,
		"[tea](https://example.org/a?b=1), ok": true,
		"<https://example.org/a?b=1>":          true,
		"\"HTTPS://EXAMPLE.ORG/a?b=1\"":        true,
		"example.org/a?b=1":                    true,
		"**https://example.org/a?b=1**":        true,
		"https://example.org/a?b=1#part":       true,
		"http://example.org/a?b=1":             false,
		"https://example.org/a":                false,
		"https://example.org/a?b=12":           false,
		"https://example.org/a?b=1&c":          false,
		"https://www.example.org/a?b=1":        false,
		"example.org":                          false,
		"":                                     false,
	} {
		if got := namesAddress(text, address); got != want {
			t.Errorf("%q: got %v", text, got)
		}
	}
}

// An address is named even if it has another address in it, or characters that end a bare one.
func TestNames_PastedAddress_IsOneName(t *testing.T) {
	for _, text := range []string{"https://web.archive.org/web/2020/https://example.org/a",
		"https://example.org/?u=https://example.net/x", "https://example.org/a|b", "https://example.org/{a}^b"} {
		if !namesAddress("Read ("+text+"), please", parse(t, text)) {
			t.Errorf("%q is not named", text)
		}
	}
}

// FuzzListLinks: whatever a page holds, its links are few public addresses.
func FuzzListLinks(f *testing.F) {
	f.Add([]byte(`<base href=/x/><main><a href="a&amp;b">https://c.example/(d)</a><link href=e>`))
	page, err := egress.ParseAddress("https://example.org/")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		links, err := listLinks(page, strings.NewReader(string(body)))
		if err != nil || len(links) > maxLinks {
			t.Errorf("%d links, error %v", len(links), err)
		}
		for _, link := range links {
			if again, err := egress.ParseAddress(link.Reveal()); err != nil || again != link || link == page {
				t.Errorf("found %q: %v", link.Reveal(), err)
			}
		}
	})
}
