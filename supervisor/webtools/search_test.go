package webtools_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/egress"
	"mews/supervisor/feature/featuretest"
	"mews/supervisor/sqlite/sqlitetest"
	"mews/supervisor/webtools"
	"mews/supervisor/webtools/webtoolstest"
)

const (
	tea       = `{"query":"oolong  tea"}`
	freshTea  = `{"query":"oolong tea","count":2,"fresh":"week"}`
	teaResult = "\n1. Oolong\n   https://tea.example/oolong\n   A "
)

func TestSearch_EachBackend_Answers(t *testing.T) {
	r := newRig(t)
	for kind, test := range map[string]struct {
		fake  *webtoolstest.Search
		asked string
		paid  string
		text  string
	}{
		"searxng": {&r.home, "oolong tea week", "", "A <b>tea</b> &amp; more"},
		"brave":   {&r.brave, "oolong tea pw", "ann search/brave 5000 true", "A tea & more"},
		"tavily":  {&r.tavily, "oolong tea week", "ann search/tavily 8000 true", "A <b>tea</b> &amp; more"},
	} {
		r.o.Search, r.paid = []webtools.Backend{r.backend(kind)}, nil
		text, err := r.search(freshTea)
		if err != nil {
			t.Errorf("%s: %v", kind, err)
			continue
		}
		if want := `Results for "oolong tea" from ` + kind + ":\n1. Oolong\n   https://tea.example/oolong\n   " +
			test.text; text != want {
			t.Errorf("%s: got %q, want %q", kind, text, want)
		}
		if got := test.fake.Requests(); !slices.Equal(got, []string{test.asked}) {
			t.Errorf("%s was asked %q", kind, got)
		}
		if got := strings.Join(r.paid, ", "); got != test.paid {
			t.Errorf("%s: paid %q", kind, got)
		}
	}
	if got := sqlitetest.QueryColumn(t, r.db, `SELECT DISTINCT json_extract(origins, '$[0]') || target
		FROM external_call c JOIN effect e ON e.turn = c.turn AND e.call = c.call ORDER BY 1`); !slices.Equal(got,
		[]string{"web:search/braveoolong tea", "web:search/searxngoolong tea", "web:search/tavilyoolong tea"}) {
		t.Errorf("origins and ledger: %q", got)
	}
}

func TestSearch_GenericBackend_ReadsPaths(t *testing.T) {
	r := newRig(t)
	got := ""
	r.internet.Serve("search.example", func(w http.ResponseWriter, req *http.Request) {
		got = req.URL.RawQuery + " " + req.Header.Get("X-Key") + req.Header.Get("Authorization")
		fmt.Fprint(w, `{"data":{"items":[{"name":"Oolong","link":"https://tea.example/oolong","snip":"A tea"}]}}`)
	})
	b := webtools.Backend{Name: "own", Kind: "generic", Key: func() string { return canaryKey },
		URL:   "https://search.example/s?q={query}&n={count}",
		Paths: webtools.Paths{Results: "data.items", Title: "name", URL: "link", Text: "snip"}}
	for header, want := range map[string]string{"": "Bearer " + canaryKey, "X-Key": canaryKey} {
		b.Header = header
		r.o.Search = []webtools.Backend{b}
		text, err := r.search(`{"query":"a&b c","fresh":"day"}`)
		if err != nil {
			t.Fatal(err)
		}
		r.checkHas(text, teaResult, "any age")
		if got != "q=a%26b+c&n=5 "+want {
			t.Errorf("asked with %q", got)
		}
	}
}

// A backend that fails is followed by the next one. The model learns why it failed.
func TestSearch_FailingBackend_IsReplaced(t *testing.T) {
	for name, test := range map[string]struct {
		prepare func(*rig)
		note    string
		paid    string
	}{
		"no JSON":       {func(r *rig) { r.home.NoJSON = true }, "formats: [html, json]", ""},
		"server error":  {func(r *rig) { r.home.SetStatus(503) }, "HTTP status 503", ""},
		"limited":       {func(r *rig) { r.home.SetStatus(429) }, "no more searches for now", ""},
		"gone":          {func(r *rig) { r.serveHome(hangUp) }, "searxng failed: ", ""},
		"not JSON":      {func(r *rig) { r.serveHome(sayHTML) }, "not the JSON", ""},
		"another error": {func(r *rig) { r.serveHome(sayError) }, "not the JSON", ""},
	} {
		r := newRig(t)
		test.prepare(r)
		r.o.Search = []webtools.Backend{r.backend("searxng"), r.backend("brave")}
		text, err := r.search(tea)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		r.checkHas(text, "from brave:"+teaResult, "\n\nsearxng failed: ", test.note)
	}
}

// serveHome replaces the searxng.
func (r *rig) serveHome(handler http.HandlerFunc) {
	r.internet.Serve("home.local", handler, "192.168.1.9")
}

func hangUp(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

func sayHTML(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>") }

func sayError(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"error":"no"}`) }

// If every backend fails, the error names each reason and no key. A refused search costs nothing.
func TestSearch_AllFail_IsExplained(t *testing.T) {
	r := newRig(t)
	r.o.Search = []webtools.Backend{r.backend("brave"), r.backend("tavily")}
	r.brave.Key, r.tavily.Key = "another", "another"
	_, err := r.search(tea)
	if supervisor.ErrorCodeOf(err) != supervisor.CodeUnavailable {
		t.Fatalf("got error %v", err)
	}
	r.checkHas(err.Error(), "brave failed: it refuses the key.", "tavily failed: it refuses the key.")
	if got := strings.Join(r.paid, ", "); got != "ann search/brave 5000 false, ann search/tavily 8000 false" {
		t.Errorf("paid %q", got)
	}
	r.noMoney = &supervisor.Error{Code: supervisor.CodeBudgetExceeded, Message: "No money is left."}
	if _, err = r.search(tea); err == nil || !strings.Contains(err.Error(), "No money is left.") {
		t.Errorf("got error %v", err)
	}
	r.noMoney = supervisor.ErrWaitsForAnswer
	if _, err = r.search(tea); !errors.Is(err, supervisor.ErrWaitsForAnswer) {
		t.Errorf("got error %v", err)
	}
}

// Without a backend, Wikipedia is searched, and the model can tell how to get a search.
func TestSearch_NoBackend_UsesWikipedia(t *testing.T) {
	r := newRig(t)
	r.wikipedia.SetHits(webtoolstest.Hit{Title: "Da Hong Pao", Text: `a <span class="searchmatch">tea</span>`})
	text, err := r.search(freshTea)
	if err != nil {
		t.Fatal(err)
	}
	r.checkHas(text, "from Wikipedia:\n1. Da Hong Pao\n   https://en.wikipedia.org/wiki/Da_Hong_Pao\n   a tea",
		"any age", "no web search is set up", "mews help web")
	r.wikipedia.SetHits()
	if text, err = r.search(tea); err != nil || !strings.Contains(text, "Nothing was found.") {
		t.Errorf("got %q, %v", text, err)
	}
}

func TestSearch_StrangeHits_AreLeftOut(t *testing.T) {
	r := newRig(t)
	r.o.Search = []webtools.Backend{r.backend("searxng")}
	r.home.SetHits(webtoolstest.Hit{Title: "router", URL: "http://192.168.1.1/"},
		webtoolstest.Hit{URL: "ftp://a.example"}, webtoolstest.Hit{URL: "javascript:alert(1)"},
		webtoolstest.Hit{Title: "a\nb\x1b[1m" + strings.Repeat("c", 300), URL: "https://EXAMPLE.org/a b#c"})
	text, err := r.search(tea)
	if err != nil {
		t.Fatal(err)
	}
	want := "\n1. a b[1m" + strings.Repeat("c", 143) + "…\n   https://example.org/a%20b"
	if !strings.HasSuffix(text, want) {
		t.Errorf("got %q", text)
	}
}

// A backend that sends its key back does not show it to the model.
func TestSearch_EchoedKey_IsHidden(t *testing.T) {
	r := newRig(t)
	r.brave.SetHits(webtoolstest.Hit{Title: "X-Subscription-Token: " + canaryKey,
		URL: "https://tea.example/?key=canary%2D5c1e", Text: "Y2FuYXJ5LTVjMWU= is " + canaryKey})
	r.o.Search = []webtools.Backend{r.backend("brave")}
	text, err := r.call(r.turn("web_search", tea), protocol.MethodWebSearch)
	if err != nil || strings.Count(text, "***") != 4 {
		t.Errorf("got %q, %v", text, err)
	}
}

func TestSearch_WrongArguments_AreRefused(t *testing.T) {
	r := newRig(t)
	for _, arguments := range []string{`{}`, `{"query":" "}`, `{"query":"` + strings.Repeat("a", 401) + `"}`,
		`{"query":"a","count":11}`, `{"query":"a","count":-1}`, `{"query":"a","fresh":"decade"}`,
		`{"query":"a","pages":2}`, `{"query":["a"]}`} {
		_, err := r.search(arguments)
		var refusal *protocol.Error
		if !errors.As(err, &refusal) || refusal.Code != protocol.CodeFailed {
			t.Errorf("%.40s: got error %v", arguments, err)
		}
	}
	if len(r.asked) > 0 || len(r.internet.Dialed()) > 0 {
		t.Errorf("asked %v, dialed %v", r.asked, r.internet.Dialed())
	}
}

// A worker can only make a call of the model, and only that of the tool.
func TestSearch_ForgedCall_IsOffence(t *testing.T) {
	r := newRig(t)
	turn := r.turn("get_weather", tea)
	if _, err := r.call(turn, protocol.MethodWebSearch); !featuretest.IsOffence(err) {
		t.Errorf("got error %v", err)
	}
}

func TestSearch_Denied_SendsNothing(t *testing.T) {
	r := newRig(t)
	r.denied = supervisor.Errorf(supervisor.CodeForbidden, "You said no.")
	_, err := r.search(`{"query":"a` + "`b`" + `"}`)
	if !errors.Is(err, r.denied) || len(r.internet.Dialed()) > 0 {
		t.Errorf("got error %v, dialed %v", err, r.internet.Dialed())
	}
	a := r.asked[0]
	if a.Effect != webtools.EffectSearch || a.Turn == 0 || a.Call != "c1" || a.Conversation.ID == 0 ||
		!slices.Equal(a.Arguments, []string{"web_search", "a`b`"}) || !strings.Contains(a.Text, "`a'b'`") {
		t.Errorf("asked %+v", a)
	}
}

// The same call gives the kept answer, and is neither made nor paid again.
func TestSearch_SameCallAgain_IsNotPaidAgain(t *testing.T) {
	r := newRig(t)
	r.o.Search = []webtools.Backend{r.backend("brave")}
	turn := r.turn("web_search", tea)
	first, err := r.call(turn, protocol.MethodWebSearch)
	if err != nil {
		t.Fatal(err)
	}
	r.brave.SetStatus(500)
	second, err := r.call(turn, protocol.MethodWebSearch)
	if err != nil || second != first || len(r.paid) != 1 {
		t.Errorf("got %q, paid %v, %v", second, r.paid, err)
	}
}

// The limits for people are refusals in words, far below the limit that ends a worker.
func TestSearch_TooMany_IsRefusedInWords(t *testing.T) {
	r := newRig(t)
	turn := r.turn("web_search", tea)
	address, err := egress.ParseAddress("https://en.wikipedia.org/w/api.php")
	if err != nil {
		t.Fatal(err)
	}
	for range 30 {
		resp, err := r.o.Client.Fetch(t.Context(), egress.Request{User: "ann", Turn: turn.ID, Address: address})
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close() // only the count matters
	}
	_, err = r.call(turn, protocol.MethodWebSearch)
	if err == nil || !strings.Contains(err.Error(), "no answer may fetch more") {
		t.Errorf("got error %v", err)
	}
	for _, c := range webtools.New(r.o).Feature().HostCalls {
		if c.Limit != 300 {
			t.Errorf("%s ends the worker after %d calls", c.Method, c.Limit)
		}
	}
}
