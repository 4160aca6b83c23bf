package github

import (
	"cmp"
	"context"
	"strings"
	"time"

	"mews/supervisor/sqlite"
)

// settingGitHubLogin is the service's setting that keeps who Mews is on GitHub.
const settingGitHubLogin = "github login"

// runEvents works off what happens. Who Mews is there is asked first, and every minute until that
// is known.
func (g *GitHub) runEvents(ctx context.Context) error {
	for ctx.Err() == nil {
		span, end := ctx, context.CancelFunc(func() {})
		if !g.findLogin(ctx) {
			span, end = context.WithTimeout(ctx, time.Minute)
		}
		err := g.events.Run(span)
		end()
		if err != nil {
			return err
		}
	}
	return nil
}

// findLogin asks who Mews is on GitHub. Where that can't be had it is who Mews was there last.
func (g *GitHub) findLogin(ctx context.Context) bool {
	settings := g.o.Settings
	login, err := g.o.Client.Login(ctx)
	if err == nil {
		err = settings.Put(ctx, everyone, settingGitHubLogin, login)
		g.self.Store(&login)
	} else if kept, ok, keptErr := settings.Find(ctx, everyone, settingGitHubLogin); ok && keptErr == nil {
		g.self.Store(&kept)
	}
	if err != nil && ctx.Err() == nil {
		g.o.Log.Warn("ask GitHub who we are", "error", err)
	}
	return err == nil
}

// login is who Mews is on GitHub; "" while that is not known.
func (g *GitHub) login() string {
	if login := g.self.Load(); login != nil {
		return *login
	}
	return ""
}

// calledBy is what people call Mews by in a comment; "" while that is not known.
func (g *GitHub) calledBy() string { return cmp.Or(g.o.Name, g.login()) }

// name is what people on GitHub call Mews by.
func (g *GitHub) name() string {
	return cmp.Or(g.o.Name, strings.TrimSuffix(g.login(), "[bot]"), "mews")
}

// Limits keeps what is used up of GitHub's limits, under the service's own settings.
type Limits struct{ sqlite.Settings }

// Kept is a value, nil where there is none.
func (l Limits) Kept(ctx context.Context, key string) ([]byte, error) {
	kept, ok, err := l.Find(ctx, everyone, "github "+key)
	if err != nil || !ok {
		return nil, err
	}
	return []byte(kept), nil
}

// Keep keeps one.
func (l Limits) Keep(ctx context.Context, key string, value []byte) error {
	return l.Put(ctx, everyone, "github "+key, string(value))
}
