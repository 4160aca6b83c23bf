package webtools_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/approval"
	"mews/supervisor/egress"
	"mews/supervisor/egress/egresstest"
	"mews/supervisor/external"
	"mews/supervisor/feature"
	"mews/supervisor/feature/featuretest"
	"mews/supervisor/spool"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
	"mews/supervisor/usage"
	"mews/supervisor/webtools"
	"mews/supervisor/webtools/webtoolstest"
)

// noon is the time of the fake weather.
var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// rig is the feature on an internet of fakes. Each call of a tool has a turn of its own.
type rig struct {
	*testing.T
	internet  *egresstest.Internet
	db        *sqlite.DB
	o         webtools.Options
	home      webtoolstest.Search // a searxng at a private address
	brave     webtoolstest.Search
	tavily    webtoolstest.Search
	wikipedia webtoolstest.Search
	meteo     webtoolstest.OpenMeteo
	turns     int
	asked     []approval.Request
	denied    error
	paid      []string
	noMoney   error
}

const canaryKey = "canary-5c1e"

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{T: t, internet: egresstest.New(t), db: sqlitetest.Open(t)}
	r.internet.Serve("home.local", r.home.ServeSearXNG, "192.168.1.9")
	r.internet.Serve("api.search.brave.com", r.brave.ServeBrave)
	r.internet.Serve("api.tavily.com", r.tavily.ServeTavily)
	r.internet.Serve("en.wikipedia.org", r.wikipedia.ServeWikipedia)
	r.internet.Serve("api.open-meteo.com", r.meteo.ServeHTTP)
	r.internet.Serve("geocoding-api.open-meteo.com", r.meteo.ServeHTTP)
	r.brave.Key, r.tavily.Key, r.meteo.Today = canaryKey, canaryKey, noon
	for _, s := range []*webtoolstest.Search{&r.home, &r.brave, &r.tavily, &r.wikipedia} {
		s.SetHits(webtoolstest.Hit{Title: "Oolong", URL: "https://tea.example/oolong", Text: "A <b>tea</b> &amp; more"})
	}
	folder, err := spool.Open(filepath.Join(t.TempDir(), "spool"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = folder.Close() })
	r.o = webtools.Options{Client: egress.New(r.internet.Options()), Approver: r, Pay: r.pay, Wikipedia: "en",
		Calls: external.New(external.Options{Store: r.db.ExternalCalls(), Blobs: r.db.Blobs(), Spool: folder,
			Now: time.Now})}
	r.o.Fetcher = webtools.NewFetcher(webtools.FetcherOptions{Client: r.o.Client, Calls: r.o.Calls, Approver: r,
		Addresses: r.db.WebAddresses(), Spool: folder, Now: time.Now})
	return r
}

// Allow implements webtools.Approver.
func (r *rig) Allow(_ context.Context, request approval.Request) error {
	r.asked = append(r.asked, request)
	return r.denied
}

func (r *rig) pay(_ context.Context, t feature.Turn, c usage.Charge, do func() (bool, error)) error {
	if r.noMoney != nil {
		return r.noMoney
	}
	charged, err := do()
	r.paid = append(r.paid, fmt.Sprint(t.User, " ", c.Name, " ", c.Price, " ", charged))
	return err
}

// backend returns a backend at the usual address of its kind.
func (r *rig) backend(kind string) webtools.Backend {
	r.Helper()
	b := webtools.Backend{Name: kind, Kind: kind, Key: func() string { return canaryKey },
		Price: webtools.DefaultPrice(kind),
		URL: map[string]string{"searxng": "http://home.local:8888/", "brave": "https://api.search.brave.com",
			"tavily": "https://api.tavily.com"}[kind]}
	var err error
	if b.Upstream, err = r.o.Client.NewUpstream(egress.UpstreamOptions{Name: kind, BaseURL: b.URL}); err != nil {
		r.Fatal(err)
	}
	return b
}

// turn starts a turn in which the model calls a tool.
func (r *rig) turn(tool, arguments string) feature.Turn {
	r.Helper()
	r.turns++
	in, _, err := r.db.Inbox().StoreInbound(r.Context(), supervisor.Inbound{Kind: supervisor.KindText, Text: "look",
		Conversation: supervisor.Conversation{User: "ann", Channel: supervisor.ChannelTerminal,
			Chat: fmt.Sprint(r.turns)}, Source: "terminal", Key: fmt.Sprint(r.turns)})
	if err != nil {
		r.Fatal(err)
	}
	turn, _, err := r.db.Turns().Start(r.Context(), in.ID, nil)
	if err != nil {
		r.Fatal(err)
	}
	call := protocol.ToolCall{ID: "c1", Name: tool, Arguments: json.RawMessage(arguments)}
	_, err = r.db.Turns().CommitStep(r.Context(), sqlite.Step{Turn: turn.ID, Model: "offline",
		Message: protocol.Message{Role: protocol.RoleAssistant, Parts: []protocol.ContentPart{{Call: &call}}}})
	if err != nil {
		r.Fatal(err)
	}
	t := featuretest.NewTurn("ann", call)
	t.ID, t.Destination = turn.ID, turn.Conversation.ID
	return t
}

// call calls a tool in a turn, and returns the text for the model.
func (r *rig) call(t feature.Turn, method string) (string, error) {
	r.Helper()
	result, err := featuretest.MakeHostCall(r.T, webtools.New(r.o).Feature(), t, method,
		fmt.Sprintf(`{"turn":%d,"call":"c1"}`, t.ID))
	if err != nil {
		if strings.Contains(err.Error(), canaryKey) {
			r.Errorf("the error has the key: %v", err)
		}
		return "", err
	}
	return result.(protocol.WebResult).Text, nil
}

func (r *rig) search(arguments string) (string, error) {
	r.Helper()
	return r.call(r.turn("web_search", arguments), protocol.MethodWebSearch)
}

func (r *rig) weather(arguments string) (string, error) {
	r.Helper()
	return r.call(r.turn("get_weather", arguments), protocol.MethodWebWeather)
}

// checkHas checks that a text has some words.
func (r *rig) checkHas(text string, words ...string) {
	r.Helper()
	for _, w := range words {
		if !strings.Contains(text, w) {
			r.Errorf("%q is missing in: %s", w, text)
		}
	}
}
