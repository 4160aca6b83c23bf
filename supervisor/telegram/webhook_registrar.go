package telegram

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/PaulSonOfLars/gotgbot/v2"
	"github.com/hashicorp/go-hclog"

	"mews/supervisor/internal/retry"
)

const (
	checkInterval = time.Minute
	// deliveries at once: people's chats are few, and one chat's updates come one by one anyway
	defaultConnections = 10
)

// WebhookRegistrarOptions say where Telegram is to deliver.
type WebhookRegistrarOptions struct {
	URL            string
	Secret         string
	MaxConnections int // deliveries at once; 0 is 10
	Log            hclog.Logger
	Health         *Health
}

// WebhookRegistrar keeps the webhook set, and sees whether Telegram can deliver to it.
type WebhookRegistrar struct {
	o      WebhookRegistrarOptions
	client *Client

	registered  bool           // Telegram was told of the URL. This and what follows is Run's own
	lastErrorAt int64          // the latest failed delivery that is known, by Telegram's clock
	undelivered *deliveryError // deliveries have failed, and none is known to have come since
	nextCheck   time.Time
}

// notChecked is the lastErrorAt before the first check.
const notChecked = -1

// NewWebhookRegistrar makes the registrar of the client's bot's webhook.
func NewWebhookRegistrar(c *Client, o WebhookRegistrarOptions) *WebhookRegistrar {
	o.Log, o.Health = loggerOr(o.Log), healthOr(o.Health)
	o.MaxConnections = cmp.Or(o.MaxConnections, defaultConnections)
	return &WebhookRegistrar{o: o, client: c}
}

// Run keeps the webhook set until ctx ends. It stays set then, so that Telegram keeps what comes.
// Once only. Whatever fails is tried again; the error is nil.
func (r *WebhookRegistrar) Run(ctx context.Context) error {
	r.o.Health.begin(ModeWebhook)
	retryForever(ctx, r.client, r.o.Health, r.o.Log, "keep the Telegram webhook", r.attempt)
	return nil
}

func (r *WebhookRegistrar) attempt(ctx context.Context) error {
	retry.Wait(ctx, time.Until(r.nextCheck))
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if !r.registered {
		if err := r.register(ctx); err != nil {
			return err
		}
	}
	result, err := r.client.do(ctx, apiCall{method: "getWebhookInfo"})
	if err != nil {
		return err
	}
	var info gotgbot.WebhookInfo
	if err := json.Unmarshal(result, &info); err != nil {
		return fmt.Errorf("read what Telegram knows of the webhook: %w: %w", errAnswer, err)
	}
	r.o.Health.pending(info.PendingUpdateCount)
	r.nextCheck = time.Now().Add(checkInterval)
	return r.check(info)
}

// register tells Telegram where to deliver. It drops nothing of what waits.
func (r *WebhookRegistrar) register(ctx context.Context) error {
	_, err := r.client.do(ctx, apiCall{method: "setWebhook", params: map[string]any{
		"url":                  r.o.URL,
		"secret_token":         r.o.Secret,
		"max_connections":      r.o.MaxConnections,
		"allowed_updates":      updateKinds,
		"drop_pending_updates": false,
	}})
	if err == nil {
		r.registered, r.lastErrorAt = true, notChecked
	}
	return err
}

// check finds what is wrong with a webhook that was set. What failed before that does not matter.
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
	case info.PendingUpdateCount == 0: // else it may be that Telegram has only not tried again yet
		r.undelivered = nil
	}
	if r.undelivered != nil {
		return r.undelivered
	}
	return nil
}
