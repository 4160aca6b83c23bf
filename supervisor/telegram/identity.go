package telegram

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/PaulSonOfLars/gotgbot/v2"
)

// getMeTimeout is how long Telegram may take to say who the bot is, where something hangs on it.
const getMeTimeout = 10 * time.Second

// identity is who the bot is as far as that is known, and when it may be asked for.
type identity struct {
	id     int64 // the one in the token
	bot    *gotgbot.Bot
	known  atomic.Pointer[gotgbot.User]
	asking chan struct{} // holds a token while somebody asks. What follows is the asker's alone

	failure error     // of the last attempt; nil after a success
	retryAt time.Time // nothing is asked before
	delays  retryDelays
}

func newIdentity(id int64, bot *gotgbot.Bot) *identity {
	return &identity{id: id, bot: bot, asking: make(chan struct{}, 1)}
}

// acquire waits until nobody else asks.
func (a *identity) acquire(ctx context.Context) error {
	select {
	case a.asking <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("getMe: wait for another's: %w", context.Cause(ctx))
	}
}

func (a *identity) release() { <-a.asking }

// ask is between begin and end.
func (a *identity) ask(ctx context.Context) (gotgbot.User, error) {
	if time.Now().Before(a.retryAt) {
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
	a.succeeded(user)
	return *user, nil
}

// failed notes a failure, and when to ask again. That a caller has gone away says nothing of Telegram.
func (a *identity) failed(err error) {
	if !errors.Is(err, context.Canceled) {
		a.failure, a.retryAt = err, time.Now().Add(a.delays.next(classOf(err), err))
	}
}

func (a *identity) succeeded(user *gotgbot.User) {
	a.failure, a.retryAt, a.delays = nil, time.Time{}, retryDelays{}
	a.known.Store(user)
}

// Me is the bot as Telegram knows it. It is asked for until it is known, and remembered then: see RefreshMe.
func (c *Client) Me(ctx context.Context) (gotgbot.User, error) {
	if known := c.identity.known.Load(); known != nil {
		return *known, nil
	}
	if err := c.identity.acquire(ctx); err != nil {
		return gotgbot.User{}, err
	}
	defer c.identity.release()
	if known := c.identity.known.Load(); known != nil { // another has asked meanwhile
		return *known, nil
	}
	return c.identity.ask(ctx)
}

// RefreshMe asks Telegram who the bot is, also where that is known: a bot can get another name. Where it fails, what was known
// stays. After a failure it fails likewise, without a request, for as long as Telegram has said or else longer and longer.
func (c *Client) RefreshMe(ctx context.Context) (gotgbot.User, error) {
	if err := c.identity.acquire(ctx); err != nil {
		return gotgbot.User{}, err
	}
	defer c.identity.release()
	return c.identity.ask(ctx)
}

// Self is the bot that reads.
type Self struct {
	ID   int64
	Name func() (string, error) // its username, without @. It is asked only where that decides
}

// self is the client's bot. Its name is waited for.
func self(ctx context.Context, c *Client, h *Health) Self {
	return Self{ID: c.id, Name: func() (string, error) {
		ctx, cancel := context.WithTimeout(ctx, getMeTimeout)
		defer cancel()
		me, err := c.Me(ctx)
		if err != nil {
			return "", fmt.Errorf("ask who the bot is: %w", err)
		}
		h.Named(me.Username)
		return me.Username, nil
	}}
}
