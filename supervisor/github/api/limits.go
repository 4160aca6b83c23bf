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

// GitHub's secondary limits (docs.github.com, rate limits for the REST API): so many writes of
// content. The windows are a little longer here, since GitHub counts when a request comes.
const (
	minuteWrites = 80
	hourWrites   = 500
	minute       = time.Minute + 2*time.Second
	hour         = time.Hour + 2*time.Second

	leastPause   = time.Minute // where GitHub does not say how long; it doubles each time
	longestPause = time.Hour
)

// Store keeps small values over restarts: what of GitHub's limits is used up.
type Store interface {
	// Kept is a value, nil where there is none.
	Kept(ctx context.Context, key string) ([]byte, error)
	Keep(ctx context.Context, key string, value []byte) error
}

// memory is a Store that ends with the process.
type memory struct{}

func (memory) Kept(context.Context, string) ([]byte, error) { return nil, nil }
func (memory) Keep(context.Context, string, []byte) error   { return nil }

// usage is what an account has used up.
type usage struct {
	// until when nothing is sent, by resource; "" is all
	Paused map[string]time.Time `json:"paused,omitempty"`
	// how often one after the other without saying how long
	Refused int `json:"refused,omitempty"`
	// when, in milliseconds, within the last hour; ascending
	Writes []int64 `json:"writes,omitempty"`
}

// limiter holds requests back that GitHub would refuse. An account is an App's installation, by its
// owner, or the token's.
type limiter struct {
	store Store
	now   func() time.Time

	mu       sync.Mutex // guards accounts, and orders what is kept
	accounts map[string]*usage
}

func newLimiter(store Store, now func() time.Time) *limiter {
	if store == nil {
		store = memory{}
	}
	return &limiter{store: store, now: now, accounts: map[string]*usage{}}
}

// begin counts a request, or refuses it.
func (l *limiter) begin(ctx context.Context, k *call, account, resource string, write bool) error {
	if k.free {
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
		until = later(until, u.room(now))
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

// room is when there is room for one more write.
func (u *usage) room(now time.Time) time.Time {
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

// end keeps what an answer says of the limits, before anybody is told of the answer. It is an
// *Error where the answer is that one of them is used up.
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
		// A caller that has gone must not have the pause forgotten.
		if err := l.save(context.WithoutCancel(ctx), account, u); err != nil {
			return err
		}
	}
	if over {
		return limited(k, resp.StatusCode, text, until)
	}
	return nil
}

// note is what pauses until when after an answer: "" for everything.
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

// untilReset is how long until the limit is whole again, by GitHub's own clock where it says its
// time.
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

// overLimit says whether an answer is that a limit is used up, and GitHub's words. 403 is told from
// one that is about permissions by its headers or its words. The body can be read again.
func overLimit(resp *http.Response) (text string, over bool) {
	if resp.StatusCode != http.StatusForbidden && resp.StatusCode != http.StatusTooManyRequests {
		return "", false
	}
	body, _ := io.ReadAll(io.LimitReader(resp.Body, maxRefusal)) // what came of it is good enough
	_ = resp.Body.Close()                                        // of a body that was read
	resp.Body = io.NopCloser(bytes.NewReader(body))
	text = refusalText(body)
	said := strings.ToLower(text)
	return text, resp.StatusCode == http.StatusTooManyRequests || resp.Header.Get("Retry-After") != "" ||
		resp.Header.Get("X-RateLimit-Remaining") == "0" || strings.Contains(said, "rate limit") || strings.Contains(said, "abuse detection")
}

func limited(k *call, status int, text string, until time.Time) *Error {
	e := newError(Limited, k.what, status, text, nil)
	e.Until = until
	return e
}

func (l *limiter) load(ctx context.Context, account string) (*usage, error) {
	if u := l.accounts[account]; u != nil {
		return u, nil
	}
	kept, err := l.store.Kept(ctx, limitsKey(account))
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
		err = l.store.Keep(ctx, limitsKey(account), value)
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

// resourceOf is which of GitHub's primary limits a request draws on.
func resourceOf(path string) string {
	switch {
	case strings.HasSuffix(path, "/graphql"):
		return "graphql"
	case strings.HasPrefix(path, "/search/"), strings.HasPrefix(path, "/api/v3/search/"):
		return "search"
	}
	return "core"
}
