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

// GitHub's secondary limits: the number of writes in a time. (docs.github.com, rate limits for the
// REST API) The windows are slightly longer here, because GitHub counts when a request arrives.
const (
	minuteWrites = 80
	hourWrites   = 500
	minute       = time.Minute + 2*time.Second
	hour         = time.Hour + 2*time.Second

	leastPause   = time.Minute // pause if GitHub does not say how long; each further pause doubles
	longestPause = time.Hour
)

// Store keeps small values across restarts: the used part of GitHub's limits.
type Store interface {
	// Kept returns a value; nil if there is none.
	Kept(ctx context.Context, key string) ([]byte, error)
	Keep(ctx context.Context, key string, value []byte) error
}

// memory is a Store that keeps nothing across restarts.
type memory struct{}

func (memory) Kept(context.Context, string) ([]byte, error) { return nil, nil }
func (memory) Keep(context.Context, string, []byte) error   { return nil }

// usage is the used part of an account's limits.
type usage struct {
	// the end of each pause by resource; "" means all resources
	Paused map[string]time.Time `json:"paused,omitempty"`
	// refusals in a row without a waiting time
	Refused int `json:"refused,omitempty"`
	// times of writes within the last hour, in milliseconds, ascending
	Writes []int64 `json:"writes,omitempty"`
}

// limiter holds back requests that GitHub would refuse. An account is the owner of the token, or
// for an App the owner of the installation.
type limiter struct {
	store Store
	now   func() time.Time

	mu       sync.Mutex // guards accounts, and orders the saves
	accounts map[string]*usage
}

func newLimiter(store Store, now func() time.Time) *limiter {
	if store == nil {
		store = memory{}
	}
	return &limiter{store: store, now: now, accounts: map[string]*usage{}}
}

// admit counts a request, or refuses it.
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

// nextWrite returns the time when one more write is allowed.
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

// end records an answer's limits before the caller gets the answer. It returns an *Error if the
// answer says that a limit is used up.
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
		// The pause must be saved even if the caller has gone.
		if err := l.save(context.WithoutCancel(ctx), account, u); err != nil {
			return err
		}
	}
	if over {
		return limited(k, resp.StatusCode, text, until)
	}
	return nil
}

// note records the pause that an answer demands: its resource, "" for all, and its end.
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

// untilReset returns the time until the limit is reset. It uses GitHub's own clock if the answer
// has GitHub's time.
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

// overLimit reports whether an answer says that a limit is used up, and returns GitHub's text. The
// answer may be a 403. Headers or text distinguish it from a 403 about permissions. The body can be
// read again.
func overLimit(resp *http.Response) (text string, over bool) {
	if resp.StatusCode != http.StatusForbidden && resp.StatusCode != http.StatusTooManyRequests {
		return "", false
	}
	body, _ := io.ReadAll(io.LimitReader(resp.Body, maxRefusal)) // a partial text is enough
	_ = resp.Body.Close()                                        // the body was read, so an error does not matter
	resp.Body = io.NopCloser(bytes.NewReader(body))
	text = refusalText(body)
	said := strings.ToLower(text)
	return text, resp.StatusCode == http.StatusTooManyRequests || resp.Header.Get("Retry-After") != "" ||
		resp.Header.Get("X-RateLimit-Remaining") == "0" || strings.Contains(said, "rate limit") || strings.Contains(said, "abuse detection")
}

func limited(k *call, status int, text string, until time.Time) *Error {
	e := newError(Limited, k.action, status, text, nil)
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

// resourceOf returns the primary limit that a request uses.
func resourceOf(path string) string {
	switch {
	case strings.HasSuffix(path, "/graphql"):
		return "graphql"
	case strings.HasPrefix(path, "/search/"), strings.HasPrefix(path, "/api/v3/search/"):
		return "search"
	}
	return "core"
}
