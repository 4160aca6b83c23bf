package remote

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/modelcall"
	"mews/supervisor/problem"
)

const canary = "sk-canary-0123456789"

var errOdd = errors.New("what came is odd")

// endpoint returns an endpoint with a few rules, and its log.
func endpoint() (*Endpoint, *bytes.Buffer) {
	logged := new(bytes.Buffer)
	return &Endpoint{
		Name: "test", Host: "h:80", Key: NewKey(canary), Log: hclog.New(&hclog.LoggerOptions{Output: logged,
			Level: hclog.Trace}),
		Rules: append([]ErrorRule{
			RuleForRefusal(func(r *Refusal) bool { return r.Status == 429 }, modelcall.RateLimited,
				`{provider} at {host} is busy with {model} (HTTP {status}). {again}`),
			RuleForRefusal(MatchAnyRefusal, modelcall.RequestRefused, `{model} of {provider} is no {name}.`),
			RuleForError(errOdd, modelcall.MalformedAnswer, `{provider} broke off for {model}.`),
		}, RulesForAnyError("an API", "Is it there?")...),
	}, logged
}

func TestExplainError_ReturnsTextForUser(t *testing.T) {
	busy := func(retry time.Duration) error { return &Refusal{Status: 429, Retry: retry} }
	for _, c := range []struct {
		name  string
		err   error
		model string
		class modelcall.ErrorClass
		want  string
	}{
		{"a time to come back", busy(80 * time.Second), "m", modelcall.RateLimited,
			`"test" at h:80 is busy with the model "m" (HTTP 429). Try again in 1m20s.`},
		{"no time", busy(0), "m", modelcall.RateLimited,
			`"test" at h:80 is busy with the model "m" (HTTP 429). Try again in a minute.`},
		{"less than a second", busy(time.Millisecond), "m", modelcall.RateLimited,
			`"test" at h:80 is busy with the model "m" (HTTP 429). Try again in 1s.`},
		{"no model", busy(0), "", modelcall.RateLimited,
			`"test" at h:80 is busy with its models (HTTP 429). Try again in a minute.`},
		{"the model comes first", &Refusal{}, "m", modelcall.RequestRefused, `The model "m" of "test" is no "m".`},
		{"no model, which would come first", fmt.Errorf("read: %w", &idleTimeout{time.Minute}), "",
			modelcall.StreamStalled,
			`"test" at h:80 has stopped answering: nothing came for 60 seconds. ` +
				`Send the message again, or check whether "test" works.`},
		{"silence", &idleTimeout{time.Minute}, "m", modelcall.StreamStalled,
			`The model "m" of "test" at h:80 has stopped answering: nothing came for 60 seconds. ` +
				`Send the message again, or check whether "test" works.`},
		{"what the provider found", fmt.Errorf("x: %w", errOdd), "m", modelcall.MalformedAnswer,
			`"test" broke off for the model "m".`},
		{"a model's name with our signs in it", errOdd, "{host}", modelcall.MalformedAnswer,
			`"test" broke off for the model "{host}".`},
	} {
		t.Run(c.name, func(t *testing.T) {
			e, _ := endpoint()
			err := e.ExplainError(c.err, c.model, modelcall.Answer{Request: "req_1", Usage: protocol.Usage{Input: 3}})
			if got := problem.UserText(err); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			var retry time.Duration
			if r := FindRefusal(c.err); r != nil {
				retry = r.Retry
			}
			if err.Class != c.class || err.Request != "req_1" || err.Usage.Input != 3 || err.RetryAfter != retry {
				t.Errorf("got %+v", err)
			}
		})
	}
}

// TestExplainError_CodeTellsIfRetryHelps checks the code of each class of errors.
func TestExplainError_CodeTellsIfRetryHelps(t *testing.T) {
	for class, want := range map[modelcall.ErrorClass]supervisor.ErrorCode{
		modelcall.RateLimited: supervisor.CodeUnavailable, modelcall.StreamCut: supervisor.CodeUnavailable,
		modelcall.NetworkError: supervisor.CodeUnavailable, modelcall.AuthFailed: supervisor.CodeModelFailed,
		modelcall.MalformedAnswer: supervisor.CodeModelFailed, modelcall.RequestRefused: supervisor.CodeModelFailed,
	} {
		e, _ := endpoint()
		e.Rules = []ErrorRule{RuleForError(errOdd, class, "x")}
		if got := supervisor.ErrorCodeOf(e.ExplainError(errOdd, "m", modelcall.Answer{})); got != want {
			t.Errorf("%s: code %s, want %s", class, got, want)
		}
	}
}

// TestKey_IsNeverInErrors covers short texts, and a long text that is cut in the middle of the key.
func TestKey_IsNeverInErrors(t *testing.T) {
	long := strings.Repeat("x", maxQuote-6)
	for name, err := range map[string]error{
		"in words":           errors.New("you sent " + canary),
		"where words end":    errors.New(long + canary),
		"in the URL":         &url.Error{Op: "Post", URL: "http://h/?k=sk-canary", Err: errors.New(canary)},
		"in a refusal":       &Refusal{Text: long + canary},
		"in a wrapped one":   fmt.Errorf("%s: %w", canary, &Refusal{Text: canary}),
		"twice, and invalid": errors.New(canary + "\xff" + canary),
	} {
		t.Run(name, func(t *testing.T) {
			e, logged := endpoint()
			var told error = e.ExplainError(err, "m", modelcall.Answer{})
			for ; told != nil; told = errors.Unwrap(told) {
				if text := fmt.Sprintf("%v %+v %#v", told, told, told); strings.Contains(text, "sk-can") {
					t.Errorf("in an error: %s", text)
				}
			}
			if strings.Contains(logged.String(), "sk-can") {
				t.Errorf("in the log: %s", logged)
			}
		})
	}
}

// TestEndpointText_IsOnlyLoggedAtDebug checks that normal logs have no text of the endpoint. Such a
// text may repeat the user's words.
func TestEndpointText_IsOnlyLoggedAtDebug(t *testing.T) {
	for level, shown := range map[hclog.Level]bool{hclog.Debug: true, hclog.Info: false} {
		e, _ := endpoint()
		logged := new(bytes.Buffer)
		e.Log = hclog.New(&hclog.LoggerOptions{Output: logged, Level: level})
		err := e.ExplainError(&Refusal{Status: 400, Text: "you said: my secret"}, "m",
			modelcall.Answer{Request: "req_7"})
		if strings.Contains(logged.String(), "secret") != shown || !strings.Contains(logged.String(), "req_7") {
			t.Errorf("logged %s", logged)
		}
		if strings.Contains(fmt.Sprint(err, err.Err.Err), "secret") {
			t.Errorf("in the error: %v", err)
		}
	}
}

func TestUnreachableEndpoint_ErrorHasTextForUser(t *testing.T) {
	untrusted := httptest.NewUnstartedServer(http.NotFoundHandler())
	untrusted.Config.ErrorLog = log.New(io.Discard, "", 0)
	untrusted.StartTLS()
	defer untrusted.Close()
	dial := func(err error) error { return &net.OpError{Op: "dial", Net: "tcp", Err: err} }
	for _, c := range []struct {
		name, want string
		err        error
	}{
		{"nothing listens", `Mews cannot reach "test": nothing accepts connections at h:80. ` +
			`Is the server running there?`,
			get(t, "http://"+closedAddr(t))},
		{"no such name", `Mews cannot reach "test": the name of h:80 is not known. Check the base_url of "test" and ` +
			`this machine's network.`,
			dial(&net.DNSError{Err: "no such host", Name: "h", IsNotFound: true})},
		{"no answer", `Mews cannot reach "test": h:80 did not answer in time. Is it there?`, dial(os.ErrDeadlineExceeded)},
		{"a name that nobody finds in time", `Mews cannot reach "test": h:80 did not answer in time. Is it there?`,
			dial(&net.DNSError{Err: "i/o timeout", Name: "h", IsTimeout: true})},
		{"a certificate of nobody's", `Mews does not trust "test": the certificate of h:80 is not valid. ` +
			`Check the base_url of "test" and this machine's clock.`, get(t, untrusted.URL)},
		{"anything else", `The connection to "test" at h:80 failed. Send the message again in a minute.`,
			dial(errors.New("network is down"))},
	} {
		t.Run(c.name, func(t *testing.T) {
			e, _ := endpoint()
			err := e.ExplainError(c.err, "m", modelcall.Answer{})
			if got := problem.UserText(err); got != c.want || err.Class != modelcall.NetworkError ||
				supervisor.ErrorCodeOf(err) != supervisor.CodeUnavailable {
				t.Errorf("got %s, class %s\nwant %s\n%v", got, err.Class, c.want, c.err)
			}
		})
	}
}

// get returns the error of a GET request, which must fail.
func get(t *testing.T, base string) error {
	t.Helper()
	client := NewHTTPClient(nil)
	defer client.CloseIdleConnections()
	resp, err := client.Get(base)
	if err == nil {
		resp.Body.Close()
		t.Fatalf("%s answered", base)
	}
	return err
}

// closedAddr returns a loopback address on which no server listens.
func closedAddr(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// TestOrigin_NamesProviderHostAndModel checks which stored parts may be sent to a model. Origins
// from earlier releases have no provider's name.
func TestOrigin_NamesProviderHostAndModel(t *testing.T) {
	own := (&Endpoint{Name: "mine", Host: "h:1"}).ThinkingOrigin("a/m")
	for stored, want := range map[string]bool{
		"mine@h:1/a/m": true, "h:1/a/m": true, "theirs@h:1/a/m": false, "mine@h:2/a/m": false, "mine@h:1/a/n": false,
		"h:1/a/n": false, "": false, "mine": false, "@h:1/a/m": false,
	} {
		if got := IsSameThinkingOrigin(stored, own); got != want {
			t.Errorf("%q is %q: %t", stored, own, got)
		}
	}
}
