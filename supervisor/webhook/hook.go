package webhook

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"mews/protocol/template"
	"mews/supervisor"
	"mews/supervisor/internal/signals"
)

// Hook is a path that other programs call to send a message to a user.
type Hook struct {
	Name string
	Path string
	// the conversation for the messages; false if the user may no longer talk to Mews
	Destination func() (supervisor.Conversation, bool)
	Secret      func() string // returns the secret that callers must know; never ""
	Sign        HookAuth
	Header      string             // the name of the header for AuthSecretHeader and AuthHMAC
	Template    *template.Template // turns the JSON into a message; nil means no template
	Urgent      bool               // whether messages are sent even during quiet hours
	// Run starts a task with the text of a call, at most once for each value of at. Its error is
	// for the log. nil means that the text is sent as a message instead.
	Run func(ctx context.Context, at time.Time, text string) error
}

// maxBody returns the maximum size of a request body, in bytes.
func (h Hook) maxBody() int64 {
	if h.Run != nil {
		return MaxTaskBodyBytes
	}
	return MaxHookBodyBytes
}

// HookAuth is the way in which a caller proves that it knows the secret.
type HookAuth string

const (
	AuthBearer       HookAuth = "bearer" // the secret, in the header Authorization: Bearer SECRET
	AuthSecretHeader HookAuth = "header" // the secret itself, in the header that Hook.Header names
	AuthHMAC         HookAuth = "hmac"   // the HMAC-SHA256 of the body, in the header that Hook.Header names
)

// MaxHookBodyBytes is the maximum size of a hook's request body, in bytes.
const MaxHookBodyBytes = 1 << 20

// MaxTaskBodyBytes is the maximum size of a request body if the hook runs a task, in bytes.
const MaxTaskBodyBytes = 64 << 10

const (
	maxPerMinute = 30
	keyWindow    = 24 * time.Hour // within this time, calls with the same key count as one
	// within this time, calls without a key count as one if their bodies are equal; with hmac,
	// within keyWindow
	bodyWindow = time.Minute
	headerKey  = "Idempotency-Key"
)

// hookHandler handles the calls of one hook.
type hookHandler struct {
	*Receiver
	hook  Hook
	pace  *rate.Limiter
	keyMu sync.Mutex // held from the search for a key until the call with that key is stored
}

// handler returns the handler of a hook.
func (r *Receiver) handler(hook Hook) http.Handler {
	return &hookHandler{Receiver: r, hook: hook, pace: rate.NewLimiter(rate.Limit(maxPerMinute)/60, maxPerMinute)}
}

func (h *hookHandler) ServeHTTP(w http.ResponseWriter, req *http.Request) { h.take(w, req).write(w) }

func (h *hookHandler) take(w http.ResponseWriter, req *http.Request) answer {
	signature := signatureOf(req.Header.Get(h.hook.Header))
	switch {
	case h.hook.Sign == AuthHMAC && signature == nil, h.hook.Sign != AuthHMAC && !h.hasSecret(req):
		return h.refuse(h.source(), req)
	case len(req.Header.Get(headerKey)) > maxHeader:
		return incomplete
	}
	mac := hmac.New(sha256.New, []byte(h.hook.Secret()))
	b, refused := h.read(w, req, h.hook.maxBody(), mac)
	if b == nil {
		return refused
	}
	defer b.close()
	if h.hook.Sign == AuthHMAC && !hmac.Equal(mac.Sum(nil), signature) {
		return h.refuse(h.source(), req)
	}
	text, err := io.ReadAll(b.NewReader())
	switch {
	case err != nil:
		return h.answerError(err)
	case !json.Valid(text):
		return answer{status: http.StatusBadRequest, text: textNoJSON}
	}
	return h.keep(req, b)
}

// hasSecret reports whether a request has the secret in its header. It compares hashes, so that the
// time of the comparison reveals neither the secret nor its length.
func (h *hookHandler) hasSecret(req *http.Request) bool {
	given := req.Header.Get(h.hook.Header)
	if h.hook.Sign == AuthBearer {
		given = bearerToken(req.Header.Get("Authorization"))
	}
	a, b := sha256.Sum256([]byte(given)), sha256.Sum256([]byte(h.hook.Secret()))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1
}

// bearerToken returns the token of an Authorization header; "" if the scheme is another one. A
// scheme has no case (RFC 9110).
func bearerToken(header string) string {
	scheme, token, _ := strings.Cut(header, " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimLeft(token, " ")
}

func (h *hookHandler) source() string { return supervisor.WebhookSourceHookPrefix + h.hook.Name }

// wasReceived reports whether a call came before. A call without a key gets its body as its key.
// hmac signs only the body, so a copied call may have another key: a body counts as long as a key.
func (h *hookHandler) wasReceived(ctx context.Context, d *supervisor.WebhookDelivery, now time.Time) (bool, error) {
	window := keyWindow
	if d.Key == "" {
		d.Key, window = d.Body, bodyWindow
	}
	before, err := h.o.Deliveries.WasReceived(ctx, *d, now.Add(-window))
	if err == nil && !before && h.hook.Sign == AuthHMAC {
		before, err = h.o.Deliveries.WasBodyReceived(ctx, *d, now.Add(-keyWindow))
	}
	return before, err
}

// keep stores a call. Calls with the same key are stored once.
func (h *hookHandler) keep(req *http.Request, b *body) answer {
	h.keyMu.Lock()
	defer h.keyMu.Unlock()
	to, served := h.hook.Destination()
	if !served {
		return answer{status: http.StatusServiceUnavailable, text: textNobody}
	}
	now := h.o.Now()
	d := supervisor.WebhookDelivery{User: to.User, Source: h.source(), Hook: fmt.Sprint(now.UnixNano()), Key: req.Header.Get(headerKey), Body: b.Hash()}
	switch before, err := h.wasReceived(req.Context(), &d, now); {
	case err != nil:
		return h.answerError(err)
	case before:
		return duplicate
	case !h.pace.AllowN(now, 1):
		return answer{status: http.StatusTooManyRequests, text: textTooOften, retry: time.Minute / maxPerMinute}
	}
	ref, err := b.keep(true)
	if err != nil {
		return h.answerError(err)
	}
	d.Size = ref.Size
	_, a := h.put(req.Context(), d)
	signals.SendToken(h.arrived)
	return a
}
