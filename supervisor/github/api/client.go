// Package api is the only client of GitHub. For REST it uses google/go-github, which no other
// package imports; for GraphQL it has its own code. It returns structs of its own, and every error
// is an *Error. It makes the requests that its callers want, and decides nothing. The name of a
// repository is always owner/name. Several goroutines may use a client at once.
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
	timeout   = 60 * time.Second // time limit for a request with its answer; GitHub itself gives up after 10 s
	pageSize  = 100              // number of elements on a page; GitHub's maximum
)

// Options configure a Client. Exactly one of Token and App is set.
type Options struct {
	URL   string        // address of a GitHub Enterprise, with or without /api/v3/; "" means github.com
	Token func() string // returns the token; a function, so that the token is never printed by accident
	App   *App
	Store LimitStore        // stores how much of the rate limits is used up; nil means only in memory
	Now   func() time.Time  // returns the current time; nil means time.Now
	HTTP  http.RoundTripper // sends the requests; nil means net/http with timeouts
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
	graphql string // URL for GraphQL
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
	action   string // the action in words, for texts to users: read pull request acme/widget#3
	repo     string // name of the repository; "" if the request is about no repository
	need     need   // permissions that an App's token needs for the call
	isRead   bool   // the request only reads, even if it is a POST
	isFree   bool   // the request does not count against a rate limit
	etag     string // ETag of an earlier answer; GitHub does not send an unchanged answer again
	maxBytes int64  // maximum size of the answer in bytes; 0 means maxAnswer

	// The transport sets the fields below.
	answerETag     string // ETag of the answer
	mayHaveWritten bool   // the request has changed content on GitHub, or may have
}

type callKey struct{}

func callOf(ctx context.Context) *call {
	c, _ := ctx.Value(callKey{}).(*call)
	return c
}

// ask makes a call by a function of go-github.
func ask[T any](ctx context.Context, c *Client, k *call, do func(ctx context.Context, owner, name string) (T, *github.Response, error)) (T, *github.Response, error) {
	var none T
	owner, name, ok := strings.Cut(k.repo, "/")
	if k.repo != "" && (!ok || owner == "" || name == "" || strings.ContainsAny(name, "/?#%") || strings.ContainsAny(owner, "?#%")) {
		return none, nil, newError(InvalidRequest, k.action, 0, "", fmt.Errorf("%q is no owner/name", k.repo))
	}
	value, resp, err := do(context.WithValue(ctx, callKey{}, k), owner, name)
	if accepted := new(github.AcceptedError); errors.As(err, &accepted) {
		err = nil // GitHub answered 202: it has accepted the request and will do it soon
	}
	if err != nil {
		return none, resp, c.explain(ctx, k, err)
	}
	return value, resp, nil
}

// pages reads the pages of a list, up to most elements. more reports whether the list has further
// elements.
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
			k.answerETag = "" // an ETag holds only for one page, not for the list
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
