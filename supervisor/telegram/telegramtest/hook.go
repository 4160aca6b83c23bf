package telegramtest

import (
	"cmp"
	"context"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"
)

const hookTimeout = 60 * time.Second // for one update (tdlib/telegram-bot-api #341)

// hook is the webhook. Without a url there is none.
type hook struct {
	url         string
	secret      string
	connections int
	set         time.Time // when setWebhook was last called
	errorAt     time.Time
	errorText   string
	since410    time.Time // of the 410s that come one after the other; zero for none
	lanes       lanes
	flying      int // deliveries on their way
	wake        chan struct{}
	stop        context.CancelFunc // ends the goroutine that delivers
}

func setWebhook(w *world, r *request) answer {
	now := w.now()
	if now.Sub(w.hook.set) < time.Second { // at most one a second
		return tooMany(1)
	}
	w.hook.set = now
	address := r.params.text("url")
	if address == "" {
		return deleteWebhook(w, r)
	}
	secret := r.params.text("secret_token")
	var allowed []string
	if err := r.params.decode("allowed_updates", &allowed); err != nil {
		return bad("can't parse allowed updates: %v", err)
	}
	if a := checkHook(address, secret); a.code != 0 {
		return a
	}
	w.queue.allow(allowed)
	if r.params.flag("drop_pending_updates") {
		w.queue.clear()
	}
	w.polls.end(otherHook)
	w.closeHook()
	w.hook.url, w.hook.secret = address, secret
	w.hook.connections = int(r.params.within("max_connections", 40, 1, 100))
	w.hook.errorAt, w.hook.errorText, w.hook.since410 = time.Time{}, "", time.Time{}
	w.openHook()
	a := good(true)
	a.description = "Webhook was set"
	return a
}

// checkHook refuses a webhook that Telegram would not call. Here http may lead to this machine.
func checkHook(address, secret string) answer {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Host == "":
		return bad("bad webhook: invalid webhook URL specified")
	case u.Scheme != "https" && !(u.Scheme == "http" && loopback(u.Hostname())):
		return bad("bad webhook: An HTTPS URL must be provided for webhook")
	case len(secret) > 256:
		return bad("secret token is too long")
	case strings.IndexFunc(secret, func(r rune) bool { return !named(r) && r != '-' }) >= 0:
		return bad("secret token contains unallowed characters")
	}
	return answer{}
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

func deleteWebhook(w *world, r *request) answer {
	a := good(true)
	a.description = "Webhook was deleted"
	if w.hook.url == "" {
		a.description = "Webhook is already deleted"
	}
	if r.params.flag("drop_pending_updates") {
		w.queue.clear()
	}
	w.closeHook()
	return a
}

func getWebhookInfo(w *world, _ *request) answer {
	v := map[string]any{
		"url": w.hook.url, "has_custom_certificate": false, "pending_update_count": w.queue.pending(w.now()),
	}
	if w.hook.url != "" {
		v["max_connections"] = w.hook.connections
	}
	if w.queue.list != nil {
		v["allowed_updates"] = slices.Clone(w.queue.list)
	}
	if w.hook.errorText != "" {
		v["last_error_date"], v["last_error_message"] = w.hook.errorAt.Unix(), w.hook.errorText
	}
	return good(v)
}

// openHook begins to deliver what waits. The caller is in do.
func (w *world) openHook() {
	ctx, stop := context.WithCancel(w.life.ctx)
	w.hook.stop = stop
	w.hook.flying = 0
	w.hook.wake = make(chan struct{}, 1) // its own: one that ends must not take another's wake-up
	w.hook.lanes = lanes{byID: map[int64]*lane{}}
	for _, u := range w.queue.entries {
		w.hook.lanes.add(u)
	}
	w.queue.notify = func(u *update) {
		w.hook.lanes.add(u)
		w.hook.nudge()
	}
	c := newCourier(w, w.hook.wake)
	w.life.Go(func() { c.run(ctx) })
}

// closeHook ends the webhook, if there is one. The caller is in do.
func (w *world) closeHook() {
	if w.hook.url == "" {
		return
	}
	w.hook.stop()
	w.hook.url, w.queue.notify = "", nil
	w.hook.lanes = lanes{}
}

func (h *hook) nudge() {
	select {
	case h.wake <- struct{}{}:
	default:
	}
}

// failed keeps why the webhook did not take an update.
func (h *hook) failed(text string, now time.Time) {
	h.errorAt, h.errorText = now, cmp.Or(text, h.errorText)
}
