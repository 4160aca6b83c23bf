package app

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"time"

	"mews/config"
	"mews/protocol/template"
	"mews/supervisor"
	"mews/supervisor/github/event"
	"mews/supervisor/web"
	"mews/supervisor/webhook"
)

// openWebhooks makes the routes of GitHub's deliveries and of the configured hooks, where anybody
// can call.
func (s *service) openWebhooks(context.Context) error {
	if s.config.Webhooks.Listen == "" || len(s.config.GitHub.Repos)+len(s.config.Hooks) == 0 {
		return nil
	}
	hooks := s.hooks()
	s.webhooks = webhook.New(webhook.Options{
		Deliveries: s.db.WebhookDeliveries(), Spool: s.spool, Hooks: hooks, KeepText: pictures{s.spool}.KeepText,
		Queued: s.deliveryQueued, Audit: s.audit.Note, Log: s.log.Named("webhook"), Now: s.now,
	})
	if len(s.config.GitHub.Repos) > 0 {
		s.route(config.GitHubPath, event.MaxPayload, s.webhooks.GitHub(webhook.GitHub{
			Secret: s.config.GitHub.WebhookSecret.Reveal(), Repo: s.gitHub.Repo, Arrived: s.gitHub.Wake,
		}))
	}
	for _, h := range hooks {
		s.route(config.HookPath+h.Name, webhook.MaxMessage, s.webhooks.Hook(h))
	}
	return nil
}

func (s *service) route(path string, limit int64, handler http.Handler) {
	s.routes = append(s.routes, web.Route{Method: http.MethodPost, Path: path, Limit: limit, Handler: handler})
}

// hooks are the configured ones, by name. A hook with a refused template goes on without it.
func (s *service) hooks() (hooks []webhook.Hook) {
	for _, name := range slices.Sorted(maps.Keys(s.config.Hooks)) {
		h := s.config.Hooks[name]
		hook := webhook.Hook{Name: name, Secret: h.Secret.Reveal(), Sign: webhook.Sign(h.Sign), Header: h.Header, Urgent: h.Urgent,
			To: func() (supervisor.Conversation, bool) { return s.chatOf(h.User, readerOf(h.Chat)) }}
		if h.Job != "" {
			hook.Run = func(ctx context.Context, at time.Time, text string) error {
				return s.schedule.Trigger(ctx, h.User, h.Job, at, text)
			}
		}
		if h.Template != "" {
			made, err := template.Parse(h.Template)
			if err != nil {
				s.log.Warn("a hook goes on without its template, which is refused; `mews check` says what to change",
					"hook", name, "error", err)
			}
			hook.Template = made
		}
		hooks = append(hooks, hook)
	}
	return hooks
}

// chatOf is where somebody is told something: in a group, or in their private chat. It is false
// where they may not speak any more.
func (s *service) chatOf(user string, to supervisor.GitHubRecipient) (supervisor.Conversation, bool) {
	u, known := s.people.Find(user)
	if to.Chat != "" {
		return supervisor.Conversation{User: user, Channel: supervisor.GroupChannel(), Chat: to.Chat, Thread: to.Thread}, known && s.active(user)
	}
	return u.PrivateChat(), known && s.active(user)
}
