package app

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"mews/supervisor"
	"mews/supervisor/github"
	"mews/supervisor/sqlite"
)

// openGitHubEvents makes what finds out what happens in repositories, and what does what is to be
// done about it.
func (s *service) openGitHubEvents(context.Context) error {
	s.repos = gitHubRepos(s.config.GitHub)
	var repos []supervisor.GitHubRepo
	for _, name := range slices.Sorted(maps.Keys(s.repos)) {
		repos = append(repos, s.repos[name])
	}
	poll := s.config.GitHub.Poll
	if s.config.Webhooks.Listen != "" {
		poll = 0
	}
	people := gitHubPeople{s}
	s.switches = &github.Switches{Repos: repos, Store: s.db.Settings(), People: people}
	if len(repos) > 0 {
		s.switches.Way = github.Way(poll)
	}
	log := s.log.Named("github")
	s.events = github.New(github.Options{
		Repos: repos, Self: s.gitHubLogin, Name: func() string { return cmp.Or(s.config.GitHub.Name, s.gitHubLogin()) },
		Deliveries: s.db.WebhookDeliveries(), Store: s.db.Repositories(), Cleanings: s.db.Cleanings(), Switches: s.switches, People: people, Reviews: s.reviews, Triages: s.triages,
		Gather: s.config.GitHub.Gather, Queued: s.deliveryQueued, Now: s.now, Log: log,
	})
	if s.github != nil {
		s.watch = github.NewWatch(github.WatchOptions{
			Repos: repos, Client: s.github, Deliveries: s.db.WebhookDeliveries(), Settings: s.db.Settings(), Poll: poll, Wake: s.events.Wake, Now: s.now, Log: log,
			Reviewed: func(ctx context.Context, repo string) (map[int]string, error) {
				return s.db.Reviews().Heads(ctx, s.repos[repo].User, repo)
			},
		})
	}
	return nil
}

// gitHubParts are what runs where repositories are served.
func (s *service) gitHubParts() []part {
	if len(s.repos) == 0 || s.github == nil {
		return nil
	}
	return []part{{"github events", s.runGitHubEvents}, {"github watch", s.watch.Run}}
}

// settingGitHubLogin is the service's setting that keeps who Mews is on GitHub.
const settingGitHubLogin = "github login"

// runGitHubEvents works off what happens. Who Mews is there is asked first, and every minute until
// that is known.
func (s *service) runGitHubEvents(ctx context.Context) error {
	for ctx.Err() == nil {
		span, end := ctx, context.CancelFunc(func() {})
		if !s.findGitHubLogin(ctx) {
			span, end = context.WithTimeout(ctx, time.Minute)
		}
		err := s.events.Run(span)
		end()
		if err != nil {
			return err
		}
	}
	return nil
}

// findGitHubLogin asks who Mews is on GitHub. Where that can't be had it is who Mews was there
// last.
func (s *service) findGitHubLogin(ctx context.Context) bool {
	settings := s.db.Settings()
	login, err := s.github.Login(ctx)
	if err == nil {
		err = settings.Put(ctx, "", settingGitHubLogin, login)
		s.login.Store(&login)
	} else if kept, ok, keptErr := settings.Find(ctx, "", settingGitHubLogin); ok && keptErr == nil {
		s.login.Store(&kept)
	}
	if err != nil && ctx.Err() == nil {
		s.log.Warn("ask GitHub who we are", "error", err)
	}
	return err == nil
}

// gitHubLogin is who Mews is on GitHub; "" while that is not known.
func (s *service) gitHubLogin() string {
	if login := s.login.Load(); login != nil {
		return *login
	}
	return ""
}

// gitHubPeople are the users to whom something of GitHub is told.
type gitHubPeople struct{ *service }

// Find is a person who may speak.
func (p gitHubPeople) Find(name string) (supervisor.User, bool) {
	u, known := p.people.Find(name)
	return u, known && p.active(name)
}

// Admins are those who may see to the service.
func (p gitHubPeople) Admins() []supervisor.User { return p.adminUsers() }

// Login is whose a login on GitHub is.
func (p gitHubPeople) Login(login string) (supervisor.User, bool) {
	for _, u := range p.configuration.Current().Users {
		if u.GitHub != "" && strings.EqualFold(u.GitHub, login) {
			return p.Find(u.Name)
		}
	}
	return supervisor.User{}, false
}

// gitHubLimits keeps what is used up of GitHub's limits, under the service's own settings.
type gitHubLimits struct{ sqlite.Settings }

// Kept is a value, nil where there is none.
func (l gitHubLimits) Kept(ctx context.Context, key string) ([]byte, error) {
	kept, ok, err := l.Find(ctx, "", "github "+key)
	if err != nil || !ok {
		return nil, err
	}
	return []byte(kept), nil
}

// Keep keeps one.
func (l gitHubLimits) Keep(ctx context.Context, key string, value []byte) error {
	return l.Put(ctx, "", "github "+key, string(value))
}
