package app

import (
	"context"
	"maps"
	"slices"
	"time"

	"mews/config"
	"mews/protocol/template"
	"mews/supervisor"
	"mews/supervisor/github/event"
	"mews/supervisor/github/triage"
	"mews/supervisor/webhook"
)

// openWebhooks makes the receiver of GitHub's deliveries and of the configured hooks.
func (s *service) openWebhooks(context.Context) error {
	o := webhook.Options{
		Deliveries: s.db.WebhookDeliveries(), Spool: s.spool, KeepText: generatedFileStore{s.spool}.StoreText,
		Queued: s.deliveryQueued, Audit: s.audit.RecordAction, Log: s.log.Named("webhook"), Now: s.now,
	}
	if s.config.Webhooks.Listen != "" {
		o.Hooks = s.hooks()
	}
	if s.config.Webhooks.Listen != "" && len(s.config.GitHub.Repos) > 0 {
		o.GitHub = &webhook.GitHubRoute{
			Path:       config.GitHubWebhookPath,
			Secret:     func() string { return s.configuration.Current().GitHub.WebhookSecret.Reveal() },
			MaxPayload: event.MaxPayloadBytes,
			Read:       event.Parser{IsSecurityReport: triage.IsSecurityReport, Self: s.gitHub.Login}.Parse,
			Repo:       s.gitHub.FindRepo, Notify: s.gitHub.Wake,
		}
	}
	s.webhooks = webhook.New(o)
	return nil
}

// hooks returns the configured hooks, sorted by name. A hook with an invalid template works without
// the template.
func (s *service) hooks() (hooks []webhook.Hook) {
	for _, name := range slices.Sorted(maps.Keys(s.config.Hooks)) {
		h := s.config.Hooks[name]
		hook := webhook.Hook{
			Name: name, Path: config.HookPathPrefix + name, Sign: webhook.HookAuth(h.Sign),
			Secret: func() string { return s.configuration.Current().Hooks[name].Secret.Reveal() },
			Header: h.Header, Urgent: h.Urgent,
			Destination: func() (supervisor.Conversation, bool) { return s.activeChat(h.User, recipientOf(h.Chat)) },
		}
		if h.Job != "" {
			hook.Run = func(ctx context.Context, at time.Time, text string) error {
				return s.schedule.Trigger(ctx, h.User, h.Job, at, text)
			}
		}
		if h.Template != "" {
			made, err := template.Parse(h.Template)
			if err != nil {
				s.log.Warn("a hook works without its refused template; `mews check` says what to change",
					"hook", name, "error", err)
			}
			hook.Template = made
		}
		hooks = append(hooks, hook)
	}
	return hooks
}

// activeChat returns the group that is named in to, or otherwise the user's private chat. It
// returns false if the user is not active.
func (s *service) activeChat(user string, to supervisor.GitHubRecipient) (supervisor.Conversation, bool) {
	u, known := s.people.Find(user)
	if to.Chat != "" {
		return supervisor.Conversation{User: user, Channel: supervisor.GroupChannel(), Chat: to.Chat, Thread: to.Thread}, known && s.isActive(user)
	}
	return u.PrivateChat(), known && s.isActive(user)
}
