package main_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"mews/supervisor/app/apptest"
	"mews/supervisor/control"
	"mews/supervisor/model/modeltest"
)

// TestConversation_ModelSwitch_KeepsHistory switches one conversation between an endpoint of
// OpenAI's kind, a thinking model of Anthropic's kind, and the offline model. Each model sees all
// messages, but no thoughts of another model. In the transcript all turns have the same form: a
// user message, a call, its result, an answer.
func TestConversation_ModelSwitch_KeepsHistory(t *testing.T) {
	server, url := modeltest.NewServer(t, func(r modeltest.Request) modeltest.Answer {
		a := modeltest.FileWriterScript(r)
		a.Thinking = "I think of " + r.NewestUserMessage()
		return a
	})
	h := apptest.NewService(t, "", "ann")
	h.AppendConfig(fmt.Sprintf("models:\n  default: plain/m\n  thinking: low\n  providers:\n"+
		"    plain: {kind: openai, base_url: %q}\n    claude: {kind: anthropic, base_url: %q, api_key: any}\n",
		url, strings.TrimSuffix(url, "/v1")))
	h.Start()
	v := newLiveClient(t, h)
	for i, spec := range []string{"plain/m", "claude/m", "offline", "claude/m", "plain/m", "offline"} {
		if got := v.ask(t, "/model "+spec); !strings.Contains(got, spec) {
			t.Fatalf("/model %s: %q", spec, got)
		}
		text := fmt.Sprintf("append line %d to log.txt", i)
		if spec == "offline" {
			text = fmt.Sprintf("create file%d.md with line %d", i, i)
		}
		if got := v.ask(t, text); strings.Contains(got, "⚠") || strings.Contains(got, "Answered by") {
			t.Errorf("%s answered %q", spec, got)
		}
	}
	shapes := `SELECT count(*) FROM (SELECT group_concat(role, ' ') AS shape FROM
		(SELECT turn, role FROM message ORDER BY id) GROUP BY turn) WHERE shape <> 'user assistant tool assistant'`
	if n := h.QueryCount(shapes); n != 0 {
		t.Errorf("%d turns have another shape", n)
	}
	if n := h.QueryCount("SELECT count(DISTINCT turn) FROM message"); n != 6 {
		t.Errorf("%d turns are in the transcript, want 6", n)
	}
	if n := h.QueryCount("SELECT count(DISTINCT spec) FROM usage"); n != 3 {
		t.Errorf("the usage of %d models was kept, want 3", n)
	}
	last := server.Requests()[server.CountRequests()-1]
	for i := range 5 {
		if !strings.Contains(string(last.Raw), fmt.Sprintf("line %d", i)) {
			t.Errorf("the last request has nothing of line %d", i)
		}
	}
	for _, claudes := range []int{1, 3} {
		if strings.Contains(string(last.Raw), fmt.Sprintf("I think of append line %d", claudes)) {
			t.Errorf("the thoughts of one model about line %d went to another", claudes)
		}
	}
	h.Stop()
}

// ask sends a message and waits for the answer.
func (v *liveClient) ask(t *testing.T, text string) string {
	t.Helper()
	if _, err := v.chat.SendMessage(t.Context(), control.NewMessageKey(), text); err != nil {
		t.Fatal(err)
	}
	select {
	case answer := <-v.got:
		return answer
	case <-time.After(time.Minute):
		t.Fatalf("no answer to %q within a minute", text)
		return ""
	}
}

// TestProviderCache_TwentyTurns_HitsCache: each request begins with the whole request before it. So
// in twenty turns with tools most of the input is read from the provider's cache, as the fake
// counts it.
func TestProviderCache_TwentyTurns_HitsCache(t *testing.T) {
	server, url := modeltest.NewServer(t, modeltest.FileWriterScript)
	h := apptest.NewService(t, "", "ann")
	h.AppendConfig(fmt.Sprintf("models: {default: claude/m, providers: {claude: {kind: anthropic, base_url: %q, api_key: any}}}\n",
		strings.TrimSuffix(url, "/v1")))
	h.Start()
	v := newLiveClient(t, h)
	for i := range 20 {
		if got := v.ask(t, fmt.Sprintf("append line %d to log.txt", i)); strings.Contains(got, "⚠") {
			t.Fatal(got)
		}
	}
	if share := server.TotalUsage().CacheReadShare(); share < 0.85 {
		t.Errorf("%.0f %% of the input was read from the cache, want 85 at least", 100*share)
	} else {
		t.Logf("%.1f %% of the input was read from the cache", 100*share)
	}
	h.Stop()
}
