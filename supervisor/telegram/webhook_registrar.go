package telegram

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/PaulSonOfLars/gotgbot/v2"
	"github.com/hashicorp/go-hclog"
)

const (
	checkInterval      = time.Minute
	defaultConnections = 10 // deliveries at once; a household's chats are few, and one chat's updates come one by one anyway
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
	client  *Client
	options WebhookRegistrarOptions

	registered  bool           // Telegram was told of the URL. This and what follows is Run's own
	lastErrorAt int64          // when the last failed delivery was that is known, by Telegram's clock
	undelivered *deliveryError // deliveries have failed and none is known to have come since
	nextCheck   time.Time      // of the next look
}

// notChecked is before the first look.
const notChecked = -1

// NewWebhookRegistrar makes a keeper of the client's bot's webhook.
func NewWebhookRegistrar(c *Client, o WebhookRegistrarOptions) *WebhookRegistrar {
	o.Log, o.Health = loggerOr(o.Log), healthOr(o.Health)
	if o.MaxConnections == 0 {
		o.MaxConnections = defaultConnections
	}
	return &WebhookRegistrar{client: c, options: o}
}

// Run keeps the webhook until ctx ends; it stays set then, so that Telegram waits with what comes. Once only. Whatever
// fails is tried again; the error is nil.
func (k *WebhookRegistrar) Run(ctx context.Context) error {
	k.options.Health.begin(ModeWebhook)
	retryForever(ctx, k.options.Health, k.options.Log, "keep the Telegram webhook", k.attempt)
	return nil
}

func (k *WebhookRegistrar) attempt(ctx context.Context) error {
	sleep(ctx, time.Until(k.nextCheck))
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if !k.registered {
		if err := k.register(ctx); err != nil {
			return err
		}
	}
	info, err := k.info(ctx)
	if err != nil {
		return err
	}
	k.nextCheck = time.Now().Add(checkInterval)
	return k.check(info)
}

// register tells Telegram where to deliver. It drops nothing of what waits.
func (k *WebhookRegistrar) register(ctx context.Context) error {
	_, err := k.client.request(ctx, "setWebhook", map[string]any{
		"url":                  k.options.URL,
		"secret_token":         k.options.Secret,
		"max_connections":      k.options.MaxConnections,
		"allowed_updates":      updateKinds,
		"drop_pending_updates": false,
	}, callTimeout)
	if err != nil {
		return err
	}
	k.registered, k.lastErrorAt = true, notChecked
	return nil
}

func (k *WebhookRegistrar) info(ctx context.Context) (gotgbot.WebhookInfo, error) {
	var info gotgbot.WebhookInfo
	result, err := k.client.request(ctx, "getWebhookInfo", nil, callTimeout)
	if err != nil {
		return info, err
	}
	if err := json.Unmarshal(result, &info); err != nil {
		return info, fmt.Errorf("read what Telegram knows of the webhook: %w: %w", errAnswer, err)
	}
	k.options.Health.pending(info.PendingUpdateCount)
	return info, nil
}

// check finds what is wrong with a webhook that was set. What failed before that is no matter.
func (k *WebhookRegistrar) check(info gotgbot.WebhookInfo) error {
	if info.Url != k.options.URL {
		k.registered, k.nextCheck = false, time.Time{}
		return fmt.Errorf("look after the webhook: %w", errWebhookReplaced)
	}
	fresh := k.lastErrorAt != notChecked && info.LastErrorDate > k.lastErrorAt
	k.lastErrorAt = info.LastErrorDate
	switch {
	case fresh:
		k.undelivered = &deliveryError{info.LastErrorMessage}
	case info.PendingUpdateCount == 0: // else it may be that Telegram has only not tried again yet
		k.undelivered = nil
	}
	if k.undelivered != nil {
		return k.undelivered
	}
	return nil
}
