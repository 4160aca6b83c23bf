package telegram

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/PaulSonOfLars/gotgbot/v2"
)

// meTimeout is how long Telegram may take to say who the bot is, where something hangs on it.
const meTimeout = 10 * time.Second

// acquaintance is who the bot is as far as that is known, and when it may be asked for.
type acquaintance struct {
	id    int64 // the one in the token
	bot   *gotgbot.Bot
	known atomic.Pointer[gotgbot.User]
	turn  chan struct{} // holds a token while somebody asks. What follows is the asker's alone

	failure error     // of the last attempt; nil after a success
	again   time.Time // nothing is asked before
	rests   pace
}

func newAcquaintance(id int64, bot *gotgbot.Bot) *acquaintance {
	return &acquaintance{id: id, bot: bot, turn: make(chan struct{}, 1)}
}

// begin waits until nobody else asks.
func (a *acquaintance) begin(ctx context.Context) error {
	select {
	case a.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("getMe: wait for another's: %w", context.Cause(ctx))
	}
}

func (a *acquaintance) end() { <-a.turn }

// ask is between begin and end.
func (a *acquaintance) ask(ctx context.Context) (gotgbot.User, error) {
	if time.Now().Before(a.again) {
		return gotgbot.User{}, a.failure
	}
	user, err := a.bot.GetMeWithContext(ctx, nil)
	if err == nil && user.Id != a.id {
		err = fmt.Errorf("getMe: the answer is about %d, and the token is the one of %d", user.Id, a.id)
	}
	if err != nil {
		a.failed(err)
		return gotgbot.User{}, err
	}
	a.met(user)
	return *user, nil
}

// failed notes a failure, and when to ask again. That a caller has gone away says nothing of Telegram.
func (a *acquaintance) failed(err error) {
	if !errors.Is(err, context.Canceled) {
		a.failure, a.again = err, time.Now().Add(a.rests.after(troubleOf(err), err))
	}
}

func (a *acquaintance) met(user *gotgbot.User) {
	a.failure, a.again, a.rests = nil, time.Time{}, pace{}
	a.known.Store(user)
}

// Me is the bot as Telegram knows it. It is asked for until it is known, and remembered then: see Meet.
func (c *Client) Me(ctx context.Context) (gotgbot.User, error) {
	if known := c.me.known.Load(); known != nil {
		return *known, nil
	}
	if err := c.me.begin(ctx); err != nil {
		return gotgbot.User{}, err
	}
	defer c.me.end()
	if known := c.me.known.Load(); known != nil { // another has asked meanwhile
		return *known, nil
	}
	return c.me.ask(ctx)
}

// Meet asks Telegram who the bot is, also where that is known: a bot can get another name. Where it fails, what was known
// stays. After a failure it fails likewise, without a request, for as long as Telegram has said or else longer and longer.
func (c *Client) Meet(ctx context.Context) (gotgbot.User, error) {
	if err := c.me.begin(ctx); err != nil {
		return gotgbot.User{}, err
	}
	defer c.me.end()
	return c.me.ask(ctx)
}

// Self is the bot that reads.
type Self struct {
	ID   int64
	Name func() (string, error) // its username, without @. It is asked only where that decides
}

// self is the client's bot. Its name is waited for.
func self(ctx context.Context, c *Client, h *Health) Self {
	return Self{ID: c.id, Name: func() (string, error) {
		ctx, cancel := context.WithTimeout(ctx, meTimeout)
		defer cancel()
		me, err := c.Me(ctx)
		if err != nil {
			return "", fmt.Errorf("ask who the bot is: %w", err)
		}
		h.Named(me.Username)
		return me.Username, nil
	}}
}
