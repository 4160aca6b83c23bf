package telegram

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/PaulSonOfLars/gotgbot/v2"
	"github.com/hashicorp/go-hclog"
)

const (
	checkInterval = time.Minute
	// defaultConnections is the most concurrent deliveries. Few chats are active, and a chat's
	// updates come one by one anyway.
	defaultConnections = 10
)

// WebhookRegistrarOptions configure a WebhookRegistrar.
type WebhookRegistrarOptions struct {
	URL            string
	Secret         *WebhookSecret
	MaxConnections int // most concurrent deliveries; 0 means 10
	Log            hclog.Logger
	Health         *Health
}

// WebhookRegistrar keeps the webhook set, and checks whether Telegram can deliver to it.
type WebhookRegistrar struct {
	o      WebhookRegistrarOptions
	client *Client

	registered  bool           // whether Telegram knows the URL; only Run uses this and the fields below
	lastErrorAt int64          // time of the last known failed delivery, by Telegram's clock
	undelivered *deliveryError // the last delivery error, if no later update is known to have come
	nextCheck   time.Time
}

// notChecked is the value of lastErrorAt before the first check.
const notChecked = -1

// NewWebhookRegistrar creates a registrar for the client's bot.
func NewWebhookRegistrar(c *Client, o WebhookRegistrarOptions) *WebhookRegistrar {
	o.Log, o.Health = loggerOr(o.Log), healthOr(o.Health)
	o.MaxConnections = cmp.Or(o.MaxConnections, defaultConnections)
	return &WebhookRegistrar{o: o, client: c}
}

// Run keeps the webhook set until ctx ends. The webhook stays set afterwards, so that Telegram
// keeps the updates. Call Run once. Run retries every failure, so its error is always nil.
func (r *WebhookRegistrar) Run(ctx context.Context) error {
	r.o.Health.begin(ModeWebhook)
	retryForever(ctx, r.client, r.o.Health, r.o.Log, "keep the Telegram webhook", r.attempt)
	return nil
}

func (r *WebhookRegistrar) attempt(ctx context.Context) error {
	pause := time.Until(r.nextCheck)
	r.o.Health.waits(max(pause, 0) + 2*callTimeout)
	defer r.o.Health.works()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(pause):
	case <-r.o.Secret.changed:
	}
	if _, known := r.o.Secret.current(); !r.registered || !known {
		if err := r.register(ctx); err != nil {
			return err
		}
	}
	info, err := r.client.webhookInfo(ctx)
	if err != nil {
		return err
	}
	r.o.Health.pending(info.PendingUpdateCount)
	r.nextCheck = time.Now().Add(checkInterval)
	return r.check(info)
}

// register sets the webhook. Waiting updates are kept.
func (r *WebhookRegistrar) register(ctx context.Context) error {
	secret, _ := r.o.Secret.current()
	_, err := r.client.do(ctx, apiCall{method: "setWebhook", params: map[string]any{
		"url":                  r.o.URL,
		"secret_token":         secret,
		"max_connections":      r.o.MaxConnections,
		"allowed_updates":      updateKinds,
		"drop_pending_updates": false,
	}})
	if err == nil {
		r.registered, r.lastErrorAt = true, notChecked
		r.o.Secret.noteRegistered(secret)
	}
	return err
}

// check returns Telegram's last delivery error, if it came after the webhook was set.
func (r *WebhookRegistrar) check(info gotgbot.WebhookInfo) error {
	if info.Url != r.o.URL {
		r.registered, r.nextCheck = false, time.Time{}
		return fmt.Errorf("look after the webhook: %w", errWebhookReplaced)
	}
	fresh := r.lastErrorAt != notChecked && info.LastErrorDate > r.lastErrorAt
	r.lastErrorAt = info.LastErrorDate
	switch {
	case fresh:
		r.undelivered = &deliveryError{info.LastErrorMessage}
	case info.PendingUpdateCount == 0: // if updates are pending, Telegram may not have tried again yet
		r.undelivered = nil
	}
	if r.undelivered != nil {
		return r.undelivered
	}
	return nil
}

// webhookInfo asks what Telegram knows of the webhook.
func (c *Client) webhookInfo(ctx context.Context) (info gotgbot.WebhookInfo, err error) {
	result, err := c.do(ctx, apiCall{method: "getWebhookInfo"})
	if err != nil {
		return info, err
	}
	if err := json.Unmarshal(result, &info); err != nil {
		return info, fmt.Errorf("read what Telegram knows of the webhook: %w: %w", errAnswer, err)
	}
	return info, nil
}

// WebhookState is what Telegram knows of a bot's webhook.
type WebhookState struct {
	URL     string // "" means that there is no webhook
	Pending int64  // updates that wait at Telegram
	Error   string // why the last failed delivery failed; "" means that none did
	Failed  time.Time
}

// WebhookState asks Telegram about the bot's webhook.
func (c *Client) WebhookState(ctx context.Context) (WebhookState, error) {
	info, err := c.webhookInfo(ctx)
	return WebhookState{URL: info.Url, Pending: info.PendingUpdateCount, Error: info.LastErrorMessage,
		Failed: time.Unix(info.LastErrorDate, 0)}, err
}
