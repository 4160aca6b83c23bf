package app

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"mews/config"
	"mews/supervisor"
	"mews/supervisor/github"
	"mews/supervisor/github/api"
	"mews/supervisor/github/event"
	"mews/supervisor/github/setup"
)

// openGitHub makes the feature for repositories on GitHub.
func (s *service) openGitHub(context.Context) (err error) {
	cfg := s.config.GitHub
	o := github.Options{
		Stores: github.Stores{
			Deliveries:   s.db.WebhookDeliveries(),
			Repositories: s.db.GitHubRepositories(),
			Reviews:      s.db.Reviews(),
			Triages:      s.db.Triages(),
			Settings:     s.db.Settings(),
			Cleanings:    s.db.MessageCleanups(),
			Inbox:        s.db.Inbox(),
			Outbox:       s.db.Outbox(),
			Blobs:        s.db.Blobs(),
			Turns:        s.db.Turns(),
		},
		Name: cfg.Name, Poll: cfg.Poll, Gather: cfg.Gather, TriageSettle: cfg.Triage.Settle,
		Review: github.ReviewOptions{Settle: cfg.Review.Settle, Heads: cfg.Review.Heads, Inline: cfg.Review.Inline},
		Spool:  s.spool, People: gitHubPeople{s}, Find: s.people.Find, Names: s.people.Names, Approver: newApprover(s),
		Wake: func(c supervisor.Conversation) { s.sessions.WakeSession(c) }, Queued: s.deliveryQueued,
		Say:   s.sendNotice,
		Audit: s.audit.RecordAction, Now: s.now, Log: s.log,
	}
	if cfg.Token.Reveal() != "" || cfg.App.ID != 0 {
		o.Client, err = NewGitHubClient(s.configuration.Current, github.RateLimitStore{Settings: s.db.Settings()},
			s.now)
	}
	o.Setup = NewGitHubSetup(s.configuration.Current, o.Client)
	s.gitHub = github.New(o)
	return err
}

// NewGitHubClient makes a client with the token or app of the current configuration. The client
// uses the current token or key at each request, so a reload may change it. If store is nil, rate
// limits stay in memory.
func NewGitHubClient(current func() *config.Config, store api.LimitStore, now func() time.Time) (*api.Client, error) {
	o := api.Options{URL: current().GitHub.APIURL, Token: func() string { return current().GitHub.Token.Reveal() },
		Store: store, Now: now}
	if app := current().GitHub.App; app.ID != 0 {
		o.Token, o.App = nil, &api.App{ID: app.ID,
			Key: func() string { return current().GitHub.App.PrivateKey.Reveal() }}
	}
	return api.New(o)
}

// NewGitHubSetup makes the check that compares GitHub's settings with the configuration.
func NewGitHubSetup(current func() *config.Config, client *api.Client) setup.Setup {
	cfg := current()
	web, _, _ := strings.Cut(strings.Replace(cfg.GitHub.APIURL, "://api.", "://", 1), "/api/v3")
	return setup.Setup{
		Account: client, Client: client, App: cfg.GitHub.App.ID != 0,
		Listens: cfg.Webhooks.Listen != "", Path: config.GitHubWebhookPath,
		Secret: func() string { return current().GitHub.WebhookSecret.Reveal() },
		Web:    strings.TrimSuffix(web, "/"), Events: event.EventNames(), Repos: gitHubRepos(cfg.GitHub), Now: time.Now,
	}
}

// gitHubRepos converts the configured repositories, sorted by name.
func gitHubRepos(g config.GitHub) (repos []supervisor.GitHubRepo) {
	for name, r := range g.Repos {
		repo := supervisor.GitHubRepo{
			Name: supervisor.NormalizeRepoName(name), User: r.User, Review: r.Review, Triage: r.Triage,
			Post: supervisor.ReviewPostMode(r.Post), DailyLimit: r.Day.Micro, CreateLabels: r.Labels == "create",
			ConfirmForks: r.Forks == "ask", Project: r.Project,
		}
		for _, to := range r.Notify {
			repo.Notify = append(repo.Notify, recipientOf(to))
		}
		repos = append(repos, repo)
	}
	slices.SortFunc(repos, func(a, b supervisor.GitHubRepo) int { return cmp.Compare(a.Name, b.Name) })
	return repos
}

// recipientOf parses a recipient: a user's name, or a group with an optional topic.
func recipientOf(to config.Recipient) supervisor.GitHubRecipient {
	chat, thread, _ := strings.Cut(string(to), "/")
	if !supervisor.GroupChannel().IsGroup(chat) {
		return supervisor.GitHubRecipient{User: chat}
	}
	return supervisor.GitHubRecipient{Chat: chat, Thread: thread}
}

// gitHubPeople finds users for package github.
type gitHubPeople struct{ *service }

// Find returns a user, and whether they are active.
func (p gitHubPeople) Find(name string) (supervisor.User, bool) {
	u, known := p.people.Find(name)
	return u, known && p.isActive(name)
}

// Admins returns the admins.
func (p gitHubPeople) Admins() []supervisor.User { return p.people.Admins() }

// LoginOf returns a user's login on GitHub; "" if it is not configured.
func (p gitHubPeople) LoginOf(user string) string {
	for _, u := range p.configuration.Current().Users {
		if u.Name == user {
			return u.GitHub
		}
	}
	return ""
}

// FindByLogin returns the user with a login on GitHub.
func (p gitHubPeople) FindByLogin(login string) (supervisor.User, bool) {
	for _, u := range p.configuration.Current().Users {
		if u.GitHub != "" && strings.EqualFold(u.GitHub, login) {
			return p.Find(u.Name)
		}
	}
	return supervisor.User{}, false
}
