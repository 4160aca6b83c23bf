package telegramtest

import (
	"cmp"
	"context"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	"mews/supervisor/internal/signals"
)

const hookTimeout = 60 * time.Second // how long the webhook may take for one update (tdlib/telegram-bot-api #341)

// webhook is the state of the bot's webhook. It is set if url is not "".
type webhook struct {
	url         string
	secret      string
	connections int
	setAt       time.Time // time of the last setWebhook
	errorAt     time.Time
	errorText   string
	since410    time.Time // start of an unbroken series of answers 410; zero if there is none
	queues      chatQueues
	running     int // number of running deliveries
	wake        chan struct{}
	stop        context.CancelFunc // stops the goroutine that delivers
}

func setWebhook(w *serverState, r *request) answer {
	now := w.now()
	if now.Sub(w.webhook.setAt) < time.Second { // refuse more than one setWebhook a second
		return tooMany(1)
	}
	w.webhook.setAt = now
	address := r.params.text("url")
	if address == "" {
		return deleteWebhook(w, r)
	}
	secret := r.params.text("secret_token")
	var allowed []string
	if err := r.params.decode("allowed_updates", &allowed); err != nil {
		return badRequest("can't parse allowed updates: %v", err)
	}
	if a := checkWebhook(address, secret); a.code != 0 {
		return a
	}
	w.queue.allow(allowed)
	if r.params.isTrue("drop_pending_updates") {
		w.queue.clear()
	}
	w.polls.end(otherHook)
	w.stopDelivering()
	w.webhook.url, w.webhook.secret = address, secret
	w.webhook.connections = int(r.params.clampedNumber("max_connections", 40, 1, 100))
	w.webhook.errorAt, w.webhook.errorText, w.webhook.since410 = time.Time{}, "", time.Time{}
	w.startDelivering()
	a := good(true)
	a.description = "Webhook was set"
	return a
}

// checkWebhook refuses a URL or secret that Telegram would refuse. Unlike Telegram, it allows plain
// http to this machine.
func checkWebhook(address, secret string) answer {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Host == "":
		return badRequest("bad webhook: invalid webhook URL specified")
	case u.Scheme != "https" && !(u.Scheme == "http" && loopback(u.Hostname())):
		return badRequest("bad webhook: An HTTPS URL must be provided for webhook")
	case len(secret) > 256:
		return badRequest("secret token is too long")
	case strings.IndexFunc(secret, func(r rune) bool { return !isNameRune(r) && r != '-' }) >= 0:
		return badRequest("secret token contains unallowed characters")
	}
	return answer{}
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

func deleteWebhook(w *serverState, r *request) answer {
	a := good(true)
	a.description = "Webhook was deleted"
	if w.webhook.url == "" {
		a.description = "Webhook is already deleted"
	}
	if r.params.isTrue("drop_pending_updates") {
		w.queue.clear()
	}
	w.stopDelivering()
	return a
}

func getWebhookInfo(w *serverState, _ *request) answer {
	v := map[string]any{
		"url": w.webhook.url, "has_custom_certificate": false, "pending_update_count": w.queue.countPending(w.now()),
	}
	if w.webhook.url != "" {
		v["max_connections"] = w.webhook.connections
	}
	if w.queue.allowedList != nil {
		v["allowed_updates"] = slices.Clone(w.queue.allowedList)
	}
	if w.webhook.errorText != "" {
		v["last_error_date"], v["last_error_message"] = w.webhook.errorAt.Unix(), w.webhook.errorText
	}
	return good(v)
}

// startDelivering starts the delivery of the waiting updates. The caller runs within
// serverState.change.
func (w *serverState) startDelivering() {
	ctx, stop := context.WithCancel(w.lifetime.ctx)
	w.webhook.stop = stop
	w.webhook.running = 0
	// a new channel; the previous deliverer may still be ending, and must not take wake-ups of the
	// new deliverer
	w.webhook.wake = make(chan struct{}, 1)
	w.webhook.queues = chatQueues{byID: map[int64]*chatUpdates{}}
	for _, u := range w.queue.entries {
		w.webhook.queues.add(u)
	}
	w.queue.notify = func(u *update) {
		w.webhook.queues.add(u)
		w.webhook.wakeUp()
	}
	c := newDeliverer(w, w.webhook.wake)
	w.lifetime.Go(func() { c.run(ctx) })
}

// stopDelivering stops the deliveries, if there is a webhook. The caller runs within
// serverState.change.
func (w *serverState) stopDelivering() {
	if w.webhook.url == "" {
		return
	}
	w.webhook.stop()
	w.webhook.url, w.queue.notify = "", nil
	w.webhook.queues = chatQueues{}
}

func (h *webhook) wakeUp() {
	signals.SendToken(h.wake)
}

// storeError stores the text of the webhook's last error.
func (h *webhook) storeError(text string, now time.Time) {
	h.errorAt, h.errorText = now, cmp.Or(text, h.errorText)
}
