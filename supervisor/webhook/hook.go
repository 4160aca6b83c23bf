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

// Hook is a path that other programs call to have a message sent.
type Hook struct {
	Name string
	Path string
	// where the messages go now; false: nowhere any more
	To       func() (supervisor.Conversation, bool)
	Secret   string // never ""
	Sign     Sign
	Header   string             // of SignHeader and SignHMAC
	Template *template.Template // over the JSON; nil means none
	Urgent   bool               // its messages do not wait for the end of quiet hours
	// Run has a task be done with what a call has brought, once for a moment; nil: a message is
	// sent instead. Its error is for the log.
	Run func(ctx context.Context, at time.Time, text string) error
}

// maxBody is how many bytes a call of the hook may bring.
func (h Hook) maxBody() int64 {
	if h.Run != nil {
		return MaxTask
	}
	return MaxMessage
}

// Sign is how a caller shows the secret.
type Sign string

const (
	SignBearer Sign = "bearer" // Authorization: Bearer SECRET
	SignHeader Sign = "header" // in Header
	SignHMAC   Sign = "hmac"   // the HMAC-SHA256 of the body, in Header
)

// MaxMessage is how long the body of a hook's request may be, in bytes.
const MaxMessage = 1 << 20

// MaxTask is MaxMessage where the hook runs a task.
const MaxTask = 64 << 10

const (
	maxPerMinute = 30
	duplicateWindow     = 24 * time.Hour // the same key is the same message
	headerKey      = "Idempotency-Key"
)

// hookHandler takes what comes for one hook.
type hookHandler struct {
	*Receiver
	hook  Hook
	pace  *rate.Limiter
	keyMu sync.Mutex // held from when a key is looked for until its row is there
}

// handler is that of one of the hooks.
func (r *Receiver) handler(hook Hook) http.Handler {
	return &hookHandler{Receiver: r, hook: hook, pace: rate.NewLimiter(rate.Limit(maxPerMinute)/60, maxPerMinute)}
}

func (h *hookHandler) ServeHTTP(w http.ResponseWriter, req *http.Request) { h.take(w, req).write(w) }

func (h *hookHandler) take(w http.ResponseWriter, req *http.Request) answer {
	signature := signatureOf(req.Header.Get(h.hook.Header))
	switch {
	case h.hook.Sign == SignHMAC && signature == nil, h.hook.Sign != SignHMAC && !h.hasSecret(req):
		return h.refuse(h.source(), req)
	case len(req.Header.Get(headerKey)) > maxHeader:
		return incomplete
	}
	mac := hmac.New(sha256.New, []byte(h.hook.Secret))
	b, refused := h.read(w, req, h.hook.maxBody(), mac)
	if b == nil {
		return refused
	}
	defer b.close()
	if h.hook.Sign == SignHMAC && !hmac.Equal(mac.Sum(nil), signature) {
		return h.refuse(h.source(), req)
	}
	text, err := io.ReadAll(b.Written())
	switch {
	case err != nil:
		return h.answerError(err)
	case !json.Valid(text):
		return answer{status: http.StatusBadRequest, text: textNoJSON}
	}
	return h.keep(req, b)
}

// hasSecret says whether a request has the secret in a header. It compares hashes, so that the time it
// takes tells neither the secret's letters nor its length.
func (h *hookHandler) hasSecret(req *http.Request) bool {
	given := req.Header.Get(h.hook.Header)
	if h.hook.Sign == SignBearer {
		given, _ = strings.CutPrefix(req.Header.Get("Authorization"), "Bearer ")
	}
	a, b := sha256.Sum256([]byte(given)), sha256.Sum256([]byte(h.hook.Secret))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1
}

func (h *hookHandler) source() string { return supervisor.WebhookHook + h.hook.Name }

// keep keeps a message, once for its key.
func (h *hookHandler) keep(req *http.Request, b *body) answer {
	h.keyMu.Lock()
	defer h.keyMu.Unlock()
	to, served := h.hook.To()
	if !served {
		return answer{status: http.StatusServiceUnavailable, text: textNobody}
	}
	now := h.o.Now()
	d := supervisor.WebhookDelivery{User: to.User, Source: h.source(), Hook: fmt.Sprint(now.UnixNano()), Key: req.Header.Get(headerKey), Body: b.Hash()}
	if d.Key == "" {
		d.Key = d.Body
	}
	switch before, err := h.o.Deliveries.WasReceived(req.Context(), d, now.Add(-duplicateWindow)); {
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
	signals.Send(h.arrived)
	return a
}
