package api_test

import (
	"errors"
	"net/http"
	"testing"

	"mews/supervisor/github/api"
)

// failingTransport is a RoundTripper that records the address of the last request, and fails each
// request.
type failingTransport struct{ last string }

func (n *failingTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	n.last = r.URL.String()
	return nil, errors.New("there is no network")
}

// httpRedirector redirects all requests to http on the same host.
type httpRedirector struct{ asked []string }

func (p *httpRedirector) RoundTrip(r *http.Request) (*http.Response, error) {
	p.asked = append(p.asked, r.URL.String())
	return &http.Response{StatusCode: http.StatusMovedPermanently, Header: http.Header{"Location": {"http://" + r.URL.Host + "/elsewhere"}}, Body: http.NoBody,
		Request: r}, nil
}

func TestToken_IsNeverSentOverHTTP(t *testing.T) {
	p := new(httpRedirector)
	c, err := api.New(api.Options{Token: func() string { return "t" }, HTTP: p})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Repository(t.Context(), "a/b"); api.ErrorClassOf(err) != api.NotFound || len(p.asked) != 1 {
		t.Errorf("asked %q: %v", p.asked, err)
	}
}

func TestBaseURL_Each_GivesRESTAndGraphQL(t *testing.T) {
	for configured, want := range map[string][2]string{
		"":                               {"https://api.github.com/repos/a/b", "https://api.github.com/graphql"},
		"https://api.github.com":         {"https://api.github.com/repos/a/b", "https://api.github.com/graphql"},
		"https://ghe.example.org":        {"https://ghe.example.org/api/v3/repos/a/b", "https://ghe.example.org/api/graphql"},
		"https://ghe.example.org/api/v3": {"https://ghe.example.org/api/v3/repos/a/b", "https://ghe.example.org/api/graphql"},
		"https://api.acme.ghe.com/":      {"https://api.acme.ghe.com/repos/a/b", "https://api.acme.ghe.com/graphql"},
	} {
		n := new(failingTransport)
		c, err := api.New(api.Options{URL: configured, Token: func() string { return "t" }, HTTP: n})
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.Repository(t.Context(), "a/b")
		if e := failure(t, err, api.Unreachable); e.Unknown || n.last != want[0] {
			t.Errorf("%q: asked %s, %v", configured, n.last, err)
		}
		if _, _, err := c.ReviewThreads(t.Context(), "a/b", 1); api.ErrorClassOf(err) != api.Unreachable ||
			n.last != want[1] {
			t.Errorf("%q: asked %s, %v", configured, n.last, err)
		}
	}
}
