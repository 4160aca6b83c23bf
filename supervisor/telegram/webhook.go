package telegram

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/supervisor"
	"mews/supervisor/internal/rare"
)

// MaxUpdate is how long the body of a delivery may be, in bytes. An update has a few KiB.
const MaxUpdate = 1 << 20

const (
	secretHeader      = "X-Telegram-Bot-Api-Secret-Token"
	bodyTimeout       = 10 * time.Second // for a body to come
	retryAfterSeconds = "5"              // until Telegram is to repeat what could not be kept
)

// WebhookOptions say who may deliver.
type WebhookOptions struct {
	Secret string // what setWebhook was told; never ""
	Log    hclog.Logger
	Health *Health
}

// Webhook takes the updates that Telegram delivers. Its answers have no body: Telegram would take
// one for a request.
type Webhook struct {
	client   *Client
	receiver Receiver
	secret   [sha256.Size]byte // its hash
	log      hclog.Logger
	health   *Health
	forged   rare.Throttle // requests with a wrong secret
}

// NewWebhook makes the handler. To have no secret is an error: anybody could write as anybody then.
func NewWebhook(c *Client, receiver Receiver, o WebhookOptions) (*Webhook, error) {
	if o.Secret == "" {
		return nil, errors.New("receive Telegram's updates by a webhook: there is no secret to know Telegram by")
	}
	return &Webhook{
		client: c, receiver: receiver, secret: sha256.Sum256([]byte(o.Secret)), log: loggerOr(o.Log), health: healthOr(o.Health),
	}, nil
}

// ServeHTTP answers 2xx only for what is kept or will never be of use: all else is delivered again
// for 24 hours.
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
	body, code := readBody(w, r)
	if code == http.StatusOK {
		code = h.receive(r.Context(), body)
	}
	if code == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", retryAfterSeconds)
	}
	w.WriteHeader(code)
}

// authentic compares the secret before anything is read. It compares hashes, so that the time it
// takes tells neither the secret's letters nor its length.
func (h *Webhook) authentic(r *http.Request) bool {
	given := sha256.Sum256([]byte(r.Header.Get(secretHeader)))
	if subtle.ConstantTimeCompare(given[:], h.secret[:]) == 1 {
		return true
	}
	if n := h.forged.Count("", time.Now()); n > 0 {
		h.log.Warn("requests to the webhook without Telegram's secret", "count", n, "from", r.RemoteAddr)
	}
	return false
}

// readBody is the body, or the status of an answer that says why not.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, int) {
	if r.ContentLength > MaxUpdate {
		w.Header().Set("Connection", "close")
		return nil, http.StatusRequestEntityTooLarge
	}
	// net/http takes the deadline back at the body's end. A writer that can have none is no
	// connection.
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyTimeout))
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxUpdate))
	switch {
	case err == nil:
		return body, http.StatusOK
	case errors.As(err, new(*http.MaxBytesError)):
		return nil, http.StatusRequestEntityTooLarge
	}
	w.Header().Set("Connection", "close")
	return nil, http.StatusRequestTimeout
}

// receive has an update kept, and is the status of the answer.
func (h *Webhook) receive(ctx context.Context, body []byte) int {
	self := Self{ID: h.client.id, Name: func() (string, error) { return h.client.askName(ctx, h.health) }}
	in, err := Read(json.RawMessage(body), self)
	if err == nil {
		h.health.answered()
		if in.Update == 0 {
			h.log.Warn("the webhook got what is no update; it is dropped", "bytes", len(body))
			return http.StatusOK
		}
		err = h.receiver.Take(ctx, []supervisor.Incoming{in}, 0)
	}
	if err != nil {
		h.log.Warn("keep an update from the webhook", "update", in.Update, "error", err)
		return http.StatusServiceUnavailable
	}
	return http.StatusOK
}
