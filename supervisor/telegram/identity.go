package telegram

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/PaulSonOfLars/gotgbot/v2"

	"mews/supervisor/internal/slots"
)

// getMeTimeout is how long Telegram may take to say who the bot is, where something depends on it.
const getMeTimeout = 10 * time.Second

// identity is who the bot is as far as that is known, and when it may be asked for.
type identity struct {
	id     int64 // the one in the token
	bot    *gotgbot.Bot
	known  atomic.Pointer[gotgbot.User]
	asking *slots.Slots // one, of whoever asks. What follows is the asker's alone

	failure error     // of the last attempt; nil after a success
	retryAt time.Time // nothing is asked before
	delays  retryDelays
}

// get is who the bot is. Where that is known, it asks only for it anew.
func (i *identity) get(ctx context.Context, anew bool) (gotgbot.User, error) {
	known := i.known.Load()
	if known != nil && !anew {
		return *known, nil
	}
	slot, err := i.asking.Acquire(ctx, "")
	if err != nil {
		return gotgbot.User{}, fmt.Errorf("getMe: wait for another's: %w", err)
	}
	defer slot.Release()
	if now := i.known.Load(); now != nil && !anew { // another has asked meanwhile
		return *now, nil
	}
	return i.ask(ctx)
}

// ask is called by whoever has the slot. That a caller has gone away says nothing
// of Telegram, and counts as no failure.
func (i *identity) ask(ctx context.Context) (gotgbot.User, error) {
	if time.Now().Before(i.retryAt) {
		return gotgbot.User{}, i.failure
	}
	user, err := i.bot.GetMeWithContext(ctx, nil)
	if err == nil && user.Id != i.id {
		err = fmt.Errorf("getMe: the answer is about %d, and the token is the one of %d", user.Id, i.id)
	}
	if err != nil {
		if !errors.Is(err, context.Canceled) {
			i.failure, i.retryAt = err, time.Now().Add(i.delays.next(classOf(err), err))
		}
		return gotgbot.User{}, err
	}
	i.failure, i.retryAt, i.delays = nil, time.Time{}, retryDelays{}
	i.known.Store(user)
	return *user, nil
}

// Me is the bot as Telegram knows it. It is asked for until it is known, and remembered then: see
// RefreshMe.
func (c *Client) Me(ctx context.Context) (gotgbot.User, error) { return c.identity.get(ctx, false) }

// RefreshMe asks Telegram who the bot is, also where that is known: a bot can get another name.
// Where it fails, what was known stays. For some time after a failure it fails likewise without a
// request: as long as Telegram has said, or else longer and longer.
func (c *Client) RefreshMe(ctx context.Context) (gotgbot.User, error) {
	return c.identity.get(ctx, true)
}

// askName asks for the bot's username, within getMeTimeout.
func (c *Client) askName(ctx context.Context, h *Health) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, getMeTimeout)
	defer cancel()
	me, err := c.Me(ctx)
	if err == nil {
		h.Named(me.Username)
	}
	return me.Username, err
}

// Self is the bot that reads.
type Self struct {
	ID   int64
	Name func() (string, error) // its username, without @. It is asked only where that decides
}
