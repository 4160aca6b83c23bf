package app

import (
	"context"
	"time"

	"mews/config"
	"mews/supervisor/github/api"
)

// openGitHub makes what asks GitHub, where Mews is somebody there.
func (s *service) openGitHub(context.Context) (err error) {
	if g := s.config.GitHub; g.Token.Reveal() != "" || g.App.ID != 0 {
		s.github, err = GitHubClient(s.config, gitHubLimits{s.db.Settings()}, s.now)
	}
	return err
}

// GitHubClient is whom a configuration makes of Mews on GitHub. A nil store keeps the limits in
// memory.
func GitHubClient(cfg *config.Config, store api.Store, now func() time.Time) (*api.Client, error) {
	o := api.Options{URL: cfg.GitHub.APIURL, Token: cfg.GitHub.Token.Reveal, Store: store, Now: now}
	if app := cfg.GitHub.App; app.ID != 0 {
		o.Token, o.App = nil, &api.App{ID: app.ID, Key: app.PrivateKey.Reveal}
	}
	return api.New(o)
}
