package main_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mews/supervisor/app/apptest"
	"mews/supervisor/control"
)

// lives are the real providers, each with the environment variable of its key. LIVE_MODEL_KIND
// names another model.
var lives = []struct{ kind, key, model string }{
	{"anthropic", "ANTHROPIC_API_KEY", "claude-haiku-4-5"},
	{"openai", "OPENAI_API_KEY", "gpt-5-mini"},
}

// TestLive_RealProviders_CallATool has a short conversation with each real provider, in which the
// model calls a tool. It runs with `make live`, and costs a cent.
func TestLive_RealProviders_CallATool(t *testing.T) {
	if os.Getenv("MEWS_LIVE") == "" {
		t.Skip("optional: it talks to real providers; `make live` runs it")
	}
	for _, l := range lives {
		t.Run(l.kind, func(t *testing.T) {
			if os.Getenv(l.key) == "" {
				t.Skipf("optional: %s is not set", l.key)
			}
			model := l.model
			if other := os.Getenv("LIVE_MODEL_" + strings.ToUpper(l.kind)); other != "" {
				model = other
			}
			converse(t, l.kind, l.key, model)
		})
	}
}

func converse(t *testing.T, kind, key, model string) {
	h := apptest.NewService(t, "", "ann")
	h.AppendConfig(fmt.Sprintf("models: {default: live/%s, providers: {live: {kind: %s, api_key: \"${%s}\"}}}\n", model,
		kind, key))
	h.Start()
	v := newLiveClient(t, h)
	for _, text := range []string{
		"Write the single word swordfish into the file secret.txt, with your tool.",
		"Which word did you write just now? Answer with that word alone.",
	} {
		if _, err := v.chat.SendMessage(t.Context(), control.NewMessageKey(), text); err != nil {
			t.Fatal(err)
		}
		select {
		case answer := <-v.got:
			t.Logf("> %s\n%s", text, answer)
			if strings.Contains(text, "Which") && !strings.Contains(strings.ToLower(answer), "swordfish") {
				t.Errorf("it does not remember")
			}
		case <-time.After(3 * time.Minute):
			t.Fatal("no answer within three minutes")
		}
	}
	text, err := os.ReadFile(filepath.Join(h.UserHome("ann"), "secret.txt"))
	if err != nil || strings.TrimSpace(string(text)) != "swordfish" {
		t.Errorf("the file holds %q, %v", text, err)
	}
	h.Stop()
}

// liveClient is a client that records the deliveries.
type liveClient struct {
	chat *control.Chat
	got  chan string
}

func newLiveClient(t *testing.T, h *apptest.Service) *liveClient {
	v := &liveClient{got: make(chan string, 10)}
	v.chat = control.NewChat(h.Socket, control.JoinChatRequest{User: "ann", After: control.StartFromNow}, v)
	ended := make(chan struct{})
	go func() { defer close(ended); v.chat.Run(t.Context(), time.Minute) }()
	t.Cleanup(func() { <-ended })
	return v
}

func (v *liveClient) ShowDelivery(d control.Delivery) bool {
	v.got <- d.Text
	return true
}

func (*liveClient) ShowConnected(control.JoinChatResult, bool) {}
func (*liveClient) ShowProgress(control.Progress)              {}
func (*liveClient) ShowConnectionLost(error)                   {}
