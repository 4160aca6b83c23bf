package telegram

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/supervisor"
)

const (
	secretHeader      = "X-Telegram-Bot-Api-Secret-Token"
	MaxUpdate         = 1 << 20          // bytes; an update has a few KiB
	bodyTimeout       = 10 * time.Second // for a body to come
	retryAfterSeconds = "5"              // seconds until Telegram is to repeat what could not be kept
	forgedLogInterval = time.Minute      // between two log lines about requests with a wrong secret
)

// WebhookOptions say who may deliver.
type WebhookOptions struct {
	Secret string // what setWebhook was told; never ""
	Log    hclog.Logger
	Health *Health
}

// Webhook takes the updates that Telegram delivers. Its answers have no body: Telegram would take one for a request.
type Webhook struct {
	client   *Client
	receiver Receiver
	secret   [sha256.Size]byte // its hash
	log      hclog.Logger
	health   *Health
	forged   throttle
}

// NewWebhook makes the handler. It is an error to have no secret: then anybody could write as anybody.
func NewWebhook(c *Client, gate Receiver, o WebhookOptions) (*Webhook, error) {
	if o.Secret == "" {
		return nil, errors.New("receive Telegram's updates by a webhook: there is no secret to know Telegram by")
	}
	return &Webhook{
		client:   c,
		receiver: gate,
		secret:   sha256.Sum256([]byte(o.Secret)),
		log:      loggerOr(o.Log),
		health:   healthOr(o.Health),
	}, nil
}

// ServeHTTP answers 2xx only for what is kept or will never be of use: all else is delivered again for 24 hours.
func (h *Webhook) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !h.authentic(r) {
		w.Header().Set("Connection", "close") // so that the body is not even thrown away
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	body, code := read(w, r)
	if code == http.StatusOK {
		code = h.receive(r.Context(), body)
	}
	if code == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", retryAfterSeconds)
	}
	w.WriteHeader(code)
}

// authentic compares the secret, by its hash so that neither its letters nor its length can be found out by the time that it
// takes. It comes before all else: whoever does not know the secret has nothing read.
func (h *Webhook) authentic(r *http.Request) bool {
	given := sha256.Sum256([]byte(r.Header.Get(secretHeader)))
	if subtle.ConstantTimeCompare(given[:], h.secret[:]) == 1 {
		return true
	}
	if n := h.forged.count(time.Now()); n > 0 {
		h.log.Warn("requests to the webhook without Telegram's secret", "count", n, "from", r.RemoteAddr)
	}
	return false
}

// read is the body, or the status of an answer that says why not.
func read(w http.ResponseWriter, r *http.Request) ([]byte, int) {
	if r.ContentLength > MaxUpdate {
		w.Header().Set("Connection", "close")
		return nil, http.StatusRequestEntityTooLarge
	}
	// net/http takes the deadline back at the body's end. A writer that can have none is no connection.
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyTimeout))
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxUpdate))
	if large := new(http.MaxBytesError); errors.As(err, &large) {
		return nil, http.StatusRequestEntityTooLarge
	}
	if err != nil {
		w.Header().Set("Connection", "close")
		return nil, http.StatusRequestTimeout
	}
	return body, http.StatusOK
}

// receive has an update kept.
func (h *Webhook) receive(ctx context.Context, body []byte) int {
	letter, err := Read(json.RawMessage(body), self(ctx, h.client, h.health))
	if err != nil {
		h.log.Warn("read an update from the webhook", "update", letter.Update, "error", err)
		return http.StatusServiceUnavailable
	}
	h.health.answered()
	if letter.Update == 0 {
		h.log.Warn("the webhook got what is no update; it is dropped", "bytes", len(body))
		return http.StatusOK
	}
	if err := h.receiver.Take(ctx, []supervisor.Incoming{letter}, 0); err != nil {
		h.log.Warn("keep an update from the webhook", "update", letter.Update, "error", err)
		return http.StatusServiceUnavailable
	}
	return http.StatusOK
}

// throttle counts what comes often, to tell of it seldom. The zero value is ready.
type throttle struct {
	mu     sync.Mutex
	n      int
	silent time.Time // until then nothing is told
}

// count is how many there were since the last that was told of; 0 while there is nothing to tell.
func (t *throttle) count(now time.Time) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.n++
	if now.Before(t.silent) {
		return 0
	}
	n := t.n
	t.n, t.silent = 0, now.Add(forgedLogInterval)
	return n
}
