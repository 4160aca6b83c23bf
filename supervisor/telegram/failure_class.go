package telegram

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/PaulSonOfLars/gotgbot/v2"

	"mews/supervisor"
	"mews/supervisor/internal/retry"
)

// failureClass is a kind of failure of incoming updates.
type failureClass struct {
	is func(error) bool
	// whether Telegram can't be reached; an answer to another call then shows that Telegram is back
	away bool
	// text is the problem; {text} in it stands for Telegram's own text.
	text   string
	advice string // the remedy, in whole sentences
	// first is the wait after the first failure, which doubles after each further failure; 0 means
	// a second.
	first time.Duration
	most  time.Duration // the longest wait; 0 means a minute
	// alarmAfter is the number of failures in a row until an alarm; 0 means 3.
	alarmAfter int
	// lost says in the recovery message which messages were lost; "" means none.
	lost string
	// remembered is a time after the last failure. A success within it does not end the failure. 0
	// means that any success ends it.
	remembered time.Duration
	fix        func(context.Context, *Client) error // runs before the next attempt; may be nil
}

// Failures that are no answer of Telegram.
var (
	errStore           = errors.New("the store failed")
	errStale           = errors.New("only earlier ones came")
	errStall           = errors.New("it did not end by itself")
	errAnswer          = errors.New("it is not an answer of the Bot API")
	errWebhookReplaced = errors.New("it was set to another URL or deleted")
)

func classOf(err error) *failureClass {
	return failureClasses[slices.IndexFunc(failureClasses, func(c *failureClass) bool { return c.is(err) })]
}

// explain returns the problem in plain words.
func (c *failureClass) explain(err error) string {
	text := textUnexplained
	if f, ok := errors.AsType[*failure](err); ok && f.code != 0 {
		text = strings.TrimSpace(strconv.Itoa(f.code) + " " + http.StatusText(f.code))
	}
	if r := refusal(err); r != nil && r.Description != "" {
		text = r.Description
	}
	if d, ok := errors.AsType[*deliveryError](err); ok && d.text != "" {
		text = d.text
	}
	return strings.ReplaceAll(c.text, "{text}", line(text, maxName))
}

// retention is how long Telegram keeps updates that nobody fetched. (Bot API, getUpdates.)
const retention = 24 * time.Hour

// recovery returns the message after the end of a failure of the class.
func (c *failureClass) recovery(away time.Duration) string {
	text := fmt.Sprintf(textRecovered, away.Round(time.Second))
	if away < retention {
		return text + cmp.Or(c.lost, textNothingLost)
	}
	return text + textOldMessageLost
}

func is(target error) func(error) bool {
	return func(err error) bool { return errors.Is(err, target) }
}

// refusal returns Telegram's own refusal in err; nil if there is none.
func refusal(err error) *gotgbot.TelegramError {
	r, _ := errors.AsType[*gotgbot.TelegramError](err)
	return r
}

func refused(codes ...int) func(error) bool {
	return func(err error) bool {
		r := refusal(err)
		return r != nil && slices.Contains(codes, r.Code)
	}
}

func isRefusal(from, to int) func(error) bool {
	return func(err error) bool {
		r := refusal(err)
		return r != nil && r.Code >= from && r.Code <= to
	}
}

// isWebhook matches "can't use getUpdates method while webhook is active; ...". A conflict with
// another poller has another text: "terminated by other getUpdates request; ..." or "terminated by
// setWebhook request".
func isWebhook(err error) bool {
	r := refusal(err)
	return r != nil && r.Code == http.StatusConflict && strings.Contains(strings.ToLower(r.Description), "webhook")
}

// isLoggedOut matches the server's "Logged out".
func isLoggedOut(err error) bool {
	f, ok := errors.AsType[*failure](err)
	return ok && f.responder == responderAPI && f.code == http.StatusBadRequest && f.said(loggedOut)
}

// isNotTelegram matches, for example, the login page of a network.
func isNotTelegram(err error) bool {
	f, ok := errors.AsType[*failure](err)
	return errors.Is(err, errAnswer) || ok && f.responder == responderGateway && f.code/100 == 2
}

// isGateway matches, for example, a gateway's error page.
func isGateway(err error) bool {
	f, ok := errors.AsType[*failure](err)
	return ok && f.responder == responderGateway && f.code/100 != 2
}

func isDelivery(err error) bool {
	_, ok := errors.AsType[*deliveryError](err)
	return ok
}

// deliveryError is Telegram's error about its last call of the webhook.
type deliveryError struct{ text string }

func (e *deliveryError) Error() string { return "deliver to the webhook: " + e.text }

// retryDelays computes the waits between failed attempts. The zero value is the state before the
// first failure.
type retryDelays struct {
	quick  bool // whether Telegram can't be reached, so that pauses only grow to maxAwayDelay
	class  *failureClass
	pauses retry.Pauses
}

const (
	minDelay = time.Second // the least time between two failing requests
	// maxAwayDelay is the longest pause while Telegram can't be reached, plus or minus a fifth.
	// Waiting messages are then sent within 3 s of Telegram's return. (With pauses up to a minute,
	// an outage of 20 s lasted 12 s longer.)
	maxAwayDelay = 2500 * time.Millisecond
)

// next returns the wait after a failure. If Telegram says how long, next returns exactly that.
func (d *retryDelays) next(class *failureClass, err error) time.Duration {
	if e, ok := errors.AsType[*supervisor.SendError](err); ok && e.RetryAfter > 0 {
		return e.RetryAfter
	}
	if d.class != class {
		d.class = class
		longest := cmp.Or(class.most, time.Minute)
		if d.quick && class.away {
			longest = maxAwayDelay
		}
		d.pauses = retry.Pauses{First: cmp.Or(class.first, time.Second), Longest: longest, Jitter: 0.2}
	}
	return max(minDelay, d.pauses.Next())
}
