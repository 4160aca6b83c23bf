package telegramtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"syscall"
	"time"
)

// How the webhook is called again. (WebhookActor.cpp: on_update_error, handle.)
const (
	hookRetryMin   = 60 * time.Second // the longest delay is between this
	hookRetryMax   = 2 * hookRetryMin // and this
	maxRetryAfter  = 3600             // seconds that the webhook may ask for
	closeAfter410s = 23 * time.Hour
)

// flight is an update on its way to the webhook.
type flight struct {
	lane   *lane
	update *update
	raw    []byte // the update's, which is let go of when it is forgotten
	url    string
	secret string
}

// landing is what became of it.
type landing struct {
	code       int
	text       string // "" where it was taken
	retryAfter int
}

// courier brings updates to the webhook.
type courier struct {
	w      *world
	wake   <-chan struct{} // there may be something to send
	client *http.Client
}

func newCourier(w *world, wake <-chan struct{}) *courier {
	return &courier{w, wake, &http.Client{
		Transport:     &http.Transport{MaxIdleConnsPerHost: 100},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// run delivers until ctx ends: the webhook is another one then, or none.
func (c *courier) run(ctx context.Context) {
	defer c.client.CloseIdleConnections()
	for ctx.Err() == nil {
		flights, pause := c.takeOff(ctx)
		for _, f := range flights {
			c.w.life.Go(func() { c.fly(ctx, f) })
		}
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
		case <-c.wake:
		case <-timer.C:
		}
		timer.Stop()
	}
}

// takeOff is what may be sent now, and how long there will be nothing more by itself.
func (c *courier) takeOff(ctx context.Context) (flights []flight, pause time.Duration) {
	w := c.w
	w.look(func() {
		if ctx.Err() != nil {
			return
		}
		h := &w.hook
		for h.flying < h.connections {
			l := h.lanes.next(time.Now())
			if l == nil {
				break
			}
			if w.queue.expire(l.updates[0], w.now()) {
				h.lanes.done(l)
				continue
			}
			h.flying++
			flights = append(flights, flight{l, l.updates[0], l.updates[0].raw, h.url, h.secret})
		}
		pause = time.Hour
		if at, ok := h.lanes.wakes(); ok {
			pause = max(time.Until(at), time.Millisecond)
		}
	})
	return flights, pause
}

// fly sends one update and sees to what comes of it.
func (c *courier) fly(ctx context.Context, f flight) {
	w := c.w
	landed := c.post(ctx, f)
	if ctx.Err() != nil {
		return // the webhook is another one by now
	}
	if landed.text == "" {
		w.check([]int64{f.update.id})
	}
	w.do(func() {
		if ctx.Err() != nil {
			return
		}
		w.journal.deliveries = append(w.journal.deliveries, Delivery{f.update.id, w.now(), landed.code, landed.text})
		w.hook.flying--
		c.land(f, landed)
		w.hook.nudge()
	})
}

// land forgets an update that was taken, and has one that was not wait. The caller is in do.
func (c *courier) land(f flight, l landing) {
	w := c.w
	if l.text == "" {
		w.hook.since410 = time.Time{}
		w.queue.drop(f.update)
		w.queue.compact()
		w.hook.lanes.done(f.lane)
		return
	}
	now := w.now()
	w.hook.failed(l.text, now)
	if w.hook.tiredOf(l.code, now) {
		w.closeHook()
		return
	}
	delay := f.update.next(l.retryAfter)
	if now.Add(delay).After(f.update.expires) {
		w.queue.expired = append(w.queue.expired, f.update.id)
		w.queue.drop(f.update)
		w.hook.lanes.done(f.lane)
		return
	}
	w.hook.lanes.sleep(f.lane, time.Now().Add(w.wait(delay)))
}

// next is how long an update waits after another failure: not at all at first, then 2, 4, 8 ... seconds up to between one
// and two minutes, or what the webhook has asked for.
func (u *update) next(retryAfter int) time.Duration {
	wait := time.Duration(min(retryAfter, maxRetryAfter)) * time.Second
	if retryAfter == 0 && u.fails > 0 {
		longest := hookRetryMin + rand.N(hookRetryMax-hookRetryMin)
		u.delay = min(longest, max(u.delay, time.Second)*2)
		wait = u.delay
	}
	u.fails++
	return wait
}

// tiredOf says whether the webhook has said 410 for so long that it is closed.
func (h *hook) tiredOf(code int, now time.Time) bool {
	if code != http.StatusGone {
		h.since410 = time.Time{}
		return false
	}
	if h.since410.IsZero() {
		h.since410 = now
	}
	return now.Sub(h.since410) > closeAfter410s
}

// post is one request to the webhook.
func (c *courier) post(ctx context.Context, f flight) landing {
	ctx, cancel := context.WithTimeout(ctx, c.w.options.HookTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, f.url, bytes.NewReader(f.raw))
	if err != nil {
		return landing{text: err.Error()}
	}
	req.Header.Set("Content-Type", "application/json")
	if f.secret != "" {
		req.Header.Set("X-Telegram-Bot-Api-Secret-Token", f.secret)
	}
	resp, err := c.client.Do(req)
	if err != nil {
		return landing{text: unreached(ctx, err)}
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 1<<20))
	if resp.StatusCode >= 200 && resp.StatusCode <= 299 {
		return landing{code: resp.StatusCode}
	}
	retry, _ := strconv.Atoi(resp.Header.Get("Retry-After"))
	return landing{
		code: resp.StatusCode, retryAfter: max(retry, 0),
		text: fmt.Sprintf("Wrong response from the webhook: %d %s", resp.StatusCode, http.StatusText(resp.StatusCode)),
	}
}

// unreached is how Telegram says that there was no answer.
func unreached(ctx context.Context, err error) string {
	switch {
	case ctx.Err() != nil:
		return "Read timeout expired"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "Connection refused"
	}
	return "Webhook connection closed"
}
