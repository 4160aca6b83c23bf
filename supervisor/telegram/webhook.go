package telegram

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/supervisor"
	"mews/supervisor/internal/rare"
)

// MaxUpdateBytes is the longest body of a delivery, in bytes. An update has a few KiB.
const MaxUpdateBytes = 1 << 20

const (
	secretHeader      = "X-Telegram-Bot-Api-Secret-Token"
	bodyTimeout       = 10 * time.Second // time limit for reading the body
	retryAfterSeconds = "5"              // seconds after which Telegram repeats an update that could not be stored
)

// WebhookOptions configure a Webhook.
type WebhookOptions struct {
	Secret *WebhookSecret // the secret given to setWebhook; never nil
	Log    hclog.Logger
	Health *Health
}

// Webhook receives the updates that Telegram delivers. Its answers have no body, because Telegram
// would read a body as a request.
type Webhook struct {
	client   *Client
	receiver UpdateReceiver
	secret   *WebhookSecret
	log      hclog.Logger
	health   *Health
	forged   rare.Throttle // limits log lines about requests with a wrong secret
}

// NewWebhook creates the handler. An empty secret is an error, because then anybody could send
// updates.
func NewWebhook(c *Client, receiver UpdateReceiver, o WebhookOptions) (*Webhook, error) {
	if o.Secret == nil || o.Secret.secret == "" {
		return nil, errors.New("receive Telegram's updates by a webhook: there is no secret to know Telegram by")
	}
	return &Webhook{
		client: c, receiver: receiver, secret: o.Secret, log: loggerOr(o.Log), health: healthOr(o.Health),
	}, nil
}

// ServeHTTP answers 2xx only for updates that are stored or never useful. Telegram delivers all
// other updates again for 24 hours.
func (h *Webhook) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !h.authentic(r) {
		w.Header().Set("Connection", "close") // so net/http closes the connection and does not read the body
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

// authentic checks the secret before the body is read.
func (h *Webhook) authentic(r *http.Request) bool {
	if h.secret.matches(r.Header.Get(secretHeader)) {
		return true
	}
	if n := h.forged.CountOccurrence("", time.Now()); n > 0 {
		h.log.Warn("requests to the webhook without Telegram's secret", "count", n, "from", r.RemoteAddr)
	}
	return false
}

// readBody returns the body, or the status for a refusal.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, int) {
	if r.ContentLength > MaxUpdateBytes {
		w.Header().Set("Connection", "close")
		return nil, http.StatusRequestEntityTooLarge
	}
	// net/http resets the deadline at the end of the body. A writer without deadlines is no real
	// connection, so its error does not matter.
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyTimeout))
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxUpdateBytes))
	switch {
	case err == nil:
		return body, http.StatusOK
	case errors.As(err, new(*http.MaxBytesError)):
		return nil, http.StatusRequestEntityTooLarge
	}
	w.Header().Set("Connection", "close")
	return nil, http.StatusRequestTimeout
}

// receive stores an update, and returns the status of the answer.
func (h *Webhook) receive(ctx context.Context, body []byte) int {
	self := BotIdentity{ID: h.client.id, Name: func() (string, error) { return h.client.askName(ctx, h.health) }}
	in, err := ParseUpdate(json.RawMessage(body), self)
	if err == nil {
		h.health.answered()
		if in.Update == 0 {
			h.log.Warn("the webhook got what is no update; it is dropped", "bytes", len(body))
			return http.StatusOK
		}
		err = h.receiver.StoreBatch(ctx, []supervisor.Incoming{in}, 0)
	}
	if err != nil {
		h.log.Warn("keep an update from the webhook", "update", in.Update, "error", err)
		return http.StatusServiceUnavailable
	}
	return http.StatusOK
}
