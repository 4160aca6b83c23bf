package github

import (
	"cmp"
	"context"
	"strings"
	"time"

	"mews/supervisor/sqlite"
)

// settingGitHubLogin is the name of the service's setting with Mews's login on GitHub.
const settingGitHubLogin = "github login"

// runEvents runs the EventHandler. Until Mews's login on GitHub is known, it asks GitHub for the
// login every minute.
func (g *GitHub) runEvents(ctx context.Context) error {
	for ctx.Err() == nil {
		span, end := context.WithCancel(ctx)
		g.relogin.Store(&end)
		if !g.findLogin(ctx) {
			span, end = context.WithTimeout(span, time.Minute)
		}
		err := g.events.Run(span)
		end()
		if err != nil {
			return err
		}
	}
	return nil
}

// RefreshLogin makes the feature ask GitHub for Mews's login again.
func (g *GitHub) RefreshLogin() {
	if end := g.relogin.Load(); end != nil {
		(*end)()
	}
}

// findLogin asks GitHub for Mews's login. If GitHub does not answer, it uses the last known login.
func (g *GitHub) findLogin(ctx context.Context) bool {
	settings := g.o.Settings
	login, err := g.o.Client.OwnLogin(ctx)
	if err == nil {
		err = settings.Put(ctx, everybody, settingGitHubLogin, login)
		g.self.Store(&login)
	} else if kept, ok, keptErr := settings.Find(ctx, everybody, settingGitHubLogin); ok && keptErr == nil {
		g.self.Store(&kept)
	}
	if err != nil && ctx.Err() == nil {
		g.o.Log.Warn("ask GitHub who we are", "error", err)
	}
	return err == nil
}

// Login returns Mews's login on GitHub; "" if unknown.
func (g *GitHub) Login() string {
	if login := g.self.Load(); login != nil {
		return *login
	}
	return ""
}

// calledBy returns the name by which comments address Mews; "" if unknown.
func (g *GitHub) calledBy() string { return cmp.Or(g.o.Name, g.Login()) }

// name returns Mews's name on GitHub, for texts.
func (g *GitHub) name() string {
	return cmp.Or(g.o.Name, strings.TrimSuffix(g.Login(), "[bot]"), "mews")
}

// RateLimitStore stores the used part of GitHub's rate limits, in the service's settings.
type RateLimitStore struct{ sqlite.Settings }

// LoadLimit returns the stored value of a key; nil if there is none.
func (l RateLimitStore) LoadLimit(ctx context.Context, key string) ([]byte, error) {
	kept, ok, err := l.Find(ctx, everybody, "github "+key)
	if err != nil || !ok {
		return nil, err
	}
	return []byte(kept), nil
}

// SaveLimit stores the value of a key.
func (l RateLimitStore) SaveLimit(ctx context.Context, key string, value []byte) error {
	return l.Put(ctx, everybody, "github "+key, string(value))
}
