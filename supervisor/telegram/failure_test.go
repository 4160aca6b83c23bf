package telegram

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/PaulSonOfLars/gotgbot/v2"

	"mews/supervisor"
)

// no returns the body of an API refusal.
func no(code int, description string) string {
	return `{"ok":false,"error_code":` + strconv.Itoa(code) + `,"description":` + strconv.Quote(description) + `}`
}

const badGateway = "<html><head><title>502 Bad Gateway</title></head></html>"

// outcome has all fields of an error on which callers base decisions.
type outcome struct {
	fate   supervisor.SendResult
	reason supervisor.SendErrorReason
	after  time.Duration
	moved  string
}

var (
	unsent      = outcome{fate: supervisor.SendResultUnsent}
	unknown     = outcome{fate: supervisor.SendResultUnknown}
	rejected    = outcome{fate: supervisor.SendResultRefused}
	long        = outcome{fate: supervisor.SendResultRefused, reason: supervisor.SendReasonTooLong}
	marks       = outcome{fate: supervisor.SendResultRefused, reason: supervisor.SendReasonInvalidFormatting}
	refusedChat = outcome{fate: supervisor.SendResultRefused, reason: supervisor.SendReasonChatGone}
	lost        = outcome{fate: supervisor.SendResultRefused, reason: supervisor.SendReasonMessageGone}
)

func flood(d time.Duration) outcome {
	return outcome{fate: supervisor.SendResultUnsent, reason: supervisor.SendReasonFlood, after: d}
}

func outcomeOf(e *supervisor.SendError) outcome {
	return outcome{e.Result, e.Reason, e.RetryAfter, e.MovedTo}
}

// wholeAnswers are complete answers and their meaning.
var wholeAnswers = []struct {
	name   string
	status int
	body   string
	want   outcome
}{
	{"flood", 429, `{"ok":false,"error_code":429,"description":"Too Many Requests: retry after 237","parameters":{"retry_after":237}}`,
		flood(237 * time.Second)},
	{"flood that does not say how long", 429, no(429, "Too Many Requests"), flood(floodWait)},
	{"flood of no time", 429, `{"ok":false,"error_code":429,"parameters":{"retry_after":-3}}`, flood(floodWait)},
	{"flood without end", 429, `{"ok":false,"error_code":429,"parameters":{"retry_after":9223372036854775807}}`, flood(maxFloodWait)},
	{"flood of a gateway's", 429, "slow down", flood(floodWait)},
	{"flood of no number", 429, `{"ok":false,"error_code":429,"parameters":{"retry_after":"soon"}}`, flood(floodWait)},

	{"group that became a supergroup", 400,
		`{"ok":false,"error_code":400,"description":"Bad Request: group chat was upgraded to a supergroup chat",` +
			`"parameters":{"migrate_to_chat_id":-1001234567890}}`,
		outcome{fate: supervisor.SendResultUnsent, reason: supervisor.SendReasonChatMoved, moved: "-1001234567890"}},

	{"too long", 400, no(400, "Bad Request: message is too long"), long},
	{"too long, by its code", 400, no(400, "Bad Request: MESSAGE_TOO_LONG"), long},
	{"marks", 400, no(400, "Bad Request: can't parse entities: unexpected end"), marks},
	{"marks that are no objects", 400, no(400, "Bad Request: can't parse MessageEntity: Field \"offset\" must be of type Number"), marks},
	{"marks within a character", 400, no(400, "Bad Request: entity begins in a middle of a UTF-16 symbol at byte offset 3"), marks},
	{"marks, by their code", 400, no(400, "Bad Request: ENTITY_BOUNDS_INVALID"), marks},
	{"too many marks, by their code", 400, no(400, "Bad Request: ENTITIES_TOO_LONG"), marks},
	{"nothing to edit", 400, no(400, "Bad Request: message to edit not found"), lost},
	{"nobody's to edit", 400, no(400, "Bad Request: message can't be edited"), lost},
	{"nothing to delete", 400, no(400, "Bad Request: message to delete not found"), lost},
	{"no message by that id", 400, no(400, "Bad Request: MESSAGE_ID_INVALID"), lost},

	{"no such chat", 400, no(400, "Bad Request: chat not found"), refusedChat},
	{"nothing to say", 400, no(400, "Bad Request: message text is empty"), rejected},
	{"blocked", 403, no(403, "Forbidden: bot was blocked by the user"), refusedChat},
	{"no such topic", 400, no(400, "Bad Request: message thread not found"), outcome{fate: supervisor.SendResultRefused,
		reason: supervisor.SendReasonThreadGone}},
	{"no such method", 404, no(404, "Not Found: method not found"), rejected},
	{"request that is too large", 413, no(413, "Request Entity Too Large"), rejected},
	{"too long, but blocked", 403, no(403, "Forbidden: message is too long"), refusedChat},

	{"token that is not known", 401, no(401, "Unauthorized"), unsent},
	{"token that is none", 404, no(404, "Not Found"), unsent},
	{"bot that is at another server", 400, no(400, "Logged out"), unsent},
	{"request that came too slowly", 408, no(408, "Request Timeout"), unsent},
	{"flood by another number", 420, no(420, "FLOOD"), flood(floodWait)},
	{"flood in words", 420, no(420, "FLOOD_WAIT_33"), flood(33 * time.Second)},
	{"another program with the token", 409, no(409, "Conflict: terminated by other getUpdates request"), unsent},
	{"server's own fault", 500, no(500, "Internal Server Error: restart"), unsent},
	{"server's own fault that says little", 502, `{"ok":false}`, unsent},
	{"no, with a status of yes", 200, no(403, "Forbidden: bot was kicked"), refusedChat},

	{"gateway whose server is gone", 502, badGateway, unknown},
	{"gateway whose server is slow", 504, "", unknown},
	{"gateway that speaks JSON", 503, `{"message":"Service Unavailable"}`, unknown},
	{"gateway that forbids", 403, "<html>Forbidden</html>", unsent},
	{"gateway that takes no more", 413, "<html>413 Request Entity Too Large</html>", rejected},
	{"other web server", 404, "404 page not found", unsent},
	{"login page", 200, "<html>Welcome to the hotel</html>", unknown},
	{"redirect", 302, "", unsent},
	{"nothing", 200, "", unknown},
	{"no content", 204, "", unknown},
	{"half an answer", 200, `{"ok":true,"result":{"mess`, unknown},
	{"two answers", 200, `{"ok":true,"result":{"message_id":7}}{"ok":true}`, unknown},
	{"no result", 200, `{"ok":true}`, unknown},
	{"no message", 200, `{"ok":true,"result":{}}`, unknown},
	{"result of another kind", 200, `{"ok":true,"result":true}`, unknown},
	{"message without a number", 200, `{"ok":true,"result":{"message_id":"7"}}`, unknown},
	{"list", 200, `[]`, unknown},
	{"no voice", 400, no(400, "Bad Request: VOICE_MESSAGES_FORBIDDEN"), outcome{fate: supervisor.SendResultRefused,
		reason: supervisor.SendReasonNoVoice}},
	{"null", 200, `null`, unknown},
	{"neither yes nor no", 200, `{"ok":null,"result":{"message_id":7}}`, unknown},
	{"yes with a status of no", 500, `{"ok":true,"result":{"message_id":7}}`, unknown},
	{"code that nobody has heard of", 200, `{"ok":false,"error_code":7}`, unknown},
	{"answer without end", 200, `{"ok":true,"result":"` + strings.Repeat("a", maxAnswer) + `"}`, unknown},
}

func TestSend_AnswerDecidesOutcome(t *testing.T) {
	for _, row := range wholeAnswers {
		t.Run(row.name, func(t *testing.T) {
			e := sendTo(t, open(t, answers(t, row.status, row.body)))
			if got := outcomeOf(e); got != row.want {
				t.Errorf("got %+v, want %+v: %v", got, row.want, e)
			}
			if !strings.HasPrefix(e.Error(), "sendMessage to -100123: ") {
				t.Errorf("the error does not say what was tried: %v", e)
			}
		})
	}
}

// TestGatewayError_OmitsTextOfItsPage checks that an error does not contain the text of a gateway's
// page.
func TestGatewayError_OmitsTextOfItsPage(t *testing.T) {
	const gateway, other = "something before Telegram answered, not Telegram", "what was answered is not Telegram's, or cut off"
	for _, row := range []struct {
		status int
		body   string
		want   string
	}{
		{502, badGateway, "502: " + gateway},
		{504, "", "504: " + gateway},
		{503, `{"message":"Service Unavailable"}`, "503: " + gateway},
		{200, "<html>Welcome to the hotel</html>", "200: " + other},
		{200, `{"ok":true,"result":{"mess`, "200: " + other},
	} {
		e := sendTo(t, open(t, answers(t, row.status, row.body)))
		if want := "sendMessage to -100123: " + row.want; e.Error() != want {
			t.Errorf("the error reads %q, want %q", e, want)
		}
	}
}

// TestFailureRules_AreAllTested checks that each rule decides at least one tested failure.
func TestFailureRules_AreAllTested(t *testing.T) {
	used := make([]bool, len(failureRules))
	use := func(f *failure) {
		if i := slices.IndexFunc(failureRules, func(r failureRule) bool { return r.fits(f) }); i >= 0 {
			used[i] = true
		}
	}
	use(&failure{})
	use(&failure{sentWhole: true})
	use(&failure{responder: responderSelf})
	for _, row := range wholeAnswers {
		f := &failure{responder: responderGateway, code: row.status}
		f.read([]byte(row.body))
		use(f)
	}
	if i := slices.Index(used, false); i >= 0 {
		t.Errorf("no row is for %+v", failureRules[i])
	}
}

func TestSendError_WrapsAPIError(t *testing.T) {
	c := open(t, answers(t, 409, no(409, "Conflict: terminated by other getUpdates request\r\nof "+canaryToken+strings.Repeat("é", 400))))
	_, err := c.do(t.Context(), apiCall{method: pollMethod, params: map[string]any{"offset": 7}})
	var e *gotgbot.TelegramError
	if !errors.As(failureOf(t, err), &e) || e.Code != 409 || e.Method != pollMethod || e.Params != nil {
		t.Fatalf("found %+v in %v", e, err)
	}
	if !strings.HasPrefix(err.Error(), "getUpdates: 409: Conflict: terminated by other getUpdates request  of 42:***é") || len(err.Error()) > 400 {
		t.Errorf("the error reads %q", err)
	}
}

func TestFlood_RetryAfterHeader_SetsWait(t *testing.T) {
	for header, want := range map[string]time.Duration{
		"12": 12 * time.Second, "0": floodWait, "Fri, 21 Nov 2026 10:00:00 GMT": floodWait, "99999999999": maxFloodWait,
		strconv.FormatUint(math.MaxUint64, 10): maxFloodWait,
	} {
		c := open(t, serve(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Retry-After", header)
			w.WriteHeader(http.StatusTooManyRequests)
		}))
		if got := outcomeOf(sendTo(t, c)); got != flood(want) {
			t.Errorf("%q: got %+v, want %v", header, got, want)
		}
	}
}

// fixedAnswer is a server that reads a whole request and answers with fixed bytes.
type fixedAnswer []byte

func (p fixedAnswer) RoundTrip(r *http.Request) (*http.Response, error) {
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		return nil, err
	}
	return http.ReadResponse(bufio.NewReader(bytes.NewReader(p)), r)
}

// FuzzAPIResponse checks that any answer gives a message's name or an outcome, and that no text has
// the token.
func FuzzAPIResponse(f *testing.F) {
	head := "HTTP/1.1 200 OK\r\nContent-Length: "
	for _, row := range wholeAnswers {
		if len(row.body) < 1000 {
			f.Add([]byte("HTTP/1.1 " + strconv.Itoa(row.status) + " X\r\n\r\n" + row.body))
		}
	}
	f.Add([]byte(head + "9999\r\n\r\n{}"))
	f.Add([]byte(head + canaryToken + "\r\n\r\n"))
	f.Add([]byte(canaryToken + " " + canaryToken + "\r\n" + canaryToken))
	f.Add([]byte("HTTP/1.1 400 " + canaryToken + "\r\nRetry-After: " + canaryToken + "\r\n\r\n" + no(400, canaryToken)))
	f.Add([]byte("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + canaryToken + "\r\n"))
	f.Add([]byte("HTTP/1.1 200 OK\r\n\r\n" + `{"ok":true,"result":{"message_id":7}}`))
	fates := []supervisor.SendResult{supervisor.SendResultUnsent, supervisor.SendResultUnknown,
		supervisor.SendResultRefused}
	f.Fuzz(func(t *testing.T, raw []byte) {
		c, err := New(Options{Token: canaryToken, Transport: fixedAnswer(raw)})
		if err != nil {
			t.Fatal(err)
		}
		name, err := c.Send(t.Context(), supervisor.PostAddress{Chat: "5"}, supervisor.RichText{Text: canaryWords})
		if err == nil {
			if id, err := strconv.ParseInt(name, 10, 64); err != nil || id <= 0 {
				t.Fatalf("it sent a message named %q", name)
			}
			return
		}
		if strings.Contains(string(raw), canaryWords) {
			return // a server that repeats a message is allowed
		}
		e := failureOf(t, err)
		if !slices.Contains(fates, e.Result) || (e.Reason == supervisor.SendReasonFlood) != (e.RetryAfter > 0) ||
			(e.Reason == supervisor.SendReasonChatMoved) != (e.MovedTo != "") {
			t.Errorf("%q: %+v", raw, *e)
		}
	})
}
