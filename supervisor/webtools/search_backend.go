package webtools

import (
	"encoding/json"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/egress"
)

// Kinds of search backends.
const (
	kindSearXNG   = "searxng"
	kindBrave     = "brave"
	kindTavily    = "tavily"
	kindGeneric   = "generic"
	kindWikipedia = "wikipedia"
)

// Backend is a server that searches the web.
type Backend struct {
	Name     string
	Kind     string           // searxng, brave, tavily or generic
	URL      string           // of the server; for generic the URL of a search, with {query} and perhaps {count}
	Upstream *egress.Upstream // the server; nil means a public one
	Key      func() string    // returns the key, which a reload may replace; nil or "" means none
	Header   string           // header with the key, for generic; "" means Authorization: Bearer
	Price    int64            // of one search, in millionths of a dollar
	Paths    Paths            // for generic
}

// Paths are keys in the JSON answer of a generic search, with dots between them.
type Paths struct{ Results, Title, URL, Text string }

// DefaultPrice returns the usual price of a search, in millionths of a dollar.
func DefaultPrice(kind string) int64 {
	switch kind {
	case kindSearXNG, kindWikipedia:
		return 0
	case kindBrave:
		return 5_000
	case kindTavily:
		return 8_000
	}
	return 10_000
}

// kind makes the requests to a kind of backend, and reads its answers.
type kind struct {
	// request returns the request of a search, and its address
	request func(b Backend, args protocol.WebSearchArguments) (r egress.Request, address string)
	read    func(b Backend, answer any) ([]hit, error)
	notes   func(protocol.WebSearchArguments) []string // sentences for the model
	// texts about statuses that mean something else than usual
	refusals map[int]string
}

func noNotes(protocol.WebSearchArguments) []string { return nil }

var kinds = map[string]kind{
	kindSearXNG: {requestSearXNG, readGeneric(Paths{"results", "title", "url", "content"}, plain), noNotes,
		map[int]string{http.StatusForbidden: textNoJSON}},
	kindBrave: {requestBrave, readGeneric(Paths{"web.results", "title", "url", "description"}, withoutTags), noNotes,
		map[int]string{http.StatusUnprocessableEntity: textKeyRefused}},
	kindTavily: {requestTavily, readGeneric(Paths{"results", "title", "url", "content"}, plain), noNotes,
		map[int]string{432: textTooMany, 433: textTooMany}},
	kindGeneric: {requestGeneric, func(b Backend, answer any) ([]hit, error) {
		return readGeneric(b.Paths, plain)(b, answer)
	}, notesWithoutAge, nil},
	kindWikipedia: {requestWikipedia, readWikipedia, notesOfWikipedia, nil},
}

func requestSearXNG(b Backend, args protocol.WebSearchArguments) (egress.Request, string) {
	q := url.Values{"q": {args.Query}, "format": {"json"}}
	if args.Fresh != "" {
		q.Set("time_range", args.Fresh)
	}
	return egress.Request{}, strings.TrimRight(b.URL, "/") + "/search?" + q.Encode()
}

func requestBrave(b Backend, args protocol.WebSearchArguments) (egress.Request, string) {
	q := url.Values{"q": {args.Query}, "count": {strconv.Itoa(args.Count)}}
	if args.Fresh != "" {
		q.Set("freshness", "p"+args.Fresh[:1])
	}
	return egress.Request{Header: http.Header{"X-Subscription-Token": {b.key()}}},
		strings.TrimRight(b.URL, "/") + "/res/v1/web/search?" + q.Encode()
}

func requestTavily(b Backend, args protocol.WebSearchArguments) (egress.Request, string) {
	body, _ := json.Marshal(struct {
		Query      string `json:"query"`
		MaxResults int    `json:"max_results"`
		TimeRange  string `json:"time_range,omitempty"`
	}{args.Query, args.Count, args.Fresh}) // strings and numbers can always be encoded
	return egress.Request{Method: http.MethodPost, Body: body, Header: http.Header{
			"Authorization": {"Bearer " + b.key()}, "Content-Type": {"application/json"}}},
		strings.TrimRight(b.URL, "/") + "/search"
}

func requestGeneric(b Backend, args protocol.WebSearchArguments) (egress.Request, string) {
	r := egress.Request{Header: http.Header{}}
	switch {
	case b.key() == "":
	case b.Header != "":
		r.Header.Set(b.Header, b.key())
	default:
		r.Header.Set("Authorization", "Bearer "+b.key())
	}
	values := strings.NewReplacer("{query}", url.QueryEscape(args.Query), "{count}", strconv.Itoa(args.Count))
	return r, values.Replace(b.URL)
}

// notesWithoutAge says that a backend can't select results by their age.
func notesWithoutAge(args protocol.WebSearchArguments) []string {
	if args.Fresh == "" {
		return nil
	}
	return []string{textNoAge}
}

func requestWikipedia(b Backend, args protocol.WebSearchArguments) (egress.Request, string) {
	q := url.Values{"action": {"query"}, "list": {"search"}, "format": {"json"}, "srsearch": {args.Query},
		"srlimit": {strconv.Itoa(args.Count)}}
	return egress.Request{}, b.URL + "/w/api.php?" + q.Encode()
}

func notesOfWikipedia(args protocol.WebSearchArguments) []string {
	return append(notesWithoutAge(args), textWikipediaAlone)
}

// readWikipedia makes the addresses of articles from their titles.
func readWikipedia(b Backend, answer any) ([]hit, error) {
	hits, err := readGeneric(Paths{"query.search", "title", "title", "snippet"}, withoutTags)(b, answer)
	for i, h := range hits {
		hits[i].url = b.URL + "/wiki/" + url.PathEscape(strings.ReplaceAll(h.title, " ", "_"))
	}
	return hits, err
}

// errNotReadable is the error of an answer in another format.
var errNotReadable = &supervisor.Error{Code: supervisor.CodeUnavailable, Message: textNotReadable}

// readGeneric returns a function that reads the results at some paths. The function text makes
// plain text of titles and texts.
func readGeneric(p Paths, text func(string) string) func(Backend, any) ([]hit, error) {
	return func(_ Backend, answer any) (hits []hit, err error) {
		list, ok := at(answer, p.Results).([]any)
		if !ok {
			// an answer without results may lack their list, but it is an object
			if _, isObject := answer.(map[string]any); isObject && at(answer, p.Results) == nil && !isFailure(answer) {
				return nil, nil
			}
			return nil, errNotReadable
		}
		for _, item := range list {
			address, _ := at(item, p.URL).(string)
			title, _ := at(item, p.Title).(string)
			words, _ := at(item, p.Text).(string)
			hits = append(hits, hit{text(title), address, text(words)})
		}
		return hits, nil
	}
}

// isFailure reports whether an answer has only an error.
func isFailure(answer any) bool { return at(answer, "error") != nil }

// at returns the value at a path in a JSON value; nil means that there is none.
func at(value any, path string) any {
	for name := range strings.SplitSeq(path, ".") {
		object, _ := value.(map[string]any)
		value = object[name]
	}
	return value
}

func plain(text string) string { return text }

var tag = regexp.MustCompile(`<[^<>]*>`)

// withoutTags returns the words of an HTML text.
func withoutTags(text string) string { return html.UnescapeString(tag.ReplaceAllString(text, "")) }

// key returns the backend's key; "" means none.
func (b Backend) key() string {
	if b.Key == nil {
		return ""
	}
	return b.Key()
}
