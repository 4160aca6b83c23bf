package api

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/go-github/v66/github"
)

// AppWebhookID is the id that stands for an App's own webhook. All repositories of the App share
// that webhook.
const AppWebhookID = 0

// Webhook is a webhook of a repository or of an App.
type Webhook struct {
	ID     int64 // id of the webhook; AppWebhookID means the App's own
	URL    string
	JSON   bool
	Secret bool // the webhook has a secret; GitHub never shows the secret
	Active bool
	Events []string
}

// WebhookDelivery is one attempt to deliver an event to a webhook.
type WebhookDelivery struct {
	ID     int64
	GUID   string // id of the event, the same for all attempts to deliver it
	At     time.Time
	Again  bool // the attempt repeats an earlier attempt
	Status string
	Code   int // HTTP status from the receiver; 0 if there was no answer
	Event  string
	Action string
}

// Succeeded reports whether the receiver accepted the delivery.
func (d WebhookDelivery) Succeeded() bool { return d.Code >= 200 && d.Code < 300 }

// Webhooks returns a repository's webhooks, which only an admin of the repository may read. With an
// App, the App's own webhook comes first.
func (c *Client) Webhooks(ctx context.Context, repo string) ([]Webhook, error) {
	k := &call{action: "list the webhooks of " + repo, repo: repo, need: needHooks}
	page, err := listing(ctx, c, k, pageSize, hookOf,
		func(ctx context.Context, owner, name string, page github.ListOptions) ([]*github.Hook, *github.Response, error) {
			return c.gh.Repositories.ListHooks(ctx, owner, name, &page)
		})
	if c.auth.key == nil {
		return page.Items, err
	}
	own, _, ownErr := ask(ctx, c, &call{action: "read the app's webhook", need: needApp},
		func(ctx context.Context, _, _ string) (*github.HookConfig, *github.Response, error) {
			return c.gh.Apps.GetHookConfig(ctx)
		})
	if ownErr != nil {
		return page.Items, errors.Join(err, ownErr)
	}
	// An App without the right to read the repository's webhooks still gets its own.
	hooks := []Webhook{hookOf(&github.Hook{Config: own, Active: github.Bool(own.GetURL() != "")})}
	return append(hooks, page.Items...), nil
}

// CreateWebhook creates a webhook that sends events as JSON.
func (c *Client) CreateWebhook(ctx context.Context, repo, url string, secret func() string, events []string) (Webhook,
	error) {
	k := &call{action: "make a webhook in " + repo, repo: repo, need: needHooks}
	h, _, err := ask(ctx, c, k, func(ctx context.Context, owner, name string) (*github.Hook, *github.Response, error) {
		return c.gh.Repositories.CreateHook(ctx, owner, name, &github.Hook{Active: github.Bool(true), Events: events,
			Config: &github.HookConfig{URL: &url, ContentType: github.String("json"), InsecureSSL: github.String("0"), Secret: github.String(secret())}})
	})
	return hookOf(h), err
}

// ChangeWebhook changes a webhook's address. GitHub removes a secret that a change leaves out, so
// the secret, the form and the events are set too. An App's webhook has no events.
func (c *Client) ChangeWebhook(ctx context.Context, repo string, hook int64, url string, secret func() string,
	events []string) error {
	k := hookCall("change a webhook of "+repo, repo, hook)
	to := &github.HookConfig{URL: &url, ContentType: github.String("json"), InsecureSSL: github.String("0"),
		Secret: github.String(secret())}
	_, _, err := ask(ctx, c, k, func(ctx context.Context, owner, name string) (*github.HookConfig, *github.Response,
		error) {
		if hook == AppWebhookID {
			return c.gh.Apps.UpdateHookConfig(ctx, to)
		}
		h, resp, err := c.gh.Repositories.EditHook(ctx, owner, name, hook,
			&github.Hook{Active: github.Bool(true), Events: events, Config: to})
		return h.GetConfig(), resp, err
	})
	return err
}

func hookOf(h *github.Hook) Webhook {
	made := Webhook{ID: h.GetID(), URL: h.GetConfig().GetURL(), JSON: h.GetConfig().GetContentType() == "json",
		Secret: h.GetConfig().GetSecret() != "", Active: h.GetActive()}
	if h != nil {
		made.Events = h.Events
	}
	return made
}

// WebhookDeliveries returns a page of a webhook's deliveries, newest first. cursor is "" for the
// first page. next is the cursor of the next page; "" means no further page.
func (c *Client) WebhookDeliveries(ctx context.Context, repo string, hook int64, cursor string) (list []WebhookDelivery,
	next string, err error) {
	o := &github.ListCursorOptions{PerPage: pageSize, Cursor: cursor}
	k := hookCall("list what was sent to a webhook of "+repo, repo, hook)
	found, resp, err := ask(ctx, c, k, func(ctx context.Context, owner, name string) ([]*github.HookDelivery, *github.Response, error) {
		if hook == AppWebhookID {
			return c.gh.Apps.ListHookDeliveries(ctx, o)
		}
		return c.gh.Repositories.ListHookDeliveries(ctx, owner, name, hook, o)
	})
	if err != nil {
		return nil, "", err
	}
	return convertAll(found, deliveryOf), resp.Cursor, nil
}

func deliveryOf(d *github.HookDelivery) WebhookDelivery {
	return WebhookDelivery{ID: d.GetID(), GUID: d.GetGUID(), At: d.GetDeliveredAt().Time, Again: d.GetRedelivery(),
		Status: d.GetStatus(), Code: d.GetStatusCode(),
		Event: d.GetEvent(), Action: d.GetAction()}
}

// RedeliverWebhook asks GitHub to repeat a delivery.
func (c *Client) RedeliverWebhook(ctx context.Context, repo string, hook, delivery int64) error {
	k := hookCall(fmt.Sprintf("have delivery %d to a webhook of %s sent again", delivery, repo), repo, hook)
	_, _, err := ask(ctx, c, k, func(ctx context.Context, owner, name string) (*github.HookDelivery, *github.Response, error) {
		if hook == AppWebhookID {
			return c.gh.Apps.RedeliverHookDelivery(ctx, delivery)
		}
		return c.gh.Repositories.RedeliverHookDelivery(ctx, owner, name, hook, delivery)
	})
	return err
}

func hookCall(what, repo string, hook int64) *call {
	if hook == AppWebhookID {
		return &call{action: what, need: needApp}
	}
	return &call{action: what, repo: repo, need: needHooks}
}
