package telegram

import (
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/PaulSonOfLars/gotgbot/v2"

	"mews/supervisor"
)

const (
	// floodWait is the pause after a flood error without a time. The API itself always gives a
	// time; a proxy before the API may not.
	floodWait = 5 * time.Second
	// maxFloodWait is the longest pause that is believed. Telegram's own pauses were minutes long.
	// A delivery that waits for more than a day is given up.
	maxFloodWait   = 24 * time.Hour
	floodWaitCode  = 420 // MTProto's flood error, which Bot API servers mostly translate to 429
	maxDescription = 300 // bytes of a server's text that an error contains
)

// responder is the party that answered a call.
type responder string

const (
	responderNone responder = "" // no byte of an answer came
	// responderSelf means that the request was not sent completely: it could not be built, or its
	// file could not be read.
	responderSelf responder = "here"
	// responderGateway is a gateway, a proxy or another web server; it also stands for a truncated
	// answer of the API.
	responderGateway responder = "stranger"
	responderAPI     responder = "api" // the API itself, with {"ok":false}
)

// failure is a failed call.
type failure struct {
	method     string
	chat       string
	responder  responder
	code       int   // the API's error code, or the HTTP status if there is none; 0 with responderNone
	retryAfter int64 // seconds in the header Retry-After; 0 if the answer has no such header
	sentWhole  bool  // whether the whole request may have reached the server
	api        *gotgbot.TelegramError
	err        error // the error of the connection; nil if a complete answer came
}

// failureRule is the meaning of one kind of failure.
type failureRule struct {
	responder responder
	low       int // lowest error code for which the rule holds
	high      int // highest error code for which the rule holds
	when      func(f *failure) bool
	result    supervisor.SendResult
	reason    supervisor.SendErrorReason
}

// failureRules are tried in order; the first match decides.
var failureRules = []failureRule{
	// no answer, because the name lookup, connection, TLS or proxy failed; or because this client
	// ended the call
	{responderNone, 0, 0, notSentWhole, supervisor.SendResultUnsent, supervisor.SendReasonNone},
	// no answer after the request was written: the connection was reset, had ended or timed out
	{responderNone, 0, 0, nil, supervisor.SendResultUnknown, supervisor.SendReasonNone},

	{responderSelf, 0, 0, nil, supervisor.SendResultRefused, supervisor.SendReasonNone},

	{responderAPI, 400, 499, moved, supervisor.SendResultUnsent, supervisor.SendReasonChatMoved},
	{responderAPI, 429, 429, nil, supervisor.SendResultUnsent, supervisor.SendReasonFlood},
	{responderAPI, floodWaitCode, floodWaitCode, nil, supervisor.SendResultUnsent, supervisor.SendReasonFlood},
	// the bot is logged in at another server
	{responderAPI, 400, 400, says(loggedOut), supervisor.SendResultUnsent, supervisor.SendReasonNone},
	// a damaged token, or a wrong URL of the API's root
	{responderAPI, 404, 404, noBot, supervisor.SendResultUnsent, supervisor.SendReasonNone},
	{responderAPI, 408, 408, nil, supervisor.SendResultUnsent, supervisor.SendReasonNone},
	// a refused token: the message can be sent once the token is repaired
	{responderAPI, 401, 401, nil, supervisor.SendResultUnsent, supervisor.SendReasonNone},
	// another program uses this token
	{responderAPI, 409, 409, nil, supervisor.SendResultUnsent, supervisor.SendReasonNone},
	{responderAPI, 400, 400, says(tooLong), supervisor.SendResultRefused, supervisor.SendReasonTooLong},
	{responderAPI, 400, 400, says(badMarks), supervisor.SendResultRefused, supervisor.SendReasonInvalidFormatting},
	{responderAPI, 400, 400, says(gone), supervisor.SendResultRefused, supervisor.SendReasonMessageGone},
	{responderAPI, 400, 400, says(noVoice), supervisor.SendResultRefused, supervisor.SendReasonNoVoice},
	{responderAPI, 400, 400, says(noThread), supervisor.SendResultRefused, supervisor.SendReasonThreadGone},
	{responderAPI, 400, 400, says(noChat), supervisor.SendResultRefused, supervisor.SendReasonChatGone},
	{responderAPI, 403, 403, nil, supervisor.SendResultRefused, supervisor.SendReasonChatGone},
	{responderAPI, 400, 499, nil, supervisor.SendResultRefused, supervisor.SendReasonNone},
	// the API itself says that it did nothing
	{responderAPI, 500, 599, nil, supervisor.SendResultUnsent, supervisor.SendReasonNone},

	{responderGateway, 429, 429, nil, supervisor.SendResultUnsent, supervisor.SendReasonFlood},
	// the file is too large for a gateway, so every try would get the same answer
	{responderGateway, 413, 413, nil, supervisor.SendResultRefused, supervisor.SendReasonNone},
	// the request did not reach the API
	{responderGateway, 300, 499, nil, supervisor.SendResultUnsent, supervisor.SendReasonNone},
}

// defaultRule is for all other failures: an unreadable 2xx, a gateway's 502 and 504, unknown codes.
var defaultRule = failureRule{result: supervisor.SendResultUnknown}

// Words of the API in lower case. Half of them are the server's own words, and half are codes that
// the server passes on.
var (
	tooLong  = []string{"message is too long", "message_too_long", "text is too long"}
	badMarks = []string{"can't parse entities", "can't parse messageentity", "entity", "entities"}
	notThere = []string{"message to edit not found", "message to delete not found", "message to react not found", "message_id_invalid"}
	gone     = append([]string{"message can't be edited", "message can't be deleted", "message_edit_time_expired",
		"message_delete_forbidden", "message_author_required"}, notThere...)
	loggedOut  = []string{"logged out"}
	unchanged  = []string{"message is not modified", "message_not_modified"}
	unbuttoned = slices.Concat(unchanged, notThere, []string{"message can't be edited"})
	tooOld     = []string{"query is too old", "query_id_invalid"}
	wrongKind  = []string{"photo", "image_process_failed", "video", "audio", "voice", "animation", "gif", "media", "file"}
	noVoice    = []string{"voice_messages_forbidden"}
	noThread   = []string{"message thread not found", "topic_deleted"}
	noChat     = []string{"chat not found"}
	tooBig     = []string{"file is too big"}
	// the API also returns this text for a wrong id of a file
	unavailable = []string{"temporarily unavailable"}
)

func notSentWhole(f *failure) bool { return !f.sentWhole }

func moved(f *failure) bool {
	return f.api.ResponseParams != nil && f.api.ResponseParams.MigrateToChatId != 0
}

// noBot matches "Not Found" for an unknown path. The API's text for an unknown chat or method is
// longer.
func noBot(f *failure) bool {
	return strings.EqualFold(strings.TrimRight(strings.TrimSpace(f.api.Description), "."), "not found")
}

func says(words []string) func(*failure) bool {
	return func(f *failure) bool { return f.said(words) }
}

// said reports whether the API's description contains one of the words.
func (f *failure) said(words []string) bool {
	return f.api != nil && slices.ContainsFunc(words, func(word string) bool {
		return strings.Contains(strings.ToLower(f.api.Description), word)
	})
}

// read reads a whole answer. It returns the result, or nil after completing the failure.
func (f *failure) read(body []byte) json.RawMessage {
	var answer struct {
		OK *bool `json:"ok"` // every answer of the API has this field; a gateway's JSON lacks it
		gotgbot.Response
	}
	err := json.Unmarshal(body, &answer)
	switch {
	case err != nil || answer.OK == nil || *answer.OK && f.code/100 != 2:
		f.err = f.notTelegram()
	case *answer.OK && len(answer.Result) > 0:
		return answer.Result
	case *answer.OK:
		f.err = errors.New("read the answer: it has no result")
	default:
		f.refused(answer.Response)
	}
	return nil
}

// notTelegram returns the error for an answer that does not come from the API. The answer is a web
// page, whose text does not help the user.
func (f *failure) notTelegram() error {
	if f.code/100 == 2 {
		return errors.New("what was answered is not Telegram's, or cut off")
	}
	return errors.New("something before Telegram answered, not Telegram")
}

func (f *failure) refused(answer gotgbot.Response) {
	f.responder = responderAPI
	if answer.ErrorCode >= 400 && answer.ErrorCode <= 599 {
		f.code = answer.ErrorCode
	}
	f.api = &gotgbot.TelegramError{Code: f.code, Description: answer.Description, ResponseParams: answer.Parameters}
}

// sendError returns the meaning of the failure for the sender. It depends only on the failure.
func (f *failure) sendError() *supervisor.SendError {
	r := f.rule()
	e := &supervisor.SendError{Result: r.result, Reason: r.reason, Err: f}
	switch r.reason {
	case supervisor.SendReasonFlood:
		e.RetryAfter = f.flood()
	case supervisor.SendReasonChatMoved:
		e.MovedTo = strconv.FormatInt(f.api.ResponseParams.MigrateToChatId, 10)
	}
	return e
}

func (f *failure) rule() failureRule {
	if i := slices.IndexFunc(failureRules, func(r failureRule) bool { return r.fits(f) }); i >= 0 {
		return failureRules[i]
	}
	return defaultRule
}

func (r failureRule) fits(f *failure) bool {
	return r.responder == f.responder && r.low <= f.code && f.code <= r.high && (r.when == nil || r.when(f))
}

// floodSaid matches MTProto's flood error, which is only text.
var floodSaid = regexp.MustCompile(`FLOOD_WAIT_([0-9]{1,9})`)

// flood returns how long sending must pause: exactly as long as the API says.
func (f *failure) flood() time.Duration {
	seconds := f.retryAfter
	if f.api != nil && f.api.ResponseParams != nil && f.api.ResponseParams.RetryAfter != 0 {
		seconds = f.api.ResponseParams.RetryAfter
	} else if f.api != nil {
		if said := floodSaid.FindStringSubmatch(f.api.Description); said != nil {
			seconds, _ = strconv.ParseInt(said[1], 10, 64) // the match is a number
		}
	}
	if seconds <= 0 {
		return floodWait
	}
	return time.Duration(min(seconds, int64(maxFloodWait/time.Second))) * time.Second
}

// Error names the method, the chat and the failure.
func (f *failure) Error() string {
	text := f.method
	if f.chat != "" {
		text += " to " + f.chat
	}
	if f.code != 0 {
		text += ": " + strconv.Itoa(f.code)
	}
	if f.api != nil {
		text += ": " + f.api.Description
	}
	if f.err != nil {
		text += ": " + f.err.Error()
	}
	if f.responder == responderNone && f.sentWhole {
		text += " (it may have been taken)"
	}
	return text
}

// Unwrap returns the API's own error, or the end of the context.
func (f *failure) Unwrap() error {
	if f.api != nil {
		return f.api
	}
	return f.err
}

// clip shortens text to fit a line of a log.
func clip(text string) string {
	if len(text) > maxDescription {
		text = text[:maxDescription] + "..."
	}
	return strings.ToValidUTF8(strings.Map(printable, text), "\uFFFD")
}

func printable(r rune) rune {
	if r < ' ' || r == 0x7f {
		return ' '
	}
	return r
}
