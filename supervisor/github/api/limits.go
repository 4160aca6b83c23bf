package api

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// GitHub's secondary limits for writes (docs.github.com, rate limits for the REST API). The periods
// here are slightly longer, because GitHub counts a request when it arrives.
const (
	minuteWrites = 80
	hourWrites   = 500
	minute       = time.Minute + 2*time.Second
	hour         = time.Hour + 2*time.Second

	leastPause   = time.Minute // pause if GitHub tells no waiting time; each further pause is twice as long
	longestPause = time.Hour
)

// LimitStore stores how much of GitHub's rate limits is used up, so that a restart keeps it.
type LimitStore interface {
	// LoadLimit returns the stored value of a key; nil if there is none.
	LoadLimit(ctx context.Context, key string) ([]byte, error)
	SaveLimit(ctx context.Context, key string, value []byte) error
}

// noLimitStore is a LimitStore that stores nothing.
type noLimitStore struct{}

func (noLimitStore) LoadLimit(context.Context, string) ([]byte, error) { return nil, nil }
func (noLimitStore) SaveLimit(context.Context, string, []byte) error   { return nil }

// usage is how much of an account's rate limits is used up. It is stored as JSON.
type usage struct {
	// end of the pause for each resource; the key "" means all resources
	Paused map[string]time.Time `json:"paused,omitempty"`
	// number of successive refusals in which GitHub told no waiting time
	Refused int `json:"refused,omitempty"`
	// times of the writes within the last hour, in milliseconds, oldest first
	Writes []int64 `json:"writes,omitempty"`
}

// limiter refuses requests that GitHub would refuse. Limits count per account: the token's owner,
// or the owner of the App's installation.
type limiter struct {
	store LimitStore
	now   func() time.Time

	mu       sync.Mutex // guards accounts, and keeps saves in order
	accounts map[string]*usage
}

func newLimiter(store LimitStore, now func() time.Time) *limiter {
	if store == nil {
		store = noLimitStore{}
	}
	return &limiter{store: store, now: now, accounts: map[string]*usage{}}
}

// admit counts a request before it is sent. It returns an error if a limit forbids the request now.
func (l *limiter) admit(ctx context.Context, k *call, account, resource string, write bool) error {
	if k.isFree {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	u, err := l.load(ctx, account)
	if err != nil {
		return err
	}
	now := l.now()
	until := later(u.Paused[""], u.Paused[resource])
	if write {
		until = later(until, u.nextWrite(now))
	}
	if until.After(now) {
		return limited(k, 0, "", until)
	}
	if !write {
		return nil
	}
	u.Writes = append(u.Writes, now.UnixMilli())
	return l.save(ctx, account, u)
}

// nextWrite returns the earliest time for another write.
func (u *usage) nextWrite(now time.Time) time.Time {
	for len(u.Writes) > 0 && time.UnixMilli(u.Writes[0]).Add(hour).Before(now) {
		u.Writes = u.Writes[1:]
	}
	var until time.Time
	if n := len(u.Writes); n >= minuteWrites {
		until = time.UnixMilli(u.Writes[n-minuteWrites]).Add(minute)
	}
	if n := len(u.Writes); n >= hourWrites {
		until = later(until, time.UnixMilli(u.Writes[n-hourWrites]).Add(hour))
	}
	return until
}

// end records the limits in an answer, before the caller gets the answer. If a limit is used up,
// end returns an *Error.
func (l *limiter) end(ctx context.Context, k *call, account, resource string, resp *http.Response) error {
	text, over := overLimit(resp)
	l.mu.Lock()
	defer l.mu.Unlock()
	u, err := l.load(ctx, account)
	if err != nil {
		return err
	}
	now := l.now()
	paused, until := u.note(resp, resource, over, now)
	if !until.IsZero() || !over && u.Refused > 0 {
		if !over {
			u.Refused = 0
		}
		if !until.IsZero() {
			if u.Paused == nil {
				u.Paused = map[string]time.Time{}
			}
			u.Paused[paused] = later(u.Paused[paused], until)
		}
		// The pause is saved even if the caller has stopped the request.
		if err := l.save(context.WithoutCancel(ctx), account, u); err != nil {
			return err
		}
	}
	if over {
		return limited(k, resp.StatusCode, text, until)
	}
	return nil
}

// note records the pause that an answer requires, and returns its resource and its end. "" means
// all resources.
func (u *usage) note(resp *http.Response, resource string, over bool, now time.Time) (paused string, until time.Time) {
	if seconds, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil && over {
		return "", now.Add(time.Duration(max(seconds, 1)) * time.Second)
	}
	if resp.Header.Get("X-RateLimit-Remaining") == "0" {
		return resource, now.Add(untilReset(resp.Header, now))
	}
	if !over {
		return "", time.Time{}
	}
	pause := min(leastPause<<min(u.Refused, 10), longestPause)
	u.Refused++
	return "", now.Add(pause)
}

// untilReset returns the time until the limit is reset. It uses GitHub's clock if the answer has
// the header Date.
func untilReset(h http.Header, now time.Time) time.Duration {
	reset, err := strconv.ParseInt(h.Get("X-RateLimit-Reset"), 10, 64)
	if err != nil {
		return leastPause
	}
	if date, err := http.ParseTime(h.Get("Date")); err == nil {
		now = date
	}
	return max(time.Unix(reset, 0).Sub(now), 0) + time.Second
}

// overLimit reports whether an answer means that a limit is used up, and returns GitHub's text. A
// 403 may also be about permissions; headers and text tell the difference. The body can be read
// again.
func overLimit(resp *http.Response) (text string, over bool) {
	if resp.StatusCode != http.StatusForbidden && resp.StatusCode != http.StatusTooManyRequests {
		return "", false
	}
	body, _ := io.ReadAll(io.LimitReader(resp.Body, maxRefusal)) // the beginning of the text is enough
	_ = resp.Body.Close()                                        // an error of Close does no harm
	resp.Body = io.NopCloser(bytes.NewReader(body))
	text = refusalText(body)
	said := strings.ToLower(text)
	return text, resp.StatusCode == http.StatusTooManyRequests || resp.Header.Get("Retry-After") != "" ||
		resp.Header.Get("X-RateLimit-Remaining") == "0" || strings.Contains(said, "rate limit") || strings.Contains(said, "abuse detection")
}

func limited(k *call, status int, text string, until time.Time) *Error {
	e := newError(RateLimited, k.action, status, text, nil)
	e.Until = until
	return e
}

func (l *limiter) load(ctx context.Context, account string) (*usage, error) {
	if u := l.accounts[account]; u != nil {
		return u, nil
	}
	kept, err := l.store.LoadLimit(ctx, limitsKey(account))
	if err != nil {
		return nil, fmt.Errorf("read github's limits: %w", err)
	}
	u := new(usage)
	if kept != nil {
		if err := json.Unmarshal(kept, u); err != nil {
			return nil, fmt.Errorf("read github's limits: %w", err)
		}
	}
	l.accounts[account] = u
	return u, nil
}

func (l *limiter) save(ctx context.Context, account string, u *usage) error {
	value, err := json.Marshal(u)
	if err == nil {
		err = l.store.SaveLimit(ctx, limitsKey(account), value)
	}
	if err != nil {
		return fmt.Errorf("keep github's limits: %w", err)
	}
	return nil
}

func limitsKey(account string) string { return "limits/" + account }

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// resourceOf returns the resource whose primary limit a request counts against.
func resourceOf(path string) string {
	switch {
	case strings.HasSuffix(path, "/graphql"):
		return "graphql"
	case strings.HasPrefix(path, "/search/"), strings.HasPrefix(path, "/api/v3/search/"):
		return "search"
	}
	return "core"
}
