package egress_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"mews/supervisor/egress"
	"mews/supervisor/egress/egresstest"
)

func TestFetch_Redirects_AreFollowedFiveTimes(t *testing.T) {
	internet := egresstest.New(t)
	internet.Serve("example.org", func(w http.ResponseWriter, r *http.Request) {
		left, _ := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/")) // only the test asks
		if left > 0 {
			http.Redirect(w, r, fmt.Sprint("./", left-1), http.StatusFound)
			return
		}
		fmt.Fprint(w, "arrived")
	})
	client := egress.New(internet.Options())
	resp, body, err := get(t, client, "http://example.org/5")
	if err != nil || body != "arrived" || resp.Address.Reveal() != "http://example.org/0" {
		t.Errorf("got %q and error %v", body, err)
	}
	_, _, err = get(t, client, "http://example.org/6")
	checkKind(t, err, egress.KindRedirect, "example.org")
	if got := len(internet.Dialed()); got != 6+6 {
		t.Errorf("%d requests, want 6 for each", got)
	}
}

func TestFetch_RedirectLocations_AreChecked(t *testing.T) {
	internet := egresstest.New(t)
	internet.Serve("a.example", redirectToQuery)
	for _, name := range []string{"b.example", "xn--bcher-kva.example"} {
		internet.Serve(name, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.RequestURI) })
	}
	client := egress.New(internet.Options())
	for _, test := range []struct{ from, to, want string }{
		{"http://a.example/", "https://b.example/x#y", "https://b.example/x"},
		{"http://a.example/", "//b.example./x", "http://b.example/x"},
		{"http://a.example/", "http://bücher.example/ü", "http://xn--bcher-kva.example/%C3%BC"},
		{"http://a.example/", "http://b.example", "http://b.example/"},
		{"https://a.example/", "https://b.example:443/../x y", "https://b.example/x%20y"},
		{"https://a.example/", "//b.example/", "https://b.example/"},
		{"https://a.example/", "https://b.example/?a=%zz", "https://b.example/?a=%25zz"},
		{"https://a.example/", "http://b.example/", ""},
		{"https://a.example/", "HTTP://a.example/", ""},
		{"http://a.example/", "ftp://b.example/", ""},
		{"http://a.example/", "file:///etc/passwd", ""},
		{"http://a.example/", "http://user:word@b.example/", ""},
		{"http://a.example/", "http://b.example:8080/", ""},
		{"http://a.example/", "http://127.0.0.1/", ""},
		{"http://a.example/", "http://localhost/", ""},
		{"http://a.example/", "http:b.example", ""},
		{"http://a.example/", "data:text/html,x", ""},
	} {
		from := test.from + "?to=" + url.QueryEscape(test.to)
		resp, _, err := fetch(t, client, nil, egress.Request{Address: mustParse(t, from), User: from})
		if test.want == "" {
			checkKind(t, err, egress.KindRedirect, "a.example")
		} else if err != nil || resp.Address.Reveal() != test.want {
			t.Errorf("%s to %s: got %+v and error %v", test.from, test.to, resp, err)
		}
	}
}

func TestFetch_RedirectOfPost_IsAnswer(t *testing.T) {
	internet := egresstest.New(t)
	internet.Serve("a.example", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://b.example/", http.StatusTemporaryRedirect)
	})
	client := egress.New(internet.Options())
	a := mustParse(t, "http://a.example/")
	for name, r := range map[string]egress.Request{
		"a post":       {Address: a, Method: http.MethodPost, Body: []byte("words")},
		"not followed": {Address: a, RedirectsAreAnswers: true},
	} {
		resp, _, err := fetch(t, client, nil, r)
		if err != nil || resp.Status != http.StatusTemporaryRedirect ||
			resp.Header.Get("Location") != "http://b.example/" {
			t.Errorf("%s: got %+v and error %v", name, resp, err)
		}
	}
}

func TestFetch_StatusWithoutLocation_IsAnswer(t *testing.T) {
	internet := egresstest.New(t)
	internet.Serve("a.example", func(w http.ResponseWriter, r *http.Request) {
		status, _ := strconv.Atoi(r.URL.Query().Get("status")) // only the test asks
		if status == http.StatusMultipleChoices || status == http.StatusCreated {
			w.Header().Set("Location", "http://b.example/")
		}
		w.WriteHeader(status)
	})
	client := egress.New(internet.Options())
	for _, status := range []int{201, 204, 300, 302, 304, 403, 500} {
		resp, body, err := get(t, client, fmt.Sprint("http://a.example/?status=", status))
		if err != nil || resp.Status != status || body != "" {
			t.Errorf("%d: got %+v and error %v", status, resp, err)
		}
	}
}

// FuzzRedirect sends any location, and checks each address that answers or is connected.
func FuzzRedirect(f *testing.F) {
	for text := range privateSpellings() {
		f.Add(text)
	}
	for _, location := range []string{"", "/", "?", "#", "..", "//", "///a", "//b.example", "/\\b.example",
		"\\\\b.example", "http:",
		"http:/b", "https://b.example/", "https://b.example:443", "http://b.example/", "HTTPS://u@b.example",
		"//b.example:99999",
		"//b.example%2f", "//%62.example", "a:b", "./a:b", "%", "%zz", "//[::1]", "//b。example", strings.Repeat("a",
			9000)} {
		f.Add(location)
	}
	internet := egresstest.New(f)
	internet.Serve("a.example", func(w http.ResponseWriter, r *http.Request) {
		if location := r.Header.Get("X-Location"); r.URL.Path == "/start" {
			w.Header().Set("Location", location)
			w.WriteHeader(http.StatusFound)
		}
	})
	for _, name := range []string{"b.example", "localhost", "127.0.0.1"} {
		internet.Serve(name, func(http.ResponseWriter, *http.Request) {})
	}
	client := egress.New(internet.Options())
	f.Fuzz(func(t *testing.T, location string) {
		checkPublicRedirect(t, client, location)
	})
}

func checkPublicRedirect(t *testing.T, client *egress.Client, location string) {
	start, err := egress.ParseAddress("http://a.example/start")
	if err != nil {
		t.Fatal(err)
	}
	next, refused := egress.ResolveForTest(start, location)
	if !refused {
		checkPublic(t, next)
	}
	if strings.ContainsFunc(location, isNotPrintable) {
		return // no header may have it
	}
	resp, _, err := fetch(t, client, nil, egress.Request{Address: start, User: location,
		Header: http.Header{"X-Location": {location}}})
	switch {
	case err == nil && resp.Address != start && (refused || resp.Address != next):
		t.Errorf("%q led to %s", location, resp.Address.Reveal())
	case err == nil:
		checkPublic(t, resp.Address)
	}
}
