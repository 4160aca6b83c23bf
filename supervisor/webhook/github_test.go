package webhook_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mews/supervisor"
	"mews/supervisor/github/event"
)

func TestGitHub_Delivery_IsStoredBeforeAnswer(t *testing.T) {
	r := newRig(t)
	body := push("Fix it")
	r.same("the first", answerTo(r.gitHub, delivery("push", "g1", body)), "200 taken")
	list := r.newDeliveries(supervisor.WebhookSourceGitHub)
	sum := sha256.Sum256([]byte(body))
	want := supervisor.WebhookDelivery{ID: 1, User: "alice", Source: "github", Hook: "7", Key: "g1", Body: hex.EncodeToString(sum[:]), Size: int64(len(body)), State: "new"}
	got := list[0]
	e := got.Event
	got.Event, got.At = supervisor.GitHubEvent{}, want.At
	r.same("row", fmt.Sprint(got), fmt.Sprint(want))
	r.same("event", fmt.Sprint(e.Repo, e.Event, e.Ref, e.Head, e.Commits), "Acme/Widgetpushmaina1[{a1 Fix it }]")
	r.same("payload", fmt.Sprint(r.files()), fmt.Sprint([]string{want.Body}))

	r.same("again", answerTo(r.gitHub, delivery("push", "g1", body)), "200 taken before")
	r.same("another delivery id", answerTo(r.gitHub, delivery("push", "g2", body)), "200 taken")
	r.same("woken", r.arrived, 2)
	rows := r.db.WebhookDeliveries()
	if err := rows.EndDelivery(t.Context(), 1, supervisor.WebhookFailed, "x"); err != nil {
		t.Fatal(err)
	}
	r.same("again after a failure", answerTo(r.gitHub, delivery("push", "g1", body)), "200 taken")
}

func TestGitHub_IgnoredEvent_IsStored(t *testing.T) {
	r := newRig(t)
	const common = `,"repository":{"full_name":"acme/widget"},"sender":{"login":"x","type":"`
	for i, c := range []struct{ name, body, want string }{
		{"ping", `{"zen":"z"` + common + `User"}}`, "200 ignored: ping"},
		{"star", `{"action":"created"` + common + `User"}}`, "200 ignored: event star"},
		{"issues", `{"action":"pinned"` + common + `User"}}`, "200 ignored: issues pinned"},
		{"issues", `{"action":"opened"` + common + `Bot"}}`, "200 ignored: from a bot"},
		{"push", strings.Replace(push("x"), "Acme", "evil", 1), "200 ignored: repository not configured"},
		{"ping", `{"zen":"z"` + common + `User"}}`, "200 ignored: ping"},
	} {
		r.same(c.name, answerTo(r.gitHub, delivery(c.name, fmt.Sprint(i), c.body)), c.want)
	}
	status, err := r.db.GitHubRepositories().Status(t.Context(), "acme/widget", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	r.same("counted", fmt.Sprint(status.Taken, status.Ignored), "0 5")
	r.same("woken", r.arrived, 0)
	r.same("files", len(r.files()), 0)
}

func TestGitHub_WrongSignature_HasNoEffect(t *testing.T) {
	r := newRig(t)
	for name, change := range map[string]func(*http.Request){
		"no signature": func(req *http.Request) {
			req.Header.Del("X-Hub-Signature-256")
			req.Body = io.NopCloser(unreadableBody{t})
		},
		"the old signature": func(req *http.Request) {
			req.Header.Set("X-Hub-Signature-256", "sha1=0123")
			req.Body = io.NopCloser(unreadableBody{t})
		},
		"short signature": func(req *http.Request) {
			req.Header.Set("X-Hub-Signature-256", sign("x")[:60])
			req.Body = io.NopCloser(unreadableBody{t})
		},
		"signature of another body": func(req *http.Request) { req.Header.Set("X-Hub-Signature-256", sign("x")) },
		"one wrong letter":          func(req *http.Request) { req.Header.Set("X-Hub-Signature-256", sign(push("Fix it "))) },
	} {
		req := delivery("push", "g", push("Fix it"))
		change(req)
		r.same(name, answerTo(r.gitHub, req), "401 the signature or the secret is missing, or is not the right one")
	}
	r.same("files", len(r.files()), 0)
	r.same("rows", len(r.newDeliveries(supervisor.WebhookSourceGitHub)), 0)
	r.same("audit", fmt.Sprint(r.audit), "[webhook.refused: 1 requests to github without the right signature or secret, the last from 192.0.2.1:1234]")
}

func TestGitHub_InvalidRequest_IsRefused(t *testing.T) {
	r := newRig(t)
	for name, c := range map[string]struct {
		change func(*http.Request)
		want   string
	}{
		"wrong content type": {func(req *http.Request) { req.Header.Set("Content-Type", "application/x-www-form-urlencoded") }, "415"},
		"no event header":    {func(req *http.Request) { req.Header.Del("X-GitHub-Event") }, "400"},
		"long header":        {func(req *http.Request) { req.Header.Set("X-GitHub-Delivery", strings.Repeat("x", 101)) }, "400"},
		"too long": {func(req *http.Request) {
			req.ContentLength, req.Body = event.MaxPayloadBytes+1, io.NopCloser(unreadableBody{t})
		}, "413"},
		"endless body": {func(req *http.Request) {
			req.ContentLength, req.Body = -1, io.NopCloser(&repeatingBody{" ", event.MaxPayloadBytes + 1})
		}, "413"},
		"no JSON": {nil, "400"},
		"cut off": {func(req *http.Request) {
			req.Body = io.NopCloser(io.MultiReader(strings.NewReader("{"),
				cutBody{}))
		}, "408"},
	} {
		req := delivery("push", "g", "nonsense")
		if c.change != nil {
			c.change(req)
		}
		if got := answerTo(r.gitHub, req); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
	r.same("files", len(r.files()), 0)
}

type cutBody struct{}

func (cutBody) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// TestReceiver_PayloadsOnDisk_AreLimited checks that at most 200 MiB of payloads wait on disk.
// Further deliveries are refused until some payloads are handled.
func TestReceiver_PayloadsOnDisk_AreLimited(t *testing.T) {
	r := newRig(t)
	d := supervisor.WebhookDelivery{User: "alice", Source: supervisor.WebhookSourceGitHub, Key: "big",
		Body: strings.Repeat("a", 64), Size: 200<<20 - 100}
	rows := r.db.WebhookDeliveries()
	if _, err := rows.Put(t.Context(), d); err != nil {
		t.Fatal(err)
	}
	r.same("disk full", answerTo(r.gitHub, delivery("push", "g", push("Fix it"))), "503 no room is left for deliveries")
	if err := rows.EndDelivery(t.Context(), 1, supervisor.WebhookDone, ""); err != nil {
		t.Fatal(err)
	}
	r.same("after it is done", answerTo(r.gitHub, delivery("push", "g", push("Fix it"))), "200 taken")
}

// deadlineRecorder records the read deadline of a request.
type deadlineRecorder struct {
	*httptest.ResponseRecorder
	until time.Time
}

func (d *deadlineRecorder) SetReadDeadline(until time.Time) error {
	d.until = until
	return nil
}

// TestReceiver_SlowBody_TimesOut checks that a slow body is given up in time, because GitHub waits
// only 10 seconds. The listener itself would read for longer.
func TestReceiver_SlowBody_TimesOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		began, w := time.Now(), &deadlineRecorder{ResponseRecorder: httptest.NewRecorder()}
		r.gitHub.ServeHTTP(w, delivery("push", "g", push("Fix it")))
		r.same("read deadline", w.until.Sub(began), 6*time.Second)
	})
}

// BenchmarkLargePayload measures reading a payload of 25 MB with many small values.
func BenchmarkLargePayload(b *testing.B) {
	one := `{"id":"a","message":"Mend it","author":{"name":"Bob"},"added":["a","b"]},`
	body := `{"commits":[` + strings.Repeat(one, event.MaxPayloadBytes/len(one)) +
		`{}],"repository":{"full_name":"a/b"}}`
	for b.Loop() {
		if _, _, err := (event.Parser{}).Parse("push", strings.NewReader(body)); err != nil {
			b.Fatal(err)
		}
	}
}
