package app

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/config"
	"mews/supervisor"
	"mews/supervisor/alarm"
	"mews/supervisor/api"
	"mews/supervisor/feature"
	"mews/supervisor/internal/retry"
	"mews/supervisor/markdown"
	"mews/supervisor/outbox"
	"mews/supervisor/telegram"
)

// telegramChannel is Telegram, for sending and receiving.
type telegramChannel struct {
	service *service
	log     hclog.Logger
	client  *telegram.Client
	health  telegram.Health
	outbox  *outbox.Outbox
	cleaner *outbox.MessageCleaner
	reactor *outbox.Reactor
	presses *telegram.PressAcks
	// the secret of the webhook; nil means that the bot polls
	webhookSecret *telegram.WebhookSecret
	receive       func(context.Context) error // receives updates until its context ends
}

// openTelegram makes the sender to Telegram, if a token is configured. It makes no request.
func (s *service) openTelegram(context.Context) (err error) {
	if s.config.Telegram.Token.Reveal() == "" {
		return nil
	}
	c := &telegramChannel{service: s, log: s.log.Named("telegram")}
	c.client, err = telegram.New(telegram.Options{
		Token: s.config.Telegram.Token.Reveal(), APIURL: s.config.Telegram.APIURL, Files: s.config.Telegram.Files,
		Open: s.spool.OpenBlob, Log: c.log,
	})
	if err != nil {
		return err
	}
	s.addCloser(func() error { c.client.Close(); return nil })
	c.presses = telegram.NewPressAcks(c.client, c.log)
	c.health.Alarm, c.health.Recovered = s.tellAlarm(alarm.Telegram)
	outboxAlarm, outboxRecovered := s.tellAlarm(alarm.Outbox)
	c.outbox = outbox.New(outbox.Options{
		Name: supervisor.ChannelTelegram, Source: c.client.UpdateSourceName(), Channel: c.client,
		Deliveries: s.db.Outbox(), Posts: s.db.Posts(), Conversations: movableConversations(c), Freezes: s.db.Outbox(),
		Replies: &s.feeds, Render: render, Halve: halve, Rates: sendRates(s.config.Telegram.Rate),
		Grows: func(c supervisor.Conversation) bool {
			return s.settings.StreamsReplies(c.User) && !s.voices.IsVoiceOnly(c)
		},
		NoVoice: func(ctx context.Context, c supervisor.Conversation) error {
			return s.voices.MarkVoiceForbidden(ctx,
				c)
		},
		Serves: s.serves, Now: time.Now, FallbackFor: s.fallbackChat, Queued: s.notifyFallback,
		Log:   s.log.Named("outbox"),
		Alarm: outboxAlarm, Recovered: outboxRecovered, Forget: s.removeSecretFile,
		KeepText: generatedFileStore{s.spool}.StoreText,
	})
	c.health.Reached = c.outbox.NotifyChannelReachable
	c.cleaner = c.outbox.NewMessageCleaner(s.db.MessageCleanups())
	c.reactor = c.outbox.NewReactor(outbox.ReactionMode(s.config.Chat.Reactions), s.db.Inbox(), c.client)
	s.feeds.Changed = func(conversation int64) {
		c.outbox.NotifyChange(conversation)
		c.reactor.NotifyTurnChange()
	}
	s.channel = c
	return nil
}

// noteArrival tells the reactor that a message has arrived on some channel. The reactor is the part
// that reacts to messages in chats.
func (s *service) noteArrival() {
	if s.channel != nil {
		s.channel.reactor.NotifyNewMessage()
	}
}

// sendRates converts the configured limits of how fast messages are sent.
func sendRates(r config.SendRate) outbox.SendRates {
	return outbox.SendRates{All: r.All, Chat: r.Chat, Group: r.Group}
}

// openTelegramIn makes the receiver of Telegram's updates: a poller or a webhook.
func (s *service) openTelegramIn(context.Context) error {
	c := s.channel
	if c == nil {
		return nil
	}
	h := newIngress(c, s.inbox)
	hook := s.config.Telegram.Webhook
	if hook.URL == "" {
		c.receive = telegram.NewPoller(c.client, h, telegram.PollOptions{Log: c.log, Health: &c.health}).Run
		return nil
	}
	c.webhookSecret = telegram.NewWebhookSecret(hook.Secret.Reveal())
	handler, err := telegram.NewWebhook(c.client, h, telegram.WebhookOptions{
		Secret: c.webhookSecret, Log: c.log, Health: &c.health,
	})
	if err != nil {
		return err
	}
	s.routes = append(s.routes, feature.Route{Method: http.MethodPost, Path: config.TelegramWebhookPath,
		Limit: telegram.MaxUpdateBytes, Handler: handler})
	c.receive = telegram.NewWebhookRegistrar(c.client, telegram.WebhookRegistrarOptions{
		URL: hook.URL, Secret: c.webhookSecret, Log: c.log, Health: &c.health,
	}).Run
	return nil
}

// presentInterval is how often the bot's name and menu are refreshed, because @BotFather can change
// both.
const presentInterval = 24 * time.Hour

// present refreshes the bot's name and its menu of commands, daily until ctx ends. It delays no
// other part.
func (c *telegramChannel) present(ctx context.Context) error {
	var met time.Time
	introduce := func() error {
		if time.Since(met) >= presentInterval {
			bot, err := c.client.RefreshMe(ctx)
			if err != nil {
				return err
			}
			met = time.Now()
			c.health.SetUsername(bot.Username)
		}
		return c.setMenus(ctx)
	}
	for ctx.Err() == nil {
		never := func(error) bool { return false }
		pauses := retry.Pauses{First: 5 * time.Second, Longest: 10 * time.Minute, Jitter: 0.25}
		err := retry.UntilDone(ctx, pauses, introduce, never, func(err error, again time.Duration) {
			c.log.Warn("learn the bot's name and set its menu", "error", err, "again_in", again.Round(time.Second))
		})
		if err != nil {
			return nil // ctx has ended
		}
		retry.Sleep(ctx, presentInterval)
	}
	return nil
}

// setMenus sets everybody's menu, and a larger menu in each admin's private chat. A private chat
// that does not exist yet is no error.
func (c *telegramChannel) setMenus(ctx context.Context) error {
	menu := func(admin bool) (menu []telegram.MenuCommand) {
		for _, entry := range c.service.commands.Menu(admin) {
			menu = append(menu, telegram.MenuCommand(entry))
		}
		return menu
	}
	if err := c.client.SetMenu(ctx, menu(false)); err != nil {
		return err
	}
	for _, name := range c.service.people.Names() {
		u, _ := c.service.people.Find(name)
		chat, own := u.Accounts[supervisor.ChannelTelegram], []telegram.MenuCommand(nil)
		if chat == "" {
			continue
		}
		if u.Role == supervisor.RoleAdmin {
			own = menu(true)
		}
		if err := c.client.SetChatMenu(ctx, chat, own); err != nil {
			c.log.Debug("set a chat's menu; it is tried again in a day", "user", name, "error", err)
		}
	}
	return nil
}

// status reports the state of the channel.
func (c *telegramChannel) status() api.ChannelStatus {
	h := c.health.Status()
	status := api.ChannelStatus{
		Name: string(supervisor.ChannelTelegram), Mode: string(h.Mode), Bot: h.Username, State: string(h.State),
		Since: h.Since, Completed: h.Completed, Failures: h.Failures, Error: h.Error, Pending: h.Pending,
	}
	for chat, until := range c.outbox.Status().Frozen {
		status.Frozen = append(status.Frozen, api.ThrottledChat{Chat: chat, Until: until})
	}
	for _, t := range c.outbox.Status().Troubles {
		status.Stuck = append(status.Stuck, api.StuckChat{Chat: t.Chat, Error: t.Error, Since: t.Since})
	}
	slices.SortFunc(status.Frozen, func(a, b api.ThrottledChat) int { return strings.Compare(a.Chat, b.Chat) })
	return status
}

// render splits a text into messages and formats them. growing means that the text is not complete
// yet.
func render(text string, growing bool) []supervisor.RichText {
	rich := markdown.Render
	if growing {
		rich = markdown.RenderGrowing
	}
	return markdown.SplitMessage(rich(text), markdown.MaxMessageUTF16Units-outbox.RepeatMarkLength)
}

// halve splits a message that the channel refused as too long.
func halve(t supervisor.RichText) []supervisor.RichText {
	return markdown.SplitMessage(t, max(1, supervisor.UTF16Length(t.Text)/2))
}

// A chat that opens just after the service's start waits up to botNameWait for the bot's name.
const (
	botNameWait  = time.Second
	botNamePause = 20 * time.Millisecond
)

// awaitBotName returns the bot's name. Just after the service's start it waits until Telegram has
// told the name.
func (s *service) awaitBotName(ctx context.Context) string {
	until := s.since.Add(botNameWait)
	for s.channel != nil && s.botName() == "" && s.now().Before(until) {
		if !retry.Sleep(ctx, botNamePause) {
			break
		}
	}
	return s.botName()
}

// botName returns the bot's name, or "" if Telegram has not told the name yet.
func (s *service) botName() string {
	if s.channel == nil {
		return ""
	}
	return s.channel.health.Status().Username
}
