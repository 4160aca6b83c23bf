package app_test

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"mews/supervisor/app/apptest"
	"mews/supervisor/model/modeltest"
	"mews/supervisor/webtools/webtoolstest"
)

// weatherModel opens the tools of the web, searches and asks for the weather. Then it repeats the
// results.
func weatherModel(r modeltest.Request) modeltest.Answer {
	switch done := r.AnsweredCalls(); {
	case len(done) == 0:
		return modeltest.Answer{Calls: []modeltest.Call{{Name: "find_tools", Args: `{"words":"web"}`}}}
	case len(done) == 1:
		return modeltest.Answer{Calls: []modeltest.Call{{Name: "web_search", Args: `{"query":"oolong","count":2}`},
			{Name: "get_weather", Args: `{"place":"Madrid"}`}}}
	default:
		return modeltest.Answer{Text: done[1].Result + "\n" + done[2].Result}
	}
}

// webService is a gatedService with two search backends and Open-Meteo on this machine. The first
// backend does not answer in JSON.
type webService struct {
	*gatedService
	home, brave webtoolstest.Search
	meteo       webtoolstest.OpenMeteo
	keys        canaries
}

// newWebService configures a webService. serve may stand before the backend brave; nil means that
// nothing does.
func newWebService(t *testing.T, serve func(http.HandlerFunc) http.HandlerFunc) *webService {
	t.Helper()
	w := &webService{keys: canaries{"key": "brave-" + rand.Text(), "key file": "own-" + rand.Text()}}
	w.home.NoJSON, w.brave.Key = true, w.keys["key"]
	w.brave.SetHits(webtoolstest.Hit{Title: "Oolong", URL: "https://tea.example/", Text: "A <strong>tea</strong>"})
	w.meteo.Today = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	w.meteo.Places = []webtoolstest.Place{{Name: "Madrid", Country: "Spain", Population: 3_255_944}}
	brave := http.HandlerFunc(w.brave.ServeBrave)
	if serve != nil {
		brave = serve(brave)
	}
	address := func(handler http.HandlerFunc) string {
		server := httptest.NewServer(handler)
		t.Cleanup(server.Close)
		return server.URL
	}
	config := fmt.Sprintf("budget: {users: {day: 1}}\nmodels:\n  default: test/test\n"+
		"  providers: {test: {kind: openai, base_url: MODEL_URL}}\n"+
		"  prices: {test/test: {input: 0, output: 0}}\nweb:\n  open_meteo: %s\n  search:\n"+
		"    - {name: home, kind: searxng, url: %s}\n"+
		"    - {name: brave, kind: brave, url: %[3]s, key: \"${MEWS_SEARCH}\"}\n"+
		"    - {name: own, kind: generic, url: \"%[3]s/own?q={query}\", key_file: search.key}\n",
		address(w.meteo.ServeHTTP), address(w.home.ServeSearXNG), address(brave))
	w.gatedService = newGatedService(t, weatherModel, config, "bob, totp: off")
	w.Bin = apptest.LinkProgramsInTestFolder(t, apptest.BuildPrograms(t))
	w.write("search.key", w.keys["key file"]+"\n")
	w.Env = []string{"MEWS_SEARCH=" + w.keys["key"]}
	return w
}

// check checks what bob was told, and that nothing has a key.
func (w *webService) check() {
	w.T.Helper()
	told := lastOf(w.told("bob"))
	for _, want := range []string{"from brave", "https://tea.example/", "formats: [html, json]",
		"Weather in Madrid, Spain", "5 to 14 °C"} {
		if !strings.Contains(told, want) {
			w.T.Errorf("bob was told %q, without %q", told, want)
		}
	}
	if got := w.QueryCount("SELECT count(*) FROM message WHERE source = 'world' " +
		"AND parts LIKE '%\"origins\":[\"web:%'"); got != 2 {
		w.T.Errorf("%d results are marked as words of the web", got)
	}
	if got := w.QueryCount("SELECT count(*) FROM effect WHERE kind IN ('web.searched', " +
		"'web.weather')"); got != 2 {
		w.T.Errorf("the ledger has %d rows", got)
	}
	if got := w.QueryCount("SELECT count(*) FROM external_call"); got != 0 {
		w.T.Errorf("%d answers are still kept", got)
	}
}

// checkKeys searches files, logs and requests to the model for the keys.
func (w *webService) checkKeys() {
	w.T.Helper()
	w.keys["none"] = "web:search/brave" // shows that the search finds what is there
	found := w.keys.foundInFiles(w.T.(*testing.T), w.Dir)
	delete(found, filepath.Join(w.Dir, "search.key"))
	seen := false
	for path, names := range found {
		for _, name := range names {
			if seen = seen || name == "none"; name != "none" {
				w.T.Errorf("%s has the %s", path, name)
			}
		}
	}
	if !seen {
		w.T.Error("the search of the files finds nothing")
	}
	delete(w.keys, "none")
	for i, r := range w.model.Requests() {
		if names := w.keys.found(r.Raw); names != nil {
			w.T.Errorf("request %d to the model has %q", i, names)
		}
	}
}

// The model searches and asks for the weather. Its user pays, and no key leaves the supervisor.
func TestWeb_SearchAndWeather_ShowNoKey(t *testing.T) {
	t.Parallel()
	w := newWebService(t, nil)
	w.Start()
	w.say("bob", "oolong?")
	w.awaitNewest("bob", "Weather in Madrid")
	w.check()
	w.say("bob", "/usage")
	w.awaitNewest("bob", "search/brave", "$0.005")
	w.Stop()
	w.checkKeys()
}

// The service is killed while a backend answers, and again after the answer is kept. Bob gets one
// answer. The backend is asked twice, because its first answer was lost.
func TestWeb_KilledInSearch_AnswersOnce(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	first := make(chan struct{})
	w := newWebService(t, func(brave http.HandlerFunc) http.HandlerFunc {
		return func(rw http.ResponseWriter, r *http.Request) {
			if asked.Add(1) == 1 {
				close(first)
				<-r.Context().Done() // the service is killed meanwhile
				return
			}
			brave(rw, r)
		}
	})
	w.Start()
	w.say("bob", "oolong?")
	<-first
	w.kill()
	w.Start()
	w.awaitNewest("bob", "Weather in Madrid")
	w.check()
	w.kill()
	w.Start()
	w.WaitUntilTrue(apptest.DefaultTestTimeout, "all to be delivered", w.allDelivered)
	if n := asked.Load(); n != 2 {
		t.Errorf("the backend was asked %d times", n)
	}
	// a call that a crash cut off may have cost its price
	if n := w.QueryCount("SELECT sum(cost) FROM usage WHERE spec = 'search/brave'"); n != 10_000 {
		t.Errorf("bob paid %d millionths of a dollar", n)
	}
	w.Stop()
}

// kill kills the service's processes, as a crash would.
func (w *webService) kill() {
	w.T.Helper()
	at := time.Now()
	w.Kill()
	w.bot.RecordClientKill(at)
	w.CheckIntegrity()
}
