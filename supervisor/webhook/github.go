package webhook

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"

	"mews/supervisor"
)

// GitHubRoute configures the route for GitHub's deliveries.
type GitHubRoute struct {
	Path   string
	Secret func() string // returns the shared secret that signs deliveries; never ""
	// Read parses a payload of at most MaxPayload bytes as an event with the given name. The result
	// ignored is the reason why the event is not used; "" means that it is used.
	Read       func(name string, payload io.Reader) (e supervisor.GitHubEvent, ignored string, err error)
	MaxPayload int64
	Repo       func(name string) (supervisor.GitHubRepo, bool)
	Notify     func() // called when a new event was stored
}

// Headers of GitHub's deliveries. (docs.github.com: webhook events and payloads)
const (
	headerSignature = "X-Hub-Signature-256"
	headerEvent     = "X-GitHub-Event"
	headerDelivery  = "X-GitHub-Delivery"
	headerHook      = "X-GitHub-Hook-ID"
)

// maxHeader is far longer than any of GitHub's header values.
const maxHeader = 100

// gitHub returns the handler of GitHub's deliveries. It refuses a request without a signature
// before it reads the body.
func (r *Receiver) gitHub(g GitHubRoute) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) { r.takeGitHub(w, req, g).write(w) })
}

func (r *Receiver) takeGitHub(w http.ResponseWriter, req *http.Request, g GitHubRoute) answer {
	signature := signatureOf(req.Header.Get(headerSignature))
	name, key, hook := req.Header.Get(headerEvent), req.Header.Get(headerDelivery), req.Header.Get(headerHook)
	media, _, _ := mime.ParseMediaType(req.Header.Get("Content-Type"))
	switch {
	case signature == nil:
		return r.refuse(supervisor.WebhookSourceGitHub, req)
	case name == "" || key == "" || max(len(name), len(key), len(hook)) > maxHeader:
		return incomplete
	case media != "application/json":
		return notJSON
	}
	mac := hmac.New(sha256.New, []byte(g.Secret()))
	b, refused := r.read(w, req, g.MaxPayload, mac)
	if b == nil {
		return refused
	}
	defer b.close()
	if !hmac.Equal(mac.Sum(nil), signature) {
		return r.refuse(supervisor.WebhookSourceGitHub, req)
	}
	d := supervisor.WebhookDelivery{Source: supervisor.WebhookSourceGitHub, Hook: hook, Key: key, Body: b.Hash()}
	e, ignored, err := g.Read(name, b.NewReader())
	if err != nil {
		r.o.Log.Warn("a delivery of GitHub's can't be read", "delivery", key, "error", err)
		return answer{status: http.StatusBadRequest, text: textUnreadable}
	}
	return r.putGitHub(req.Context(), g, b, d, e, ignored)
}

// putGitHub stores a delivery with a valid signature.
func (r *Receiver) putGitHub(ctx context.Context, g GitHubRoute, b *body, d supervisor.WebhookDelivery,
	e supervisor.GitHubEvent, ignored string) answer {
	repo, known := g.Repo(e.Repo)
	if ignored == "" && !known {
		ignored = textOtherRepo
	}
	d.User, d.Event = repo.User, e
	if ignored != "" {
		d.State, d.Why = supervisor.WebhookIgnored, ignored
		d.Event = supervisor.GitHubEvent{Repo: e.Repo, Event: e.Event, Action: e.Action}
		if _, a := r.put(ctx, d); a != accepted {
			return a
		}
		return answer{status: http.StatusOK, text: fmt.Sprintf(textIgnored, ignored)}
	}
	ref, err := b.keep(false) // after a crash the database row suffices, so the file need not be on disk
	if err != nil {
		return r.answerError(err)
	}
	d.Size = ref.Size
	fresh, a := r.put(ctx, d)
	if fresh {
		g.Notify()
	}
	return a
}

// signatureOf returns the HMAC-SHA256 in a signature header; nil if there is none.
func signatureOf(header string) []byte {
	mac, err := hex.DecodeString(strings.TrimPrefix(header, "sha256="))
	if err != nil || len(mac) != sha256.Size {
		return nil
	}
	return mac
}
