package setup_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"mews/supervisor"
	"mews/supervisor/github/api"
	"mews/supervisor/github/githubtest"
	"mews/supervisor/github/setup"
	"mews/supervisor/problem"
)

// newSetup returns a setup for the repository acme/widget. This machine's clock is ahead of
// GitHub's by the given time.
func newSetup(t *testing.T, hub *githubtest.Server, ahead time.Duration) setup.Setup {
	t.Helper()
	now := func() time.Time { return time.Now().Add(ahead) }
	client, err := api.New(api.Options{URL: hub.URL(), Token: hub.Token, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	hub.Repo("acme/widget")
	return setup.Setup{Account: client, Client: client, Listens: true, Secret: func() string { return "TEST-secret" },
		Path: "/webhook/github", Web: "https://github.com", Events: []string{"issues", "pull_request"}, Now: now,
		Repos: []supervisor.GitHubRepo{{Name: "acme/widget", User: "alice", Review: true, Triage: true,
			Post: supervisor.PostAsReview}}}
}

func TestCheck_MissingPermission_NamesPage(t *testing.T) {
	all := map[string]string{"metadata": "read", "contents": "read", "pull_requests": "write", "issues": "write", "repository_hooks": "write"}
	for lacking, want := range map[string]string{
		"": "", "contents": "contents: read", "pull_requests": "pull requests: write", "issues": "issues: write",
	} {
		t.Run(lacking, func(t *testing.T) {
			may := map[string]string{}
			for name, level := range all {
				if name != lacking {
					may[name] = level
				} else if name != "contents" {
					may[name] = "read"
				}
			}
			hub := githubtest.New(t, githubtest.Options{May: may})
			in := newSetup(t, hub, 0)
			in.Listens = false
			r := in.Check(t.Context())
			var missing []string
			for _, l := range r.Repos[0].Missing {
				missing = append(missing, l.Permission)
				if l.Page != "https://github.com/settings/personal-access-tokens" || l.Why == "" {
					t.Errorf("%+v", l)
				}
			}
			if got := strings.Join(missing, ", "); got != want || r.Login != "mews-bot" ||
				r.HasProblem() != (want != "") || len(r.Limits) == 0 {
				t.Errorf("missing %q, want %q: %+v", got, want, r)
			}
			if labels := hub.Repo("acme/widget").Labels(); len(labels) > 0 {
				t.Errorf("it has made the labels %q", labels)
			}
		})
	}
}

func TestCheck_PostingOff_NeedsNoWritePermission(t *testing.T) {
	hub := githubtest.New(t, githubtest.Options{May: map[string]string{"metadata": "read", "contents": "read", "pull_requests": "read", "issues": "read"}})
	in := newSetup(t, hub, 0)
	in.Listens, in.Repos[0].Post = false, supervisor.PostOnlyCard
	if r := in.Check(t.Context()); r.HasProblem() {
		t.Errorf("%+v", r)
	}
}

func TestCheck_WrongTokenOrClock_IsReported(t *testing.T) {
	hub := githubtest.New(t, githubtest.Options{})
	in := newSetup(t, hub, -5*time.Minute)
	if r := in.Check(t.Context()); !strings.Contains(r.Clock, "behind GitHub's") {
		t.Errorf("the clock: %q", r.Clock)
	}
	if r := newSetup(t, hub, 0).Check(t.Context()); r.Clock != "" {
		t.Errorf("the clock: %q", r.Clock)
	}
	hub.RevokeToken(hub.Token())
	if r := in.Check(t.Context()); !strings.Contains(r.Wrong, "did not accept Mews's token") || !r.HasProblem() {
		t.Errorf("%+v", r)
	}
}

func TestAddWebhook_Twice_CreatesOne(t *testing.T) {
	hub := githubtest.New(t, githubtest.Options{})
	in := newSetup(t, hub, 0)
	if r := in.Check(t.Context()).Repos[0]; len(r.Faults) != 0 || len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "may not see the repository's webhooks") {
		t.Errorf("as no admin: %+v", r)
	}
	hub.Repo("acme/widget").SetPermission("mews-bot", "admin")
	if r := in.Check(t.Context()).Repos[0]; len(r.Faults) != 1 || !strings.Contains(r.Faults[0], "No webhook calls /webhook/github. `mews github add acme/widget --url") {
		t.Errorf("without a webhook: %+v", r)
	}
	if _, err := in.AddWebhook(t.Context(), "acme/widget", "http://127.0.0.1:1/webhook/github"); err == nil ||
		!strings.Contains(problem.UserText(err), "want https://YOUR.HOST/webhook/github") {
		t.Errorf("plain http: %v", err)
	}
	for _, want := range []bool{true, false} {
		if made, err := in.AddWebhook(t.Context(), "acme/widget", "https://127.0.0.1:1/webhook/github"); made != want ||
			err != nil {
			t.Errorf("made: %t, %v", made, err)
		}
	}
	in.Events = append(in.Events, "push")
	r := in.Check(t.Context()).Repos[0]
	if h := r.Hook; h == nil || h.URL != "https://127.0.0.1:1/webhook/github" || strings.Join(h.Events, " ") != "issues pull_request" {
		t.Errorf("the webhook: %+v", h)
	}
	if len(r.Notes) == 0 || !strings.Contains(r.Notes[0], "does not send push") {
		t.Errorf("notes: %q", r.Notes)
	}
}

func TestRedeliver_RepeatsFailedDeliveries(t *testing.T) {
	var up atomic.Bool
	took := make(chan string, 10)
	mews := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !up.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		took <- r.Header.Get("X-GitHub-Delivery")
	}))
	defer mews.Close()
	hub := githubtest.New(t, githubtest.Options{})
	in := newSetup(t, hub, 0)
	repo := hub.Repo("acme/widget")
	repo.SetPermission("mews-bot", "admin")
	repo.CreateWebhook(mews.URL+"/webhook/github", "TEST-secret", "issues", "pull_request")
	repo.OpenIssue(githubtest.NewIssue{Title: "one"})
	repo.OpenIssue(githubtest.NewIssue{Title: "two"})
	hub.AwaitCondition(t, "the deliveries", hub.IsIdle)
	r := in.Check(t.Context()).Repos[0]
	if text := strings.Join(r.Faults, " "); !strings.Contains(text, "The last delivery (issues") ||
		!strings.Contains(text, "plain http") {
		t.Errorf("faults: %q", r.Faults)
	}
	up.Store(true)
	sent, _, err := in.Redeliver(t.Context(), 0)
	if err != nil || len(sent) != 2 || sent[0].What != "issues opened" {
		t.Fatalf("sent again: %+v, %v", sent, err)
	}
	if one, two := <-took, <-took; one == two {
		t.Errorf("%s came twice", one)
	}
	hub.AwaitCondition(t, "the deliveries", hub.IsIdle)
	if sent, _, err = in.Redeliver(t.Context(), 0); err != nil || len(sent) != 0 {
		t.Errorf("a second time: %+v, %v", sent, err)
	}
	id := in.Check(t.Context()).Repos[0].Hook.Last[0].ID
	if sent, _, err = in.Redeliver(t.Context(), id); err != nil || len(sent) != 1 || sent[0].ID != id {
		t.Errorf("by its number: %+v, %v", sent, err)
	}
	<-took
}
