// Package webtoolstest has fakes of the servers that package webtools asks. They refuse what the
// real ones refuse, with the same statuses and bodies.
package webtoolstest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// Hit is a result that the fakes find. Text may have HTML, as Brave and Wikipedia send it.
type Hit struct{ Title, URL, Text string }

// Search is a fake of a search backend. Its methods may be called from any goroutine.
type Search struct {
	Key      string // the accepted key
	NoJSON   bool   // for searxng: the settings do not allow JSON
	mu       sync.Mutex
	hits     []Hit
	status   int // status of each answer; 0 means the usual one
	requests []string
}

// SetHits sets the results of each search.
func (s *Search) SetHits(hits ...Hit) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hits = hits
}

// SetStatus sets the status of each answer, such as 429 or 500; 0 means the usual one.
func (s *Search) SetStatus(status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status = status
}

// Requests returns the words and options of the searches that were made, refused ones too.
func (s *Search) Requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// begin records a request. It returns the results, and false if it has answered the request.
func (s *Search) begin(w http.ResponseWriter, request string) ([]Hit, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, request)
	if s.status != 0 {
		http.Error(w, `{"error":"status"}`, s.status)
		return nil, false
	}
	return s.hits, true
}

// results returns results as JSON objects with given keys.
func results(hits []Hit, most int, title, address, text string) []map[string]string {
	list := []map[string]string{}
	for _, h := range hits[:min(most, len(hits))] {
		list = append(list, map[string]string{title: h.Title, address: h.URL, text: h.Text})
	}
	return list
}

func answer(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(value) // the client may be gone
}

func refuse(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	fmt.Fprint(w, body)
}

// ServeSearXNG answers like searxng. It refuses JSON with 403 if NoJSON is set, and an empty query
// with 400.
func (s *Search) ServeSearXNG(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	hits, ok := s.begin(w, strings.TrimSpace(q.Get("q")+" "+q.Get("time_range")))
	switch {
	case !ok:
	case r.URL.Path != "/search":
		http.NotFound(w, r)
	case q.Get("format") != "json":
		fmt.Fprint(w, "<!DOCTYPE html><html><body>results</body></html>")
	case s.NoJSON:
		http.Error(w, "<!doctype html><title>403 Forbidden</title>", http.StatusForbidden)
	case q.Get("q") == "":
		http.Error(w, "No query", http.StatusBadRequest)
	case !slices.Contains([]string{"", "day", "week", "month", "year"}, q.Get("time_range")):
		http.Error(w, "Invalid value", http.StatusBadRequest)
	default:
		answer(w, map[string]any{"query": q.Get("q"), "number_of_results": 0,
			"results": results(hits, len(hits), "title", "url", "content"), "unresponsive_engines": []any{}})
	}
}

// ServeBrave answers like Brave's search API. It refuses a wrong or missing key, too many words,
// and wrong options with 422.
func (s *Search) ServeBrave(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	hits, ok := s.begin(w, strings.TrimSpace(q.Get("q")+" "+q.Get("freshness")))
	count, err := strconv.Atoi(q.Get("count"))
	switch {
	case !ok:
	case r.URL.Path != "/res/v1/web/search":
		http.NotFound(w, r)
	case r.Header.Get("X-Subscription-Token") != s.Key:
		refuse(w, http.StatusUnprocessableEntity, `{"type":"ErrorResponse","error":{"code":`+
			`"SUBSCRIPTION_TOKEN_INVALID","detail":"The provided subscription token is invalid.","status":422}}`)
	case err != nil || count < 1 || count > 20, q.Get("q") == "", utf8.RuneCountInString(q.Get("q")) > 400,
		!slices.Contains([]string{"", "pd", "pw", "pm", "py"}, q.Get("freshness")):
		refuse(w, http.StatusUnprocessableEntity, `{"type":"ErrorResponse","error":{"code":"VALIDATION","status":422}}`)
	case len(hits) == 0:
		answer(w, map[string]any{"type": "search", "query": map[string]string{"original": q.Get("q")}})
	default:
		answer(w, map[string]any{"type": "search", "web": map[string]any{"type": "search",
			"results": results(hits, count, "title", "url", "description")}})
	}
}

// ServeTavily answers like Tavily's API. It refuses a wrong or missing key with 401, and unknown
// keys of the body with 422.
func (s *Search) ServeTavily(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Query      string `json:"query"`
		MaxResults int    `json:"max_results"`
		TimeRange  string `json:"time_range"`
	}
	decoder := json.NewDecoder(r.Body)
	decoder.DisallowUnknownFields()
	err := decoder.Decode(&body)
	hits, ok := s.begin(w, strings.TrimSpace(body.Query+" "+body.TimeRange))
	switch {
	case !ok:
	case r.URL.Path != "/search" || r.Method != http.MethodPost:
		refuse(w, http.StatusMethodNotAllowed, `{"detail":"Method Not Allowed"}`)
	case r.Header.Get("Authorization") != "Bearer "+s.Key:
		refuse(w, http.StatusUnauthorized, `{"detail":{"error":"Unauthorized: missing or invalid API key."}}`)
	case err != nil || r.Header.Get("Content-Type") != "application/json" || body.Query == "" ||
		body.MaxResults < 0 || body.MaxResults > 20:
		refuse(w, http.StatusUnprocessableEntity, `{"detail":[{"type":"missing","loc":["body","query"]}]}`)
	default:
		answer(w, map[string]any{"query": body.Query, "images": []any{},
			"results": results(hits, body.MaxResults, "title", "url", "content"), "response_time": 0.1})
	}
}

// ServeWikipedia answers like the search of Wikipedia's API. An error has status 200 there.
func (s *Search) ServeWikipedia(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	hits, ok := s.begin(w, q.Get("srsearch"))
	limit, err := strconv.Atoi(q.Get("srlimit"))
	switch {
	case !ok:
	case r.URL.Path != "/w/api.php" || q.Get("format") != "json":
		http.NotFound(w, r)
	case r.UserAgent() == "":
		http.Error(w, "Please set a user-agent", http.StatusForbidden)
	case q.Get("srsearch") == "" || err != nil:
		answer(w, map[string]any{"error": map[string]string{"code": "missingparam"}})
	default:
		answer(w, map[string]any{"batchcomplete": "", "query": map[string]any{
			"search": results(hits, limit, "title", "ignored", "snippet")}})
	}
}
