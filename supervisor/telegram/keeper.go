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
	lookEvery   = time.Minute
	connections = 10 // deliveries at once; a household's chats are few, and one chat's updates come one by one anyway
)

// KeeperOptions say where Telegram is to deliver.
type KeeperOptions struct {
	URL            string
	Secret         string
	MaxConnections int // deliveries at once; 0 is 10
	Log            hclog.Logger
	Health         *Health
}

// Keeper keeps the webhook set, and sees whether Telegram can deliver to it.
type Keeper struct {
	client *Client
	o      KeeperOptions

	set    bool           // Telegram was told of the URL. This and what follows is Run's own
	seen   int64          // when the last failed delivery was that is known, by Telegram's clock
	broken *deliveryError // deliveries have failed and none is known to have come since
	due    time.Time      // of the next look
}

// unseen is before the first look.
const unseen = -1

// NewKeeper makes a keeper of the client's bot's webhook.
func NewKeeper(c *Client, o KeeperOptions) *Keeper {
	o.Log, o.Health = loggerOr(o.Log), healthOr(o.Health)
	if o.MaxConnections == 0 {
		o.MaxConnections = connections
	}
	return &Keeper{client: c, o: o}
}

// Run keeps the webhook until ctx ends; it stays set then, so that Telegram waits with what comes. Once only. Whatever
// fails is tried again; the error is nil.
func (k *Keeper) Run(ctx context.Context) error {
	k.o.Health.begin(ModeWebhook)
	repeat(ctx, k.o.Health, k.o.Log, "keep the Telegram webhook", k.attempt)
	return nil
}

func (k *Keeper) attempt(ctx context.Context) error {
	rest(ctx, time.Until(k.due))
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if !k.set {
		if err := k.register(ctx); err != nil {
			return err
		}
	}
	info, err := k.look(ctx)
	if err != nil {
		return err
	}
	k.due = time.Now().Add(lookEvery)
	return k.judge(info)
}

// register tells Telegram where to deliver. It drops nothing of what waits.
func (k *Keeper) register(ctx context.Context) error {
	_, err := k.client.request(ctx, "setWebhook", map[string]any{
		"url":                  k.o.URL,
		"secret_token":         k.o.Secret,
		"max_connections":      k.o.MaxConnections,
		"allowed_updates":      updates,
		"drop_pending_updates": false,
	}, callWait)
	if err != nil {
		return err
	}
	k.set, k.seen = true, unseen
	return nil
}

func (k *Keeper) look(ctx context.Context) (gotgbot.WebhookInfo, error) {
	var info gotgbot.WebhookInfo
	result, err := k.client.request(ctx, "getWebhookInfo", nil, callWait)
	if err != nil {
		return info, err
	}
	if err := json.Unmarshal(result, &info); err != nil {
		return info, fmt.Errorf("read what Telegram knows of the webhook: %w: %w", errAnswer, err)
	}
	k.o.Health.pending(info.PendingUpdateCount)
	return info, nil
}

// judge finds what is wrong with a webhook that was set. What failed before that is no matter.
func (k *Keeper) judge(info gotgbot.WebhookInfo) error {
	if info.Url != k.o.URL {
		k.set, k.due = false, time.Time{}
		return fmt.Errorf("look after the webhook: %w", errSupplanted)
	}
	fresh := k.seen != unseen && info.LastErrorDate > k.seen
	k.seen = info.LastErrorDate
	switch {
	case fresh:
		k.broken = &deliveryError{info.LastErrorMessage}
	case info.PendingUpdateCount == 0: // else it may be that Telegram has only not tried again yet
		k.broken = nil
	}
	if k.broken != nil {
		return k.broken
	}
	return nil
}
