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

// failureClass is a kind of failure of the way in.
type failureClass struct {
	is func(error) bool
	// Telegram can't be reached, so that an answer to another call is news
	away bool
	// what is wrong; {text} is what Telegram said of it
	text   string
	advice string // what to do, in whole sentences
	// the wait after the first failure; it doubles. 0 is a second
	first time.Duration
	most  time.Duration // and grows no longer than this. 0 is a minute
	// so many failures in a row are an alarm. 0 is 3
	alarmAfter int
	// told at the end: what became of the messages meanwhile. "": nothing is lost
	lost string
	// so long after the last failure a success proves nothing. 0: it does
	remembered time.Duration
	fix        func(context.Context, *Client) error // is done before the next attempt; nil: nothing
}

// What fails besides Telegram's answers.
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

// explain is what is wrong in plain words.
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

// retention is how long Telegram keeps what was not fetched. (Bot API, getUpdates.)
const retention = 24 * time.Hour

// recovery is told when it works again after such a failure.
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

// refusal is Telegram's own answer that says no; nil where there is none.
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

// isWebhook: the server says "can't use getUpdates method while webhook is active; ...". At the
// other conflict it says "terminated by other getUpdates request; ..." or "terminated by setWebhook
// request".
func isWebhook(err error) bool {
	r := refusal(err)
	return r != nil && r.Code == http.StatusConflict && strings.Contains(strings.ToLower(r.Description), "webhook")
}

// isLoggedOut: the server says "Logged out".
func isLoggedOut(err error) bool {
	f, ok := errors.AsType[*failure](err)
	return ok && f.responder == responderAPI && f.code == http.StatusBadRequest && f.said(loggedOut)
}

// isNotTelegram: such as the page of a network that wants a login first.
func isNotTelegram(err error) bool {
	f, ok := errors.AsType[*failure](err)
	return errors.Is(err, errAnswer) || ok && f.responder == responderGateway && f.code/100 == 2
}

// isGateway: a gateway's error page, for one.
func isGateway(err error) bool {
	f, ok := errors.AsType[*failure](err)
	return ok && f.responder == responderGateway && f.code/100 != 2
}

func isDelivery(err error) bool {
	_, ok := errors.AsType[*deliveryError](err)
	return ok
}

// deliveryError is what Telegram says of its last attempt at the webhook.
type deliveryError struct{ text string }

func (e *deliveryError) Error() string { return "deliver to the webhook: " + e.text }

// retryDelays is how long to wait between attempts that fail. The zero value is before the first
// failure.
type retryDelays struct {
	quick  bool // while Telegram can't be reached the pauses grow to maxAwayDelay alone
	class  *failureClass
	pauses retry.Pauses
}

const (
	minDelay = time.Second // the least time between two failing requests
	// maxAwayDelay is the longest pause while Telegram can't be reached, give or take a fifth: what
	// waits goes within 3 s of its return. (With pauses that grew to a minute an outage of 20 s
	// took 12 s more.)
	maxAwayDelay = 2500 * time.Millisecond
)

// next is how long to wait after a failure. Where Telegram says how long, it is exactly that.
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
