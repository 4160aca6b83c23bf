// Package api is the one client of GitHub: REST by google/go-github, which is imported here alone,
// and GraphQL. What it returns are structs of its own, and every error is an *Error. It asks for
// what it is told to and decides nothing.
//
// A repository is named owner/name everywhere. A client may be used from several goroutines at
// once.
package api

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/google/go-github/v66/github"
)

const (
	publicURL = "https://api.github.com/"
	timeout   = 60 * time.Second // of a request, its body read; GitHub gives one up after 10 s
	pageSize  = 100              // the most that GitHub gives at once
)

// Options is what a client needs. Either Token or App is given.
type Options struct {
	URL   string        // "" is GitHub's own; else GitHub Enterprise's, with or without /api/v3/
	Token func() string // reveals the token; a function is not printed by accident
	App   *App
	Store Store             // nil keeps the limits in memory
	Now   func() time.Time  // nil is time.Now
	HTTP  http.RoundTripper // nil is net/http's, with time-outs
}

// App is a GitHub App.
type App struct {
	ID  int64
	Key func() string // reveals its private key, as PEM
}

// Client asks GitHub.
type Client struct {
	gh      *github.Client
	auth    *authorizer
	limits  *limiter
	clock   *clock
	graphql string // its URL, below the base's host
	now     func() time.Time
}

// New makes a client. It sends nothing.
func New(o Options) (*Client, error) {
	base, err := baseURL(o.URL)
	if err != nil {
		return nil, err
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	auth, err := newAuthorizer(o)
	if err != nil {
		return nil, err
	}
	c := &Client{auth: auth, limits: newLimiter(o.Store, o.Now), clock: new(clock), now: o.Now, graphql: "graphql"}
	if strings.HasSuffix(base.Path, "/v3/") {
		c.graphql = "../graphql"
	}
	inner := o.HTTP
	if inner == nil {
		inner = newTransport()
	}
	client := &http.Client{Timeout: timeout, CheckRedirect: stayHere(base.Host), Transport: &transport{inner, base.Host, auth, c.limits, c.clock, o.Now}}
	c.gh = github.NewClient(client)
	c.gh.BaseURL, c.gh.UserAgent = base, "mews"
	auth.gh = c.gh
	return c, nil
}

// baseURL is where REST is. (As go-github's WithEnterpriseURLs finds it.)
func baseURL(configured string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSuffix(cmp.Or(configured, publicURL), "/") + "/")
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.User != nil {
		return nil, fmt.Errorf("github's api_url is no http or https address without a password")
	}
	if !strings.HasSuffix(u.Path, "/api/v3/") && !strings.HasPrefix(u.Host, "api.") && !strings.Contains(u.Host, ".api.") {
		u.Path += "api/v3/"
	}
	return u, nil
}

// call is one request, as the transport sees it.
type call struct {
	what string // what is tried, for people: read pull request acme/widget#3
	repo string // "" where it is about none
	need need   // what an installation's token has to allow
	read bool   // a POST that changes nothing
	free bool   // it draws on no limit
	etag string // ask whether this is still so
	most int64  // bytes of the answer; 0 is maxAnswer

	// These are set by the transport.
	got  string // the answer's ETag
	done bool   // it made or changed content, or may have
}

type callKey struct{}

func callOf(ctx context.Context) *call {
	c, _ := ctx.Value(callKey{}).(*call)
	return c
}

// ask runs one call of go-github.
func ask[T any](ctx context.Context, c *Client, k *call, do func(ctx context.Context, owner, name string) (T, *github.Response, error)) (T, *github.Response, error) {
	var none T
	owner, name, ok := strings.Cut(k.repo, "/")
	if k.repo != "" && (!ok || owner == "" || name == "" || strings.ContainsAny(name, "/?#%") || strings.ContainsAny(owner, "?#%")) {
		return none, nil, newError(Invalid, k.what, 0, "", fmt.Errorf("%q is no owner/name", k.repo))
	}
	value, resp, err := do(context.WithValue(ctx, callKey{}, k), owner, name)
	if accepted := new(github.AcceptedError); errors.As(err, &accepted) {
		err = nil // 202: GitHub does it in a moment
	}
	if err != nil {
		return none, resp, c.explain(ctx, k, err)
	}
	return value, resp, nil
}

// pages reads a list to its end, or until there are most. more says that there are others.
func pages[T any](ctx context.Context, c *Client, k *call, most int,
	list func(ctx context.Context, owner, name string, page github.ListOptions) ([]T, *github.Response, error)) (all []T, more bool, err error) {
	page := github.ListOptions{PerPage: min(pageSize, most)}
	for {
		part, resp, err := ask(ctx, c, k, func(ctx context.Context, owner, name string) ([]T, *github.Response, error) {
			return list(ctx, owner, name, page)
		})
		if err != nil {
			return nil, false, err
		}
		all = append(all, part...)
		if page.Page > 1 {
			k.got = "" // what changes on one page need not change another
		}
		k.etag = ""
		if len(all) >= most || resp.NextPage == 0 {
			return all[:min(len(all), most)], len(all) > most || resp.NextPage != 0, nil
		}
		page.Page = resp.NextPage
	}
}

// each makes ours of go-github's.
func each[A, B any](list []A, ours func(A) B) []B {
	made := []B{}
	for _, a := range list {
		made = append(made, ours(a))
	}
	return made
}
