package telegram

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/PaulSonOfLars/gotgbot/v2"
	"github.com/cenkalti/backoff/v5"

	"mews/supervisor"
)

// failureClass is a class of failures of the way in.
type failureClass struct {
	is         func(error) bool
	first      time.Duration                        // the wait after the first failure; it doubles
	most       time.Duration                        // and grows no longer than this
	alarmAfter int                                  // as many failures in a row are an alarm
	text       string                               // what is wrong; {text} is what Telegram said of it
	advice     string                               // what to do, in whole sentences
	fix        func(context.Context, *Client) error // what is done before the next attempt; nil: nothing
}

// What fails besides Telegram's answers.
var (
	errStore           = errors.New("the store failed")
	errStale           = errors.New("only earlier ones came")
	errStall           = errors.New("it did not end by itself")
	errAnswer          = errors.New("it is not an answer of the Bot API")
	errWebhookReplaced = errors.New("it was set to another URL or deleted")
)

// failureClasses are tried in order; the last takes all.
var failureClasses = []*failureClass{
	{is: is(errStore), first: time.Second, most: time.Minute, alarmAfter: 3,
		text:   "what comes cannot be kept",
		advice: "See whether the disk is full, and into Mews's log. Telegram keeps the messages for 24 hours."},
	{is: is(errStale), first: time.Second, most: time.Minute, alarmAfter: 3,
		text:   "the Bot API server sends the same updates again and again",
		advice: "Check telegram.api_url in the configuration, and the server there."},
	{is: refused(http.StatusUnauthorized, http.StatusNotFound), first: 5 * time.Second, most: 5 * time.Minute, alarmAfter: 3,
		text: "Telegram does not accept the bot's token ({text})",
		advice: "Get the token, or a new one, from @BotFather, put it into the configuration and start Mews again. " +
			"With a Bot API server of your own, check telegram.api_url too."},
	{is: isWebhook, first: time.Second, most: 30 * time.Second, alarmAfter: 3, fix: dropWebhook,
		text:   "another program sets a webhook for this bot",
		advice: "Stop that program, or get the bot a new token from @BotFather."},
	{is: is(errWebhookReplaced), first: time.Second, most: time.Minute, alarmAfter: 3,
		text:   "another program takes this bot's webhook away",
		advice: "Stop that program, or get the bot a new token from @BotFather."},
	// An own poll of before lives on for some 30 s when its process was killed: seven failures take longer than that.
	{is: refused(http.StatusConflict), first: time.Second, most: 30 * time.Second, alarmAfter: 7,
		text: "another program polls with this bot's token",
		advice: "Stop that program: a bot has one reader only. If it is not yours, get the bot a new token from @BotFather " +
			"at once."},
	{is: isLoggedOut, first: 5 * time.Second, most: 5 * time.Minute, alarmAfter: 3,
		text: "the bot was logged out of this Bot API server ({text})",
		advice: "It is at another server: check telegram.api_url in the configuration. Back at the public one it can be " +
			"10 minutes later."},
	{is: refused(http.StatusTooManyRequests, floodWaitCode), first: time.Second, most: time.Minute, alarmAfter: 3,
		text:   "Telegram wants fewer requests",
		advice: "It passes by itself; see whether other programs use the same token."},
	{is: isRefusal(http.StatusBadRequest, 499), first: time.Second, most: time.Minute, alarmAfter: 3,
		text:   "Telegram refuses the request ({text})",
		advice: "Check the telegram part of the configuration."},
	{is: isRefusal(http.StatusInternalServerError, 999), first: time.Second, most: time.Minute, alarmAfter: 3,
		text:   "Telegram has trouble of its own ({text})",
		advice: "It usually passes by itself."},
	{is: isStall, first: time.Second, most: time.Minute, alarmAfter: 3,
		text:   "Telegram takes calls and does not answer them",
		advice: "Check this machine's network, and a proxy if there is one."},
	{is: isDelivery, first: time.Second, most: time.Second, alarmAfter: 3, // the keeper looks once a minute
		text: "Telegram cannot deliver to the webhook ({text})",
		advice: "Check that telegram.webhook.url can be reached from outside, and that the proxy before Mews hands on the " +
			"header X-Telegram-Bot-Api-Secret-Token."},
	{is: isGateway, first: time.Second, most: time.Minute, alarmAfter: 3,
		text:   "something before Telegram answers with an error ({text})",
		advice: "It may pass by itself. Check telegram.api_url in the configuration, and a proxy if there is one."},
	{is: isNotTelegram, first: time.Second, most: time.Minute, alarmAfter: 3,
		text:   "what answers is not Telegram's Bot API",
		advice: "Check telegram.api_url in the configuration, and a proxy if there is one."},
	{is: func(error) bool { return true }, first: time.Second, most: time.Minute, alarmAfter: 3,
		text:   "Telegram cannot be reached",
		advice: "Check this machine's network, its name service, and telegram.api_url in the configuration."},
}

func classOf(err error) *failureClass {
	return failureClasses[slices.IndexFunc(failureClasses, func(t *failureClass) bool { return t.is(err) })]
}

// explain is what is wrong in plain words.
func (t *failureClass) explain(err error) string {
	text := "no more is known"
	if f := new(failure); errors.As(err, &f) && f.code != 0 {
		text = strings.TrimSpace(strconv.Itoa(f.code) + " " + http.StatusText(f.code))
	}
	if r := refusal(err); r != nil && r.Description != "" {
		text = r.Description
	}
	if d := new(deliveryError); errors.As(err, &d) && d.text != "" {
		text = d.text
	}
	return strings.ReplaceAll(t.text, "{text}", line(text, maxQuote))
}

func is(target error) func(error) bool {
	return func(err error) bool { return errors.Is(err, target) }
}

// refusal is Telegram's own answer that says no; nil where there is none.
func refusal(err error) *gotgbot.TelegramError {
	if r := new(gotgbot.TelegramError); errors.As(err, &r) {
		return r
	}
	return nil
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

// isWebhook: the server's words are "can't use getUpdates method while webhook is active; ...", and those of the other
// conflict "terminated by other getUpdates request; ..." or "terminated by setWebhook request".
func isWebhook(err error) bool {
	r := refusal(err)
	return r != nil && r.Code == http.StatusConflict && strings.Contains(strings.ToLower(r.Description), "webhook")
}

// isLoggedOut: the server's words are "Logged out".
func isLoggedOut(err error) bool {
	f := new(failure)
	return errors.As(err, &f) && f.responder == responderAPI && f.code == http.StatusBadRequest && f.said(loggedOut)
}

// isNotTelegram: such as the page of a network that wants a login first.
func isNotTelegram(err error) bool {
	f := new(failure)
	return errors.Is(err, errAnswer) || errors.As(err, &f) && f.responder == responderGateway && f.code/100 == 2
}

// isGateway: a gateway's error page, for one.
func isGateway(err error) bool {
	f := new(failure)
	return errors.As(err, &f) && f.responder == responderGateway && f.code/100 != 2
}

func isDelivery(err error) bool {
	d := new(deliveryError)
	return errors.As(err, &d)
}

// deliveryError is what Telegram says of its last attempt at the webhook.
type deliveryError struct{ text string }

func (e *deliveryError) Error() string { return "deliver to the webhook: " + e.text }

// retryDelays is how long to wait between attempts that fail. The zero value is before the first failure.
type retryDelays struct {
	class  *failureClass
	series backoff.ExponentialBackOff
}

// minDelay is the least time between two failing requests.
const minDelay = time.Second

// next is how long to wait after a failure: exactly as long as Telegram says where it says so.
func (p *retryDelays) next(t *failureClass, err error) time.Duration {
	if e := new(supervisor.SendError); errors.As(err, &e) && e.RetryAfter > 0 {
		return e.RetryAfter
	}
	if p.class != t {
		p.class = t
		p.series = backoff.ExponentialBackOff{InitialInterval: t.first, RandomizationFactor: 0.25, Multiplier: 2, MaxInterval: t.most}
	}
	return max(minDelay, p.series.NextBackOff())
}
