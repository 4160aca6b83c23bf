// Package api is the only client of GitHub: REST by google/go-github, which only this package
// imports, and GraphQL. It returns structs of its own, and every error is an *Error. It makes the
// requests that its callers want, and decides nothing.
//
// A repository's name is always owner/name. A client may be used from several goroutines at once.
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
	timeout   = 60 * time.Second // time limit for a request and its answer; GitHub gives up after 10 s
	pageSize  = 100              // elements on a page; GitHub's maximum
)

// Options configure a Client. Exactly one of Token and App is set.
type Options struct {
	URL   string        // "" means github.com; otherwise the address of a GitHub Enterprise, with or without /api/v3/
	Token func() string // returns the token; as a function, it is never printed by accident
	App   *App
	Store LimitStore        // stores the used part of the limits; nil means in memory
	Now   func() time.Time  // nil means time.Now
	HTTP  http.RoundTripper // nil means net/http with timeouts
}

// App identifies a GitHub App.
type App struct {
	ID  int64
	Key func() string // returns the App's private key in PEM
}

// Client calls GitHub's API.
type Client struct {
	gh      *github.Client
	auth    *authorizer
	limits  *limiter
	clock   *clock
	graphql string // the URL of GraphQL
	now     func() time.Time
}

// New returns a client. It sends no request.
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
	client := &http.Client{Timeout: timeout, CheckRedirect: followOnHost(base.Host), Transport: &transport{inner, base.Host, auth, c.limits, c.clock, o.Now}}
	c.gh = github.NewClient(client)
	c.gh.BaseURL, c.gh.UserAgent = base, "mews"
	auth.gh = c.gh
	return c, nil
}

// baseURL returns the address of the REST API. (Like go-github's WithEnterpriseURLs.)
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

// call describes one request for the transport.
type call struct {
	action   string // the attempted action, for texts to users: read pull request acme/widget#3
	repo     string // the repository; "" if the request is about none
	need     need   // the permissions that the token of an installation needs
	isRead   bool   // the request changes nothing, even if it is a POST
	isFree   bool   // the request does not count against a rate limit
	etag     string // the ETag of an earlier answer; an unchanged answer is not sent again
	maxBytes int64  // maximum size of the answer in bytes; 0 means maxAnswer

	// The transport sets the fields below.
	answerETag     string // ETag of the answer
	mayHaveWritten bool   // the request has changed content, or may have
}

type callKey struct{}

func callOf(ctx context.Context) *call {
	c, _ := ctx.Value(callKey{}).(*call)
	return c
}

// ask makes a call of go-github.
func ask[T any](ctx context.Context, c *Client, k *call, do func(ctx context.Context, owner, name string) (T, *github.Response, error)) (T, *github.Response, error) {
	var none T
	owner, name, ok := strings.Cut(k.repo, "/")
	if k.repo != "" && (!ok || owner == "" || name == "" || strings.ContainsAny(name, "/?#%") || strings.ContainsAny(owner, "?#%")) {
		return none, nil, newError(InvalidRequest, k.action, 0, "", fmt.Errorf("%q is no owner/name", k.repo))
	}
	value, resp, err := do(context.WithValue(ctx, callKey{}, k), owner, name)
	if accepted := new(github.AcceptedError); errors.As(err, &accepted) {
		err = nil // status 202: GitHub will do it soon
	}
	if err != nil {
		return none, resp, c.explain(ctx, k, err)
	}
	return value, resp, nil
}

// pages reads a list, at most most elements. more reports whether there are further elements.
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
			k.answerETag = "" // an ETag holds for its page only
		}
		k.etag = ""
		if len(all) >= most || resp.NextPage == 0 {
			return all[:min(len(all), most)], len(all) > most || resp.NextPage != 0, nil
		}
		page.Page = resp.NextPage
	}
}

// convertAll converts each element of a list.
func convertAll[A, B any](list []A, ours func(A) B) []B {
	made := []B{}
	for _, a := range list {
		made = append(made, ours(a))
	}
	return made
}
