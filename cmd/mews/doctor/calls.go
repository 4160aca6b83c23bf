package doctor

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/supervisor/app"
	"mews/supervisor/telegram"
)

// examineKey calls the default model for one token, if the doctor may make calls that cost.
func examineKey(ctx context.Context, o Options) (string, error) {
	if !o.Calls {
		return "", nil
	}
	name := o.Config.Models.Default
	if err := app.TryModel(ctx, o.Config, hclog.NewNullLogger()); err != nil {
		return "", fmt.Errorf(textKeyFails, name, err)
	}
	return fmt.Sprintf(textKeyTried, name), nil
}

// withTelegram calls a function with a client of the bot. Without a token it returns "".
func withTelegram(o Options, examine func(c *telegram.Client) (string, error)) (string, error) {
	t := o.Config.Telegram
	if t.Token.Reveal() == "" {
		return "", nil
	}
	c, err := telegram.New(telegram.Options{Token: t.Token.Reveal(), APIURL: t.APIURL})
	if err != nil {
		return "", err
	}
	defer c.Close()
	return examine(c)
}

// examineClock compares this machine's clock with the date of an answer of Telegram.
func examineClock(ctx context.Context, o Options) (string, error) {
	return withTelegram(o, func(c *telegram.Client) (string, error) {
		_, _ = c.GetMe(ctx) // a refusal has a date, too; the examination of Telegram tells of errors
		offset, known := c.ClockOffset()
		if !known {
			return "", nil
		}
		if wrong := app.ClockFault(offset); wrong != "" {
			return "", fmt.Errorf(textClockWrong, wrong)
		}
		return fmt.Sprintf(textClockRight, max(offset, -offset).Truncate(time.Second)+time.Second), nil
	})
}

// examineWebhook asks Telegram about the webhook.
func examineWebhook(ctx context.Context, o Options) (string, error) {
	return withTelegram(o, func(c *telegram.Client) (string, error) {
		wanted := o.Config.Telegram.Webhook.URL
		hook, err := c.WebhookState(ctx)
		switch {
		case err != nil, wanted == "" && hook.URL == "":
			return "", nil // the examination of Telegram tells of errors
		case wanted == "":
			return "", &warning{fmt.Sprintf(textNoHook, hook.URL)}
		case hook.URL != wanted:
			return "", fmt.Errorf(textOtherHook, hook.URL, wanted)
		case hook.Error != "" && hook.Pending > 0:
			return "", fmt.Errorf(textHookFails, hook.Failed.Local().Format(time.DateTime), hook.Error,
				hook.Pending)
		}
		return fmt.Sprintf(textHook, hook.URL, hook.Pending), nil
	})
}
