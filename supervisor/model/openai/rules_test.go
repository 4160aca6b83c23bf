package openai

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/hashicorp/go-hclog"

	"mews/supervisor"
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

// says returns a handler that always gives the same answer.
func says(a modeltest.Answer) http.HandlerFunc {
	return modeltest.NewUnstartedServer(func(modeltest.Request) modeltest.Answer { return a }).ServeHTTP
}

func refusesKey(w http.ResponseWriter, r *http.Request) {
	s := modeltest.NewUnstartedServer(modeltest.EchoScript)
	s.Key = "another"
	s.ServeHTTP(w, r)
}

const (
	unavailable = supervisor.CodeUnavailable
	refused     = supervisor.CodeModelFailed
)

// userTexts has the text that a user reads for each behaviour of an endpoint. HOST is replaced by
// the endpoint's address.
var userTexts = []struct {
	name  string
	class modelcall.ErrorClass
	h     http.HandlerFunc
	code  supervisor.ErrorCode
	want  string
}{
	{"a wrong key", modelcall.AuthFailed, refusesKey, refused,
		`"test" did not accept the API key, or got none. Check its api_key in the configuration and start Mews again.`},
	{"a wrong key at Gemini", modelcall.AuthFailed, page(400, "application/json",
		`[{"error":{"code":400,"message":"API key not valid. Please pass a valid API `+
			`key.","status":"INVALID_ARGUMENT"}}]`),
		refused,
		`"test" did not accept the API key, or got none. Check its api_key in the configuration and start Mews again.`},
	{"a key without the right", modelcall.AuthFailed, page(403, "application/json", `{"error":{"message":"no"}}`),
		refused,
		`"test" does not let this API key use the model "m". Use another model, or a key that may.`},
	{"no credit", modelcall.NoCredit, says(modeltest.Answer{Status: 429, Code: "insufficient_quota",
		Error: "You exceeded your quota"}), refused,
		`The account at "test" has no credit left for the model "m". Check its billing, or use another model.`},
	{"no such model at OpenAI", modelcall.ModelMissing,
		says(modeltest.Answer{Status: 404, Code: "model_not_found", Error: "x"}), refused,
		`"test" at HOST has no model "m". Check its name, or fetch it there first (with Ollama: ollama pull NAME).`},
	{"no such model at Ollama", modelcall.ModelMissing,
		page(404, "application/json",
			`{"error":{"message":"model \"m\" not found, try pulling it first","type":"api_error"}}`), refused,
		`"test" at HOST has no model "m". Check its name, or fetch it there first (with Ollama: ollama pull NAME).`},
	{"a base URL without its version", modelcall.ModelMissing, says(modeltest.Answer{Status: 404,
		Error: "Invalid URL (POST /chat/completions)"}), refused,
		`The server at HOST is not an OpenAI-compatible API (HTTP 404). Check the base_url of "test"; it usually ends in /v1.`},
	{"a web page", modelcall.ModelMissing, page(200, "text/html; charset=utf-8", "<html>hi</html>"), refused,
		`The server at HOST is not an OpenAI-compatible API (HTTP 200). Check the base_url of "test"; it usually ends in /v1.`},
	{"a redirect", modelcall.ModelMissing, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://elsewhere.invalid/", http.StatusTemporaryRedirect)
	}, refused,
		`The server at HOST is not an OpenAI-compatible API (HTTP 307). Check the base_url of "test"; it usually ends in /v1.`},
	{"too long for OpenAI", modelcall.RequestTooLong,
		says(modeltest.Answer{Status: 400, Code: "context_length_exceeded", Error: "x"}), refused,
		`This conversation is longer than the model "m" of "test" can take, even after Mews shortened it. ` +
			`Use a model with a larger context, or ask for less at once.`},
	{"too long for llama.cpp, found out in the stream", modelcall.RequestTooLong,
		sendStream(`error: {"code":500,"message":"request (4390 tokens) is too much","type":"exceed_context_size_error"}` +
			"\n\n"), refused,
		`This conversation is longer than the model "m" of "test" can take, even after Mews shortened it. ` +
			`Use a model with a larger context, or ask for less at once.`},
	{"a model without tools", modelcall.ToolsUnsupported, page(400, "application/json",
		`{"error":{"message":"registry.ollama.ai/library/m does not support tools"}}`), refused,
		`The model "m" of "test" cannot use tools, and Mews needs them. Use a model that can.`},
	{"too many requests, with a date", modelcall.RateLimited, says(modeltest.Answer{Status: 429, Error: "slow down", Retry: 80}), unavailable,
		`"test" has had too many requests and lets no more through for now. Try again in 1m20s.`},
	{"too many requests", modelcall.RateLimited, says(modeltest.Answer{Status: 429, Error: "slow down"}), unavailable,
		`"test" has had too many requests and lets no more through for now. Try again in a minute.`},
	{"llama.cpp starting", modelcall.Overloaded, page(503, "application/json",
		`{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}`), unavailable,
		`"test" is still loading the model "m". Try again in a minute.`},
	{"a server's trouble", modelcall.ServerError, page(502, "text/html", "<html>Bad gateway</html>"), unavailable,
		`"test" has an internal error (HTTP 502). Try again in a minute.`},
	{"a request that it does not like", modelcall.RequestRefused, page(422, "application/json",
		`{"detail":"tools[0]:\n wrong"}`), refused,
		`"test" refused the request for the model "m" as wrong (HTTP 422). ` +
			`Use another model. An admin finds what it said in the log at level debug.`},
	{"no reason given", modelcall.RequestRefused, page(400, "text/plain", "no"), refused,
		`"test" refused the request for the model "m" as wrong (HTTP 400). ` +
			`Use another model. An admin finds what it said in the log at level debug.`},
	{"an error in the stream", modelcall.ServerError, says(modeltest.Answer{Text: "half", Error: "the GPU fell over"}),
		unavailable,
		`"test" broke off the answer of the model "m" after an internal error. Try again in a minute.`},
	{"an error event", modelcall.ServerError, sendStream("event: error\ndata: {\"error\":\"out of memory\"}\n\n"),
		unavailable,
		`"test" broke off the answer of the model "m" after an internal error. Try again in a minute.`},
	{"OpenRouter: a server behind it that broke off", modelcall.ServerError,
		sendStream(`data: {"id":"gen-1","error":{"code":502,"message":` +
			`"Provider disconnected"},"choices":[{"delta":{"content":""},"finish_reason":"error"}]}` + "\n\n"), unavailable,
		`"test" broke off the answer of the model "m" after an internal error. Try again in a minute.`},
	{"OpenRouter: no error but the reason", modelcall.ServerError,
		sendStream(`data: {"choices":[{"delta":{"content":"I"},"finish_reason":"error"}]}` +
			"\n\n"), unavailable,
		`"test" broke off the answer of the model "m" after an internal error. Try again in a minute.`},
	{"OpenRouter: too many requests, found out in the stream", modelcall.RateLimited,
		sendStream(`data: {"error":{"code":429,"message":"Rate limited upstream"}}` + "\n\n"), unavailable,
		`"test" has had too many requests and lets no more through for now. Try again in a minute.`},
	{"OpenRouter: what the server behind it said", modelcall.RequestTooLong, page(400, "application/json",
		`{"error":{"code":400,"message":`+
			`"Provider returned error","metadata":{"raw":"{\"message\":\"prompt is too long: 9 tokens > 8\"}"}}}`), refused,
		`This conversation is longer than the model "m" of "test" can take, even after Mews shortened it. ` +
			`Use a model with a larger context, or ask for less at once.`},
	{"OpenRouter: moderation", modelcall.ContentFiltered, page(403, "application/json",
		`{"error":{"code":403,"message":"Your input was flagged",`+
			`"metadata":{"reasons":["violence"],"flagged_input":"..."}}}`), refused,
		`The content filter of "test" stopped the request. Say it differently, or use another model.`},
	{"OpenRouter: no credit", modelcall.NoCredit, page(402, "application/json",
		`{"error":{"code":402,"message":"Insufficient credits"}}`), refused,
		`The account at "test" has no credit left for the model "m". Check its billing, or use another model.`},
	{"vLLM: too long", modelcall.RequestTooLong, page(400, "application/json",
		`{"object":"error","message":"This model's maximum context length is `+
			`8192 tokens. However, you requested 9000 tokens","type":"BadRequestError","param":null,"code":400}`), refused,
		`This conversation is longer than the model "m" of "test" can take, even after Mews shortened it. ` +
			`Use a model with a larger context, or ask for less at once.`},
	{"Groq: larger than a minute's tokens", modelcall.RequestTooLong, page(413, "application/json",
		`{"error":{"message":"Request too large for model",`+
			`"type":"tokens","code":"rate_limit_exceeded"}}`), refused,
		`This conversation is longer than the model "m" of "test" can take, even after Mews shortened it. ` +
			`Use a model with a larger context, or ask for less at once.`},
	{"Groq: no capacity", modelcall.Overloaded, page(498, "application/json", `{"error":{"message":"Flex tier capacity exceeded"}}`), unavailable,
		`"test" is overloaded. Try again in a minute.`},
	{"Ollama: a full queue", modelcall.Overloaded, page(503, "application/json",
		`{"error":"server busy, please try again.  maximum pending requests exceeded"}`), unavailable,
		`"test" is overloaded. Try again in a minute.`},
	{"a proxy before nothing", modelcall.ServerError, page(503, "text/html", "<html>"), unavailable,
		`"test" has an internal error (HTTP 503). Try again in a minute.`},
	{"cut off", modelcall.StreamCut, says(modeltest.Answer{Text: "half an answer", Chunk: 4, CutAfter: 700}),
		unavailable,
		`The answer of the model "m" of "test" was cut off before its end. Send the message again.`},
	{"[DONE] without a finish reason", modelcall.StreamCut,
		sendStream(`data: {"choices":[{"delta":{"content":"half"}}]}` +
			"\n\ndata: [DONE]\n\n"), unavailable,
		`The answer of the model "m" of "test" was cut off before its end. Send the message again.`},
	{"no stream at all", modelcall.NetworkError, sendStream(""), unavailable,
		`The connection to "test" at HOST ended before the model "m" said anything. Send the message again in a minute.`},
	{"events of something else", modelcall.MalformedAnswer, sendStream("data: <xml/>\n\n"), refused,
		`"test" at HOST sent something that is not an answer of the OpenAI API. Check the base_url of "test" and its ` +
			`version.`},
	{"a content filter", modelcall.ContentFiltered, says(modeltest.Answer{Text: "I", Finish: "content_filter"}),
		refused,
		`The content filter of "test" stopped the answer. Say it differently, or use another model.`},
	{"no room to answer", modelcall.LengthLimitBeforeText, says(modeltest.Answer{Finish: "length"}), refused,
		`The model "m" of "test" reached its output limit before it said anything. ` +
			`Ask for less at once, or use another model. An admin can raise its limit of output tokens or its context.`},
	{"nothing", modelcall.EmptyAnswer, says(modeltest.Answer{Text: " \n"}), refused,
		`The model "m" of "test" answered with nothing. Send the message again, or say it differently.`},
	{"a call without a name", modelcall.MalformedAnswer, says(modeltest.Answer{Calls: []modeltest.Call{{Args: "{}"}}}),
		refused,
		`The model "m" of "test" called a tool without naming it. Send the message again, or use another model.`},
}

func TestEndpointFailure_HasTextForUser(t *testing.T) {
	for _, s := range userTexts {
		t.Run(s.name, func(t *testing.T) {
			p := open(t, Options{BaseURL: serve(t, s.h), APIKey: "sk-wrong"})
			answer, _, err := ask(p, hi())
			checkSentence(t, err, s.code, strings.ReplaceAll(s.want, "HOST", p.Host))
			if got := modeltest.ErrorClassOf(err); got != s.class {
				t.Errorf("class %s, want %s", got, s.class)
			}
			if answer.Message.Parts != nil {
				t.Errorf("an answer beside the error: %v", answer)
			}
		})
	}
}

func checkSentence(t *testing.T, err error, code supervisor.ErrorCode, want string) {
	t.Helper()
	if got := problem.UserText(err); got != want {
		t.Errorf("got  %s\nwant %s\n%v", got, want, err)
	}
	if got := supervisor.ErrorCodeOf(err); got != code {
		t.Errorf("code %s, want %s", got, code)
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
			fmt.Fprintf(w, format, r.Header.Get("Authorization"))
		}
	}
	long := strings.Repeat("x", 285) // the key starts near byte 300, where long texts are cut
	handlers := map[string]http.HandlerFunc{
		"as OpenAI does":           refusesKey,
		"in a message":             echo(400, `{"error":{"message":"you sent %s"}}`),
		"half hidden":              page(401, "application/json", `{"error":{"message":"Incorrect API key: sk-can***6789"}}`),
		"half hidden, by its code": page(400, "application/json", `{"error":{"message":"sk-can***","code":"invalid_api_key"}}`),
		"where it is cut":          echo(400, `{"error":{"message":"`+long+` %s"}}`),
		"where the log cuts it":    echo(400, `{"error":{"message":"`+long[len("HTTP 400: "):]+` %s"}}`),
		"in a code":                echo(500, `{"error":{"code":"%s","message":"x"}}`),
		"in a redirect": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", "http://x.invalid/?key="+url.QueryEscape(r.Header.Get("Authorization")))
			w.WriteHeader(302)
		},
		"in the stream":         sendStream(`data: {"error":"` + canary + `"}` + "\n\n"),
		"in an event's garbage": sendStream(`data: ` + canary + "\n\n"),
		"in a header it breaks": func(w http.ResponseWriter, r *http.Request) {
			conn, _, err := w.(http.Hijacker).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			fmt.Fprintf(conn, "%s\r\n\r\n", r.Header.Get("Authorization"))
			conn.Close()
		},
		"in an answer": sendStream(`data: {"choices":[{"delta":{"content":"` + canary +
			`"},"finish_reason":"content_filter"}]}` + "\n\n"),
	}
	for name, h := range handlers {
		t.Run(name, func(t *testing.T) {
			var logged bytes.Buffer
			p := open(t, Options{BaseURL: serve(t, h) + "?k=" + canary, APIKey: canary,
				Log: hclog.New(&hclog.LoggerOptions{Output: &logged, Level: hclog.Trace})})
			_, _, err := ask(p, hi())
			if err == nil {
				t.Fatal("no error")
			}
			for ; err != nil; err = errors.Unwrap(err) {
				if text := fmt.Sprintf("%v %+v %#v", err, err, err); strings.Contains(text, "sk-can") {
					t.Errorf("in an error: %s", text)
				}
			}
			if strings.Contains(logged.String(), "sk-can") {
				t.Errorf("in the log: %s", logged.String())
			}
		})
	}
}

func TestKey_UnfitForHeader_IsNotInError(t *testing.T) {
	_, _, err := ask(open(t, Options{BaseURL: "http://127.0.0.1:1/v1", APIKey: "sk-can\nary"}), hi())
	if err == nil || strings.Contains(err.Error(), "sk-can") {
		t.Errorf("got %v", err)
	}
}
