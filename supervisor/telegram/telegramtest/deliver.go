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

// Limits of the delays between deliveries to a webhook that fails. (WebhookActor.cpp:
// on_update_error, handle.)
const (
	hookRetryMin   = 60 * time.Second // the least value of the longest delay
	hookRetryMax   = 2 * hookRetryMin // the greatest value of the longest delay
	maxRetryAfter  = 3600             // the longest wait that the webhook may ask for, in seconds
	closeAfter410s = 23 * time.Hour
)

// attempt is one delivery of an update to the webhook.
type attempt struct {
	queue  *chatUpdates
	update *update
	raw    []byte // a copy of the update's JSON, because a forgotten update drops its JSON
	url    string
	secret string
}

// attemptResult is the result of an attempt.
type attemptResult struct {
	code       int
	errorText  string // the error text; "" if the update was accepted
	retryAfter int
}

// deliverer delivers updates to the webhook.
type deliverer struct {
	server *serverState
	wake   <-chan struct{} // signals that an update may be ready to send
	client *http.Client
}

func newDeliverer(w *serverState, wake <-chan struct{}) *deliverer {
	return &deliverer{w, wake, &http.Client{
		Transport:     &http.Transport{MaxIdleConnsPerHost: 100},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// run delivers until ctx ends because the webhook was changed or removed.
func (c *deliverer) run(ctx context.Context) {
	defer c.client.CloseIdleConnections()
	for ctx.Err() == nil {
		attempts, pause := c.takeReady(ctx)
		for _, f := range attempts {
			c.server.lifetime.Go(func() { c.deliver(ctx, f) })
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

// takeReady returns the updates that may be sent now, and the wait for the next one.
func (c *deliverer) takeReady(ctx context.Context) (attempts []attempt, pause time.Duration) {
	w := c.server
	w.read(func() {
		if ctx.Err() != nil {
			return
		}
		h := &w.webhook
		for h.running < h.connections {
			l := h.queues.next(time.Now())
			if l == nil {
				break
			}
			if w.queue.expire(l.updates[0], w.now()) {
				h.queues.removeFirst(l)
				continue
			}
			h.running++
			attempts = append(attempts, attempt{l, l.updates[0], l.updates[0].raw, h.url, h.secret})
		}
		pause = time.Hour
		if at, ok := h.queues.firstWake(); ok {
			pause = max(time.Until(at), time.Millisecond)
		}
	})
	return attempts, pause
}

// deliver sends one update and handles the result.
func (c *deliverer) deliver(ctx context.Context, f attempt) {
	w := c.server
	result := c.post(ctx, f)
	if ctx.Err() != nil {
		return // the webhook has changed during the attempt
	}
	if result.errorText == "" {
		w.callBeforeConfirm([]int64{f.update.id})
	}
	w.change(func() {
		if ctx.Err() != nil {
			return
		}
		w.log.deliveries = append(w.log.deliveries, WebhookDelivery{f.update.id, w.now(), result.code,
			result.errorText})
		w.webhook.running--
		c.keepResult(f, result)
		w.webhook.wakeUp()
	})
}

// keepResult forgets an accepted update, and delays a refused update. The caller runs within
// serverState.change.
func (c *deliverer) keepResult(f attempt, l attemptResult) {
	w := c.server
	if l.errorText == "" {
		w.webhook.since410 = time.Time{}
		w.queue.drop(f.update)
		w.queue.compact()
		w.webhook.queues.removeFirst(f.queue)
		return
	}
	now := w.now()
	w.webhook.storeError(l.errorText, now)
	if w.webhook.closesAfter(l.code, now) {
		w.stopDelivering()
		return
	}
	delay := f.update.nextDelay(l.retryAfter)
	if now.Add(delay).After(f.update.expires) {
		w.queue.expired = append(w.queue.expired, f.update.id)
		w.queue.drop(f.update)
		w.webhook.queues.removeFirst(f.queue)
		return
	}
	w.webhook.queues.sleep(f.queue, time.Now().Add(w.scaled(delay)))
}

// nextDelay returns the wait before the next attempt. The first failure causes no delay. Then the
// delay is 2, 4, 8 ... seconds, up to a maximum between one and two minutes. The webhook may ask
// for another delay.
func (u *update) nextDelay(retryAfter int) time.Duration {
	wait := time.Duration(min(retryAfter, maxRetryAfter)) * time.Second
	if retryAfter == 0 && u.fails > 0 {
		longest := hookRetryMin + rand.N(hookRetryMax-hookRetryMin)
		u.delay = min(longest, max(u.delay, time.Second)*2)
		wait = u.delay
	}
	u.fails++
	return wait
}

// closesAfter reports whether the webhook is closed because it has answered 410 for too long.
func (h *webhook) closesAfter(code int, now time.Time) bool {
	if code != http.StatusGone {
		h.since410 = time.Time{}
		return false
	}
	if h.since410.IsZero() {
		h.since410 = now
	}
	return now.Sub(h.since410) > closeAfter410s
}

// post makes one request to the webhook.
func (c *deliverer) post(ctx context.Context, f attempt) attemptResult {
	ctx, cancel := context.WithTimeout(ctx, c.server.options.HookTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, f.url, bytes.NewReader(f.raw))
	if err != nil {
		return attemptResult{errorText: err.Error()}
	}
	req.Header.Set("Content-Type", "application/json")
	if f.secret != "" {
		req.Header.Set("X-Telegram-Bot-Api-Secret-Token", f.secret)
	}
	resp, err := c.client.Do(req)
	if err != nil {
		return attemptResult{errorText: noAnswerText(ctx, err)}
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 1<<20))
	if resp.StatusCode >= 200 && resp.StatusCode <= 299 {
		return attemptResult{code: resp.StatusCode}
	}
	retry, _ := strconv.Atoi(resp.Header.Get("Retry-After"))
	return attemptResult{
		code: resp.StatusCode, retryAfter: max(retry, 0),
		errorText: fmt.Sprintf("Wrong response from the webhook: %d %s", resp.StatusCode,
			http.StatusText(resp.StatusCode)),
	}
}

// noAnswerText returns Telegram's text for a missing answer.
func noAnswerText(ctx context.Context, err error) string {
	switch {
	case ctx.Err() != nil:
		return "Read timeout expired"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "Connection refused"
	}
	return "Webhook connection closed"
}
