package webhook_test

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/protocol/template"
	"mews/supervisor"
	"mews/supervisor/github/event"
	"mews/supervisor/spool"
	"mews/supervisor/sqlite"
	"mews/supervisor/webhook"
)

const secret = "0123456789abcdef"

// rig is a Receiver with a real database and spool.
type rig struct {
	testing.TB
	db       *sqlite.DB
	folder   string // the spool's folder
	receiver *webhook.Receiver
	gitHub   http.Handler
	hooks    map[string]http.Handler

	arrived int
	audit   []string
	gone    atomic.Bool // whether the users of the hooks may no longer talk to Mews
}

func newRig(t testing.TB, hooks ...webhook.Hook) *rig {
	t.Helper()
	r := &rig{TB: t, folder: filepath.Join(t.TempDir(), "spool"), hooks: map[string]http.Handler{}}
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "mews.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := spool.Open(r.folder)
	if err != nil {
		t.Fatal(err)
	}
	r.db = db
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	ran := make(chan error, 1)
	go func() { ran <- db.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ran; err != nil {
			t.Error(err)
		}
		db.Close()
		s.Close()
	})
	for i := range hooks {
		hooks[i].Path, hooks[i].Destination = "/webhook/hook/"+hooks[i].Name, r.to
		hooks[i].Secret = func() string { return secret }
	}
	r.receiver = webhook.New(webhook.Options{
		Deliveries: db.WebhookDeliveries(), Spool: s, Hooks: hooks, KeepText: keeper{s}.keep, Queued: func(int64) {},
		Audit: func(_, action, detail string) { r.audit = append(r.audit, action+": "+detail) }, Log: hclog.NewNullLogger(), Now: time.Now,
		GitHub: &webhook.GitHubRoute{
			Path: "/webhook/github", Secret: func() string { return secret }, Read: event.Parser{}.Parse,
			MaxPayload: event.MaxPayloadBytes,
			Notify:     func() { r.arrived++ },
			Repo: func(name string) (supervisor.GitHubRepo, bool) {
				return supervisor.GitHubRepo{Name: "acme/widget", User: "alice"},
					supervisor.NormalizeRepoName(name) == "acme/widget"
			},
		},
	})
	for _, route := range r.receiver.Feature().Routes {
		if name, ok := strings.CutPrefix(route.Path, "/webhook/hook/"); ok {
			r.hooks[name] = route.Handler
		} else {
			r.gitHub = route.Handler
		}
	}
	return r
}

func (r *rig) to() (supervisor.Conversation, bool) {
	return supervisor.Conversation{User: "alice", Channel: supervisor.ChannelTelegram, Chat: "42"}, !r.gone.Load()
}

type keeper struct{ spool *spool.Spool }

func (k keeper) keep(name, text string) (supervisor.File, error) {
	f, err := k.spool.NewWriter()
	if err != nil {
		return supervisor.File{}, err
	}
	if _, err := io.WriteString(f, text); err != nil {
		return supervisor.File{}, err
	}
	ref, err := f.Commit()
	return supervisor.File{SHA256: ref.SHA256, Size: ref.Size, Name: name, MediaType: "text/markdown"}, err
}

// parse parses the template of a hook.
func parse(t testing.TB, text string) *template.Template {
	t.Helper()
	made, err := template.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func sign(body string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	io.WriteString(mac, body)
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}

func push(text string) string {
	return `{"ref":"refs/heads/main","after":"a1","commits":[{"id":"a1","message":"` + text + `"}],` +
		`"repository":{"full_name":"Acme/Widget"},"sender":{"login":"bob","type":"User"}}`
}

// delivery returns a request as GitHub sends it.
func delivery(name, key, body string) *http.Request {
	req := httptest.NewRequest(http.MethodPost, "/webhook/github", strings.NewReader(body))
	for header, value := range map[string]string{"Content-Type": "application/json", "X-GitHub-Event": name, "X-GitHub-Delivery": key,
		"X-GitHub-Hook-ID": "7", "X-Hub-Signature-256": sign(body)} {
		req.Header.Set(header, value)
	}
	return req
}

// answerTo returns the status and the text of the answer to a request.
func answerTo(h http.Handler, req *http.Request) string {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, req)
	return fmt.Sprintf("%d %s", w.Code, strings.TrimSpace(w.Body.String()))
}

func (r *rig) same(what string, got, want any) {
	r.Helper()
	if got != want {
		r.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// newDeliveries lists the deliveries that were not handled yet.
func (r *rig) newDeliveries(source string) []supervisor.WebhookDelivery {
	r.Helper()
	list, err := r.db.WebhookDeliveries().ListNew(r.Context(), source, 1000)
	if err != nil {
		r.Fatal(err)
	}
	return list
}

// files lists the files of the spool.
func (r *rig) files() (names []string) {
	r.Helper()
	entries, err := os.ReadDir(r.folder)
	if err != nil {
		r.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// unreadableBody is a request body that must not be read.
type unreadableBody struct{ t testing.TB }

func (u unreadableBody) Read([]byte) (int, error) {
	u.t.Error("the body was read")
	return 0, io.EOF
}

// repeatingBody is a request body that repeats a text, perhaps without end.
type repeatingBody struct {
	text string
	left int
}

func (r *repeatingBody) Read(p []byte) (int, error) {
	if r.left == 0 {
		return 0, io.EOF
	}
	n := copy(p, bytes.Repeat([]byte(r.text), len(p)/len(r.text)+1))
	n = min(n, r.left)
	r.left -= n
	return n, nil
}
