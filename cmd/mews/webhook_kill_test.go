package main_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"mews/supervisor/app/apptest"
)

const (
	webhookSecret  = "the-secret-of-the-test"
	webhookCallers = 8
	webhookKills   = 6
)

// TestWebhookKillRun_StoresEachCallOnce kills the supervisor at random while eight callers send
// GitHub's deliveries and messages of hooks. A call that was answered with success is stored once,
// and every message is sent once.
func TestWebhookKillRun_StoresEachCallOnce(t *testing.T) {
	h, address := newWebhookService(t, webhookCallers)
	h.Start()
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	var callers sync.WaitGroup
	answered := make(chan struct{}, 10_000)
	sent := make([]int, webhookCallers)
	for i := range webhookCallers {
		callers.Go(func() {
			for ; ctx.Err() == nil && sent[i] < 1000; sent[i]++ {
				deliver(t, address, fmt.Sprintf("%d-%d", i, sent[i]))
				if sent[i]%40 == 0 { // a hook may send 30 messages a minute
					notify(t, address, i, sent[i])
				}
				answered <- struct{}{}
			}
		})
	}
	for range webhookKills {
		for range 20 + rand.IntN(40) {
			<-answered
		}
		h.Kill()
		h.CheckIntegrity()
		h.Start()
	}
	leave()
	callers.Wait()
	total, messages := 0, 0
	for i, n := range sent {
		total += n
		for message := 0; message < n; message += 40 {
			messages++
			text := fmt.Sprintf("%%<%d of %d>%%", message, i)
			h.WaitUntilTrue(apptest.DefaultTestTimeout, "a message to be told",
				func() bool { return h.QueryCount("SELECT count(*) FROM outbox WHERE text LIKE ?", text) > 0 })
			if told := h.QueryCount("SELECT coalesce(sum((length(text) - length(replace(text, ?1, ''))) / length(?1)), 0) FROM outbox", strings.Trim(text, "%")); told != 1 {
				t.Errorf("message %d of hook %d was told %d times", message, i, told)
			}
		}
	}
	t.Logf("%d deliveries and %d messages were answered, %d kills", total, messages, webhookKills)
	if n := h.QueryCount("SELECT count(*) FROM webhook_delivery WHERE source = 'github'"); n != total {
		t.Errorf("%d deliveries are kept, %d were answered", n, total)
	}
	if n := h.QueryCount("SELECT count(DISTINCT key) FROM webhook_delivery WHERE source = 'github'"); n != total {
		t.Errorf("%d different deliveries are kept, %d were answered", n, total)
	}
	if n := h.QueryCount("SELECT count(*) FROM turn"); n != 0 {
		t.Errorf("%d turns were begun", n)
	}
	h.Stop()
	h.CheckIntegrity()
}

// newWebhookService makes a service that GitHub and some hooks can call. The hooks are h0, h1 and
// so on.
func newWebhookService(t testing.TB, hooks int) (h *apptest.Service, address string) {
	t.Helper()
	address, err := unusedAddress()
	if err != nil {
		t.Fatal(err)
	}
	h = apptest.NewService(t, "", "alice")
	h.AppendConfig(fmt.Sprintf("webhooks: {listen: %q}\ngithub: {token: %s, webhook_secret: %s, api_url: \"http://127.0.0.1:1\", "+
		"repos: {acme/widget: {user: alice}}}\nhooks:\n", address, webhookSecret, webhookSecret))
	for i := range hooks {
		h.AppendConfig(fmt.Sprintf("  h%d: {user: alice, secret: %s}\n", i, webhookSecret))
	}
	return h, address
}

// deliver repeats a delivery of GitHub until it is answered with success.
func deliver(t testing.TB, address, key string) {
	postUntilTaken(t, "http://"+address+"/webhook/github", fmt.Sprintf(`{"ref":"refs/heads/main","after":%q,"repository":{"full_name":"acme/widget"},
		"sender":{"login":"bob","type":"User"}}`, key), map[string]string{"X-GitHub-Event": "push", "X-GitHub-Delivery": key, "X-GitHub-Hook-ID": "7"})
}

// notify repeats a message of a hook until it is answered with success.
func notify(t testing.TB, address string, hook, message int) {
	postUntilTaken(t, fmt.Sprintf("http://%s/webhook/h%d", address, hook), fmt.Sprintf(`{"message":"<%d of %d>"}`, message, hook),
		map[string]string{"Authorization": "Bearer " + webhookSecret})
}

func postUntilTaken(t testing.TB, url, body string, headers map[string]string) {
	mac := hmac.New(sha256.New, []byte(webhookSecret))
	mac.Write([]byte(body))
	for deadline := time.After(apptest.DefaultTestTimeout); ; {
		req, err := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
		if err != nil {
			t.Error(err)
			return
		}
		for header, value := range headers {
			req.Header.Set(header, value)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("X-Hub-Signature-256", "sha256="+hex.EncodeToString(mac.Sum(nil)))
		resp, err := http.DefaultClient.Do(req)
		if err == nil {
			io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return
			}
		}
		select {
		case <-deadline:
			t.Errorf("%s was not taken: %v, %v", body, resp, err)
			return
		case <-time.After(5 * time.Millisecond):
		}
	}
}
