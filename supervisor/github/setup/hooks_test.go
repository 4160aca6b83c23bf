package setup_test

import (
	"errors"
	"strings"
	"testing"

	"mews/supervisor"
	"mews/supervisor/github/githubtest"
	"mews/supervisor/github/setup"
)

const ours = "https://bot.example.org/webhook/github"

func TestAddWebhook_OtherAddress_ChangesNothing(t *testing.T) {
	for there, c := range map[string]struct {
		wanted string
		other  bool
	}{
		ours:                                     {ours, false},
		ours + "?x=1":                            {ours, true},
		"HTTPS://Bot.Example.org/webhook/github": {ours, false},
		"https://bot.example.org.:443/webhook/github":    {ours, false},
		"https://bot.example.org/mews/webhook/github":    {ours, true},
		"https://bot.example.org:8443/webhook/github":    {ours, true},
		"https://old.example.org/webhook/github":         {ours, true},
		"http://bot.example.org/webhook/github":          {ours, true},
		"https://bot.example.org/Webhook/webhook/github": {ours, true},
		"https://any.example.org/webhook/github":         {"", false},
	} {
		hub := githubtest.New(t, githubtest.Options{})
		in := newSetup(t, hub, 0)
		repo := hub.Repo("acme/widget")
		repo.SetPermission("mews-bot", "admin")
		repo.CreateWebhook("https://elsewhere.example.org/ci", "s", "push")
		repo.CreateWebhook(there, "s", "issues")
		made, err := in.AddWebhook(t.Context(), "acme/widget", c.wanted)
		other := new(setup.WebhookAddressError)
		if made || errors.As(err, &other) != c.other || c.other && other.Address != there || !c.other && err != nil {
			t.Errorf("%s: made %t, %v", there, made, err)
		}
		if got := in.Check(t.Context()).Repos[0].Hook.URL; got != there {
			t.Errorf("%s became %s", there, got)
		}
	}
}

func TestChangeWebhook_KeepsSecretAndEvents(t *testing.T) {
	hub := githubtest.New(t, githubtest.Options{})
	in := newSetup(t, hub, 0)
	repo := hub.Repo("acme/widget")
	repo.SetPermission("mews-bot", "admin")
	const old = "http://old.example.org/webhook/github"
	repo.CreateWebhook(old, "another secret", "issues", "watch")
	other := new(setup.WebhookAddressError)
	if err := in.ChangeWebhook(t.Context(), "acme/widget", "https://before.example.org/webhook/github",
		ours); !errors.As(err, &other) || other.Address != old {
		t.Errorf("of an address that it does not have: %v", err)
	}
	if err := in.ChangeWebhook(t.Context(), "acme/widget", old, "http://bot.example.org/webhook/github"); err == nil {
		t.Error("it was changed to plain http")
	}
	if err := in.ChangeWebhook(t.Context(), "acme/widget", old, ours); err != nil {
		t.Fatal(err)
	}
	r := in.Check(t.Context()).Repos[0]
	if r.Hook.URL != ours || strings.Join(r.Hook.Events, " ") != "issues watch pull_request" || len(r.Faults) > 0 {
		t.Errorf("%+v, faults %q", r.Hook, r.Faults)
	}
}

func TestRedeliver_MissingRepository_IsSkipped(t *testing.T) {
	hub := githubtest.New(t, githubtest.Options{})
	in := newSetup(t, hub, 0)
	for _, name := range []string{"acme/widget", "acme/gadget"} {
		repo := hub.Repo(name)
		repo.SetPermission("mews-bot", "admin")
		repo.CreateWebhook("http://127.0.0.1:1/webhook/github", "TEST-secret", "issues")
		repo.OpenIssue(githubtest.NewIssue{Title: "one"})
	}
	hub.AwaitCondition(t, "the deliveries", hub.IsIdle)
	in.Repos = nil
	for _, name := range []string{"acme/gone", "acme/widget", "acme/moved", "acme/gadget"} {
		in.Repos = append(in.Repos, supervisor.GitHubRepo{Name: name, User: "alice"})
	}
	sent, failed, err := in.Redeliver(t.Context(), 0)
	if err != nil || len(sent) != 2 || sent[0].Repo != "acme/widget" || sent[1].Repo != "acme/gadget" {
		t.Errorf("sent %+v, %v", sent, err)
	}
	if len(failed) != 2 || failed[0].Repo != "acme/gone" || failed[1].Repo != "acme/moved" ||
		!strings.Contains(failed[0].Why, "GitHub found nothing there") {
		t.Errorf("failed %+v", failed)
	}
	hub.RevokeToken(hub.Token())
	if sent, failed, err := in.Redeliver(t.Context(), 0); err != nil || len(sent) != 0 || len(failed) != 1 {
		t.Errorf("without a token: %+v, %+v, %v", sent, failed, err)
	}
}
