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

// getMeTimeout is the limit of getMe if a caller waits for the bot's name.
const getMeTimeout = 10 * time.Second

// identity is the known data of the bot, with the time of the next request.
type identity struct {
	id     int64 // the id in the token
	bot    *gotgbot.Bot
	known  atomic.Pointer[gotgbot.User]
	asking *slots.Slots // one slot, held by the goroutine that asks Telegram; the slot guards the fields below

	failure error     // failure of the last attempt; nil after a success
	retryAt time.Time // no request for the bot's user before this time
	delays  retryDelays
}

// get returns the bot's user. It asks Telegram if the user is unknown, or if anew is set.
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
	if now := i.known.Load(); now != nil && !anew { // another goroutine has asked meanwhile
		return *now, nil
	}
	return i.ask(ctx)
}

// ask makes the request; its caller has the slot. If the caller's context ends, this is no failure
// of Telegram.
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

// GetMe returns the bot's user. It asks Telegram until the user is known, and then remembers the
// user. RefreshMe asks again.
func (c *Client) GetMe(ctx context.Context) (gotgbot.User, error) { return c.identity.get(ctx, false) }

// RefreshMe asks Telegram for the bot's user again, because a bot can be renamed. If the request
// fails, the known user stays. For some time after a failure, RefreshMe fails without a request.
// Telegram may set that time; otherwise the time grows with each failure.
func (c *Client) RefreshMe(ctx context.Context) (gotgbot.User, error) {
	return c.identity.get(ctx, true)
}

// askName returns the bot's username, within getMeTimeout.
func (c *Client) askName(ctx context.Context, h *Health) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, getMeTimeout)
	defer cancel()
	me, err := c.GetMe(ctx)
	if err == nil {
		h.SetUsername(me.Username)
	}
	return me.Username, err
}

// BotIdentity is the bot that reads updates.
type BotIdentity struct {
	ID   int64
	Name func() (string, error) // returns the bot's username, without @; only called if the username matters
}
