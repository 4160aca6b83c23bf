package anthropic

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/supervisor/model/modeltest"
	"mews/supervisor/modelcall"
	"mews/supervisor/problem"
)

// page returns a handler that responds with a status, a content type and a body.
func page(status int, kind, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// refuses returns a handler that refuses requests as Anthropic does.
func refuses(status int, kind, message string) http.HandlerFunc {
	return page(status, "application/json", fmt.Sprintf(
		`{"type":"error","error":{"type":%q,"message":%q},"request_id":"req_body"}`, kind, message))
}

func with(h http.HandlerFunc, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		for i := 0; i < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		h(w, r)
	}
}

// breaksOff returns a handler that begins an answer and then sends an error in the stream.
func breaksOff(kind, message string) http.HandlerFunc {
	return sendStream(streamUntilText() + fmt.Sprintf("event: error\ndata: "+
		`{"type":"error","error":{"details":null,"type":%q,"message":%q},"request_id":"req_body"}`+"\n\n", kind,
		message))
}

const (
	tooBig = `This conversation is longer than the model "m" of "test" can take, even after Mews shortened it. ` +
		`Use a model with a larger context, or ask for less at once.`
	broke = `The account at "test" has no credit left, or has reached its spending limit. ` +
		`Check its billing, or use another provider's model.`
	noKey             = `"test" did not accept the API key, or got none. Check its api_key in the configuration and start Mews again.`
	noAPI             = `The server at HOST is not Anthropic's API (HTTP %d). Check the base_url of "test".`
	busy              = `"test" is overloaded. Try again in a minute.`
	textServerFailure = `"test" has an internal error. Try again in a minute.`
	cut               = `The answer of the model "m" of "test" was cut off before its end. Send the message again.`
	odd               = `"test" at HOST sent something that is not an answer of Anthropic's API. Check the base_url ` +
		`of "test" and its version.`
)

// userTexts has the text that a user reads for each behaviour of an endpoint. HOST is replaced by
// the endpoint's address.
var userTexts = []struct {
	name  string
	h     http.HandlerFunc
	class modelcall.ErrorClass
	want  string
}{
	{"too many tokens", refuses(400, "invalid_request_error", "prompt is too long: 214001 tokens > 200000 maximum"),
		modelcall.RequestTooLong, tooBig},
	{"too many with the answer", refuses(400, "invalid_request_error",
		"input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000"), modelcall.RequestTooLong,
		tooBig},
	{"too many bytes", page(413, "text/html", "<html>"), modelcall.RequestTooLong, tooBig},
	{"a wrong key", refuses(401, "authentication_error", "invalid x-api-key"), modelcall.AuthFailed, noKey},
	{"a key without the right", refuses(403, "permission_error", "no"), modelcall.AuthFailed,
		`"test" does not let this API key use the model "m". Use another model, or a key that may.`},
	{"billing", refuses(402, "billing_error", "see to your payment"), modelcall.NoCredit, broke},
	{"no credit", refuses(400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API."),
		modelcall.NoCredit, broke},
	{"the owner's own limit", refuses(400, "invalid_request_error",
		"You have reached your specified API usage limits. You will regain access on 2026-12-01 at 00:00 UTC."),
		modelcall.NoCredit, broke},
	{"no such model", refuses(404, "not_found_error", "model: m"), modelcall.ModelMissing,
		`"test" at HOST does not have the model "m". Check its name; mews models lists all models.`},
	{"no such API", page(404, "text/plain", "404 page not found"), modelcall.ModelMissing, fmt.Sprintf(noAPI, 404)},
	{"a web page", page(200, "text/html; charset=utf-8", "<html>hi</html>"), modelcall.ModelMissing,
		fmt.Sprintf(noAPI, 200)},
	{"a redirect", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://elsewhere.invalid/", http.StatusTemporaryRedirect)
	}, modelcall.ModelMissing, fmt.Sprintf(noAPI, 307)},
	{"too many requests", refuses(429, "rate_limit_error", "slow down"), modelcall.RateLimited,
		`"test" has had too many requests and lets no more through for now. Try again in a minute.`},
	{"too many requests, with a time", with(refuses(429, "rate_limit_error", "x"), "Retry-After", "80"),
		modelcall.RateLimited,
		`"test" has had too many requests and lets no more through for now. Try again in 1m20s.`},
	{"too many requests, found out late", breaksOff("rate_limit_error", "x"), modelcall.RateLimited,
		`"test" has had too many requests and lets no more through for now. Try again in a minute.`},
	{"overloaded", refuses(529, "overloaded_error", "Overloaded"), modelcall.Overloaded, busy},
	{"a proxy that is not ready", page(503, "text/html", "<html>"), modelcall.Overloaded, busy},
	{"overloaded within the answer", breaksOff("overloaded_error", "Overloaded"), modelcall.Overloaded, busy},
	{"an error event that has no name",
		sendStream(`data: {"type":"error","error":{"type":"overloaded_error"}}` + "\n\n"),
		modelcall.Overloaded, busy},
	{"a server's trouble", refuses(500, "api_error", "Internal server error"), modelcall.ServerError,
		textServerFailure},
	{"a gateway's trouble", page(502, "text/html", "<html>"), modelcall.ServerError, textServerFailure},
	{"a server's trouble within the answer", breaksOff("api_error", "oops"), modelcall.ServerError, textServerFailure},
	{"took too long", refuses(504, "timeout_error", "x"), modelcall.ServerError, textServerFailure},
	{"filtered by words", refuses(400, "invalid_request_error", "Output blocked by content filtering policy"),
		modelcall.ContentFiltered, `The content filter of "test" stopped the answer. Say it differently, or use another model.`},
	{"declined", sendStream(streamOf(text("I"), "refusal")), modelcall.ContentFiltered,
		`The model "m" of "test" declined to answer this. Say it differently, or use another model.`},
	{"a model without tools", refuses(400, "invalid_request_error", "m does not support tools"),
		modelcall.ToolsUnsupported,
		`The model "m" of "test" cannot use tools, and Mews needs them. Use a model that can.`},
	{"a model without thinking",
		refuses(400, "invalid_request_error", "adaptive thinking is not supported on this model."),
		modelcall.RequestRefused, `The model "m" of "test" cannot think in the way that Mews asked for. ` +
			`Use another model. An admin can also set models.thinking to off.`},
	{"a request that it does not like", refuses(400, "invalid_request_error", "tools.0:\n wrong"),
		modelcall.RequestRefused,
		`"test" refused the request for the model "m" as wrong (HTTP 400). Use another model. An admin finds what it said in the log at level debug.`},
	{"another shape of refusal", page(422, "application/json", `{"detail":"wrong"}`), modelcall.RequestRefused,
		`"test" refused the request for the model "m" as wrong (HTTP 422). Use another model. An admin finds what it said in the log at level debug.`},
	{"and another", page(409, "application/json", `{"error":"wrong"}`), modelcall.RequestRefused,
		`"test" refused the request for the model "m" as wrong (HTTP 409). Use another model. An admin finds what it said in the log at level debug.`},
	{"no reason given", page(400, "text/plain", "no"), modelcall.RequestRefused,
		`"test" refused the request for the model "m" as wrong (HTTP 400). Use another model. An admin finds what it said in the log at level debug.`},
	{"an error in the stream", breaksOff("invalid_request_error", "the tape tore"), modelcall.RequestRefused,
		`"test" broke off the answer of the model "m". Send the message again. An admin finds what it said in the log at level debug.`},
	{"no stream at all", sendStream(""), modelcall.StreamCut, cut},
	{"an end without a reason to stop", sendStream(streamUntilText() + `data: {"type":"message_stop"}` + "\n\n"),
		modelcall.StreamCut, cut},
	{"events of something else", sendStream("data: <xml/>\n\n"), modelcall.MalformedAnswer, odd},
	{"events of another API", sendStream(`data: {"choices":[{"delta":{"content":"hi"}}]}` + "\n\n"),
		modelcall.MalformedAnswer, odd},
	{"a piece of no block", sendStream(`data: {"type":"content_block_delta","index":4,"delta":{"type":"text_delta"}}` + "\n\n"),
		modelcall.MalformedAnswer, odd},
	{"a block twice", sendStream(strings.ReplaceAll(streamOf(text("a")+text("b"), "end_turn"), `"index":1`, `"index":0`)),
		modelcall.MalformedAnswer, odd},
	{"no room to answer", sendStream(streamOf(start(`{"type":"thinking","thinking":"hm"}`), "max_tokens")),
		modelcall.LengthLimitBeforeText,
		`The model "m" of "test" reached its output limit before it said anything. ` +
			`Ask for less at once, or use another model. An admin can lower its thinking, or raise its limit of output tokens.`},
	{"no room in the context", sendStream(streamOf(text(""), "model_context_window_exceeded")),
		modelcall.RequestTooLong,
		`This conversation fills all that the model "m" of "test" can take, and leaves no room for an answer. ` +
			`Use a model with a larger context, or ask for less at once.`},
	{"nothing", sendStream(streamOf(text(" \n"), "end_turn")), modelcall.EmptyAnswer,
		`The model "m" of "test" answered with nothing. Send the message again, or say it differently.`},
	{"a call without a name", sendStream(streamOf(call("", "{}"), "tool_use")), modelcall.MalformedAnswer,
		`The model "m" of "test" called a tool without naming it. Send the message again, or use another model.`},
}

func TestEndpointFailure_HasTextForUser(t *testing.T) {
	for _, s := range userTexts {
		t.Run(s.name, func(t *testing.T) {
			p := open(t, Options{BaseURL: serve(t, s.h), APIKey: "sk-wrong"})
			answer, _, err := ask(p, hi())
			checkSentence(t, err, s.class, strings.ReplaceAll(s.want, "HOST", p.Host))
			if answer.Message.Parts != nil {
				t.Errorf("an answer beside the error: %v", answer)
			}
		})
	}
}

func checkSentence(t *testing.T, err error, class modelcall.ErrorClass, want string) {
	t.Helper()
	if got := problem.UserText(err); got != want {
		t.Errorf("got  %s\nwant %s\n%v", got, want, err)
	}
	if got := modeltest.ErrorClassOf(err); got != class {
		t.Errorf("class %s, want %s", got, class)
	}
}

func TestProvider_Failure_IsNotRetried(t *testing.T) {
	for _, status := range []int{401, 408, 409, 429, 500, 503, 529} {
		count := 0
		base := serve(t, func(w http.ResponseWriter, r *http.Request) {
			count++
			with(refuses(status, "x", "y"), "X-Should-Retry", "true")(w, r)
		})
		if _, _, err := ask(open(t, Options{BaseURL: base}), hi()); err == nil || count != 1 {
			t.Errorf("HTTP %d: %d requests, %v", status, count, err)
		}
	}
}

func TestError_HasRequestIDAndUsage(t *testing.T) {
	cases := map[string]struct {
		h       http.HandlerFunc
		request string
		input   int64
	}{
		"the header's":              {with(refuses(500, "api_error", "x"), "Request-Id", "req_head"), "req_head", 0},
		"the body's":                {refuses(500, "api_error", "x"), "req_body", 0},
		"of a stream":               {breaksOff("api_error", "x"), "req_1", 3},
		"of an answer that was cut": {sendStream(streamUntilText()), "req_1", 3},
		"of one that is long": {with(refuses(500, "x", "x"), "Request-Id", strings.Repeat("ä", 99)),
			strings.Repeat("ä", 64), 0},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			var logged bytes.Buffer
			log := hclog.New(&hclog.LoggerOptions{Output: &logged, Level: hclog.Debug})
			_, _, err := ask(open(t, Options{BaseURL: serve(t, c.h), Log: log}), hi())
			failed := new(modelcall.Error)
			if !errors.As(err, &failed) || failed.Request != c.request || failed.Usage.Input != c.input {
				t.Errorf("got %+v", failed)
			}
			if !strings.Contains(logged.String(), c.request) {
				t.Errorf("logged %s", &logged)
			}
		})
	}
}

func TestRetryAfter_EachHeader_GivesWait(t *testing.T) {
	cases := []struct {
		name    string
		headers []string
		want    time.Duration
	}{
		{"it does not say", nil, 0},
		{"seconds", []string{"Retry-After", "80"}, 80 * time.Second},
		{"the limit that is used up", []string{
			"Anthropic-Ratelimit-Requests-Remaining", "4", "Anthropic-Ratelimit-Requests-Reset", "2000-01-01T00:50:00Z",
			"Anthropic-Ratelimit-Input-Tokens-Remaining", "0", "Anthropic-Ratelimit-Input-Tokens-Reset", "2000-01-01T00:00:20Z",
			"Anthropic-Ratelimit-Tokens-Remaining", "0", "Anthropic-Ratelimit-Tokens-Reset", "2000-01-01T00:00:40Z",
			"Anthropic-Ratelimit-Output-Tokens-Reset", "gibberish"}, 40 * time.Second},
		{"its own word before the limits'", []string{"Retry-After", "7",
			"Anthropic-Ratelimit-Tokens-Reset", "2000-01-01T00:00:40Z"}, 7 * time.Second},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { // the fake clock begins at 2000-01-01
				client := &http.Client{Transport: modeltest.FakeTransport(func(r *http.Request) (*http.Response,
					error) {
					w := httptest.NewRecorder()
					with(refuses(429, "rate_limit_error", "x"), c.headers...)(w, r)
					return w.Result(), nil
				})}
				_, _, err := ask(open(t, Options{HTTPClient: client}), hi())
				failed := new(modelcall.Error)
				if !errors.As(err, &failed) || failed.RetryAfter != c.want {
					t.Errorf("got %v", failed.RetryAfter)
				}
			})
		})
	}
}

// TestKey_IsNeverInErrors lets endpoints repeat the key in every way, also in a long message that
// is cut within the key.
func TestKey_IsNeverInErrors(t *testing.T) {
	const canary = "sk-canary-0123456789"
	echo := func(status int, format string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			fmt.Fprintf(w, format, r.Header.Get("X-Api-Key"))
		}
	}
	long := strings.Repeat("x", 285) // the key starts near byte 300, where long texts are cut
	handlers := map[string]http.HandlerFunc{
		"in a message":           echo(400, `{"error":{"message":"you sent %s"}}`),
		"half hidden":            page(401, "application/json", `{"error":{"message":"Incorrect API key: sk-can***6789"}}`),
		"half hidden, by a type": page(400, "application/json", `{"error":{"message":"sk-can***","type":"authentication_error"}}`),
		"where it is cut":        echo(400, `{"error":{"message":"`+long+` %s"}}`),
		"where the log cuts it":  echo(400, `{"error":{"message":"`+long[len("HTTP 400: "):]+` %s"}}`),
		"in a type":              echo(500, `{"error":{"type":"%s","message":"x"}}`),
		"in the name of a call":  echo(500, `{"error":{"type":"x"},"request_id":"%s"}`),
		"in the name of a call, in the head": func(w http.ResponseWriter, r *http.Request) {
			with(refuses(500, "x", "x"), "Request-Id", strings.Repeat("x", 128-6)+r.Header.Get("X-Api-Key"))(w, r)
		},
		"in a redirect": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", "http://x.invalid/?key="+url.QueryEscape(r.Header.Get("X-Api-Key")))
			w.WriteHeader(302)
		},
		"in the stream":         sendStream(`data: {"type":"error","error":{"message":"` + canary + `"}}` + "\n\n"),
		"in an event's garbage": sendStream(`data: ` + canary + "\n\n"),
		"in a header it breaks": func(w http.ResponseWriter, r *http.Request) {
			conn, _, err := w.(http.Hijacker).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			fmt.Fprintf(conn, "%s\r\n\r\n", r.Header.Get("X-Api-Key"))
			conn.Close()
		},
		"in an answer": sendStream(streamOf(text(canary), "refusal")),
	}
	for name, h := range handlers {
		t.Run(name, func(t *testing.T) {
			var logged bytes.Buffer
			p := open(t, Options{BaseURL: serve(t, h) + "?k=" + canary, APIKey: canary,
				Log: hclog.New(&hclog.LoggerOptions{Output: &logged, Level: hclog.Trace})})
			_, _, err := ask(p, hi())
			_, listing := p.Models(t.Context())
			if err == nil || listing == nil {
				t.Fatalf("no error: %v, %v", err, listing)
			}
			for _, err := range []error{err, listing} {
				for ; err != nil; err = errors.Unwrap(err) {
					if text := fmt.Sprintf("%v %+v %#v", err, err, err); strings.Contains(text, "sk-can") {
						t.Errorf("in an error: %s", text)
					}
				}
			}
			if strings.Contains(logged.String(), "sk-can") {
				t.Errorf("in the log: %s", logged.String())
			}
		})
	}
}

func TestKey_UnfitForHeader_IsNotInError(t *testing.T) {
	_, _, err := ask(open(t, Options{BaseURL: "http://127.0.0.1:1", APIKey: "sk-can\nary"}), hi())
	if err == nil || strings.Contains(err.Error(), "sk-can") {
		t.Errorf("got %v", err)
	}
}
