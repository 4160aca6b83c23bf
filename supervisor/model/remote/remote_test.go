package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestRedirect_IsNotFollowed(t *testing.T) {
	asked := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
	}))
	defer s.Close()
	for _, given := range []*http.Client{nil, s.Client()} {
		client := NewHTTPClient(given)
		resp, err := client.Get(s.URL)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if !isRedirect(resp) {
			t.Errorf("HTTP %d", resp.StatusCode)
		}
		client.CloseIdleConnections()
	}
	if asked != 2 {
		t.Errorf("asked %d times", asked)
	}
}

func TestConcurrentCalls_ReuseConnections(t *testing.T) {
	var connected atomic.Int64
	var asked sync.WaitGroup
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		asked.Done()
		asked.Wait() // waits until all calls run at once, so that each call needs its own connection
	}))
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connected.Add(1)
		}
	}
	s.Start()
	defer s.Close()
	client := NewHTTPClient(nil)
	defer client.CloseIdleConnections()
	for range 3 {
		asked.Add(idleConns)
		var calls sync.WaitGroup
		for range idleConns {
			calls.Go(func() {
				resp, err := client.Get(s.URL)
				if err != nil {
					t.Error(err)
					asked.Done()
					return
				}
				resp.Body.Close()
			})
		}
		calls.Wait()
	}
	if n := connected.Load(); n != idleConns {
		t.Errorf("%d connections for %d calls at once", n, idleConns)
	}
}

func TestHasType_ErrorPage_IsNoStream(t *testing.T) {
	for _, c := range []struct {
		status       int
		header       string
		stream, json bool
	}{
		{200, "text/event-stream; charset=utf-8", true, false},
		{200, "", true, false},
		{200, "application/x-ndjson", true, false},
		{200, "Application/JSON; charset=utf-8", false, true},
		{200, "text/html", false, false},
		{404, "text/event-stream", false, false},
		{500, "application/json", false, false},
	} {
		resp := &http.Response{StatusCode: c.status, Header: http.Header{"Content-Type": {c.header}}}
		if hasType(resp, ContentTypeStream) != c.stream || hasType(resp, ContentTypeJSON) != c.json {
			t.Errorf("%d %s: not a stream, %t, or not JSON, %t", c.status, c.header, c.stream, c.json)
		}
	}
}

func TestParseBase_ErrorHidesURL(t *testing.T) {
	for _, base := range []string{"", "127.0.0.1:11434/v1", "ftp://secret/v1", "http://", "http://me:secret@host/v1",
		"http://[secret"} {
		_, err := ParseBaseURL(base, "http://right/v1")
		if err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", base, err)
		}
	}
	if u, err := ParseBaseURL("https://h:8/x?v=2", ""); err != nil || u.Host != "h:8" {
		t.Errorf("got %v, %v", u, err)
	}
}

func TestIsValidModelName_ControlCharacter_False(t *testing.T) {
	for name, want := range map[string]bool{
		"qwen3:8b": true, "meta/llama": true, "模型": true, "": false, "a b": false, "a\x00": false, "a\xff": false,
		strings.Repeat("x", maxModel): true, strings.Repeat("x", maxModel+1): false,
	} {
		if IsValidModelName(name) != want {
			t.Errorf("%q: %t", name, !want)
		}
	}
}

// says returns a body that sends the words, each after a pause. Then it is silent until the call
// ends.
func says(ctx context.Context, pause time.Duration, words ...string) io.ReadCloser {
	r, w := io.Pipe()
	go func() {
		for _, word := range words {
			time.Sleep(pause)
			_, _ = io.WriteString(w, word)
		}
		<-ctx.Done()
		w.CloseWithError(ctx.Err())
	}()
	return r
}

func TestSilentCall_Ends(t *testing.T) {
	const limit = 20 * time.Second
	for _, c := range []struct {
		name  string
		lasts time.Duration
		read  func(context.Context, *watchedBody) error
	}{
		{"before it reads", limit, func(ctx context.Context, _ *watchedBody) error {
			<-ctx.Done()
			return ctx.Err()
		}},
		{"after the last word", 5*19*time.Second + limit, func(ctx context.Context, b *watchedBody) error {
			b.ReadCloser = says(ctx, 19*time.Second, "1", "2", "3", "4", "5")
			_, err := io.ReadAll(b)
			return err
		}},
		{"after another limit", time.Second + time.Minute, func(ctx context.Context, b *watchedBody) error {
			b.ReadCloser = says(ctx, time.Second, "1")
			_, err := b.Read(make([]byte, 9))
			b.limit = time.Minute
			_, more := io.ReadAll(b)
			return errors.Join(err, more)
		}},
		{"once all is said", time.Second + tailTimeout, func(ctx context.Context, b *watchedBody) error {
			b.ReadCloser = says(ctx, time.Second, "1")
			_, err := b.Read(make([]byte, 9))
			b.expectEnd()
			_, more := io.ReadAll(b)
			return errors.Join(err, more)
		}},
		{"the reader's own time does not count", time.Hour + limit, func(ctx context.Context, b *watchedBody) error {
			b.ReadCloser = says(ctx, 0, "1")
			_, err := b.Read(make([]byte, 9))
			time.Sleep(time.Hour)
			_, more := io.ReadAll(b)
			return errors.Join(err, more)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				err := watchIdle(t.Context(), limit, c.read)
				if silent := new(idleTimeout); !errors.As(err, &silent) || time.Since(began) != c.lasts {
					t.Errorf("after %v: %v", time.Since(began), err)
				}
			})
		})
	}
}

func TestWatchIdle_CallFails_ReturnsItsError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		if err := watchIdle(t.Context(), time.Second, func(context.Context, *watchedBody) error { return errOdd }); err != errOdd {
			t.Errorf("got %v", err)
		}
		err := watchIdle(t.Context(), time.Second, func(ctx context.Context, b *watchedBody) error {
			b.ReadCloser = says(ctx, 0)
			b.drain() // drain must also work without a body
			return nil
		})
		if err != nil {
			t.Errorf("got %v", err)
		}
	})
}

func TestParseRetryAfter_EachHeader_GivesWait(t *testing.T) {
	now := time.Date(2026, 11, 20, 8, 0, 0, 1, time.UTC)
	for _, c := range []struct {
		name, value string
		want        time.Duration
	}{
		{"Retry-After", "", 0},
		{"Retry-After", " 7 ", 7 * time.Second},
		{"Retry-After", "1.5", 1500 * time.Millisecond},
		{"Retry-After", "Fri, 20 Nov 2026 08:01:30 GMT", 90 * time.Second},
		{"Retry-After", "Fri, 20 Nov 2026 07:00:00 GMT", 0},
		{"Retry-After", "Fri, 20 Nov 2027 07:00:00 GMT", 0},
		{"Retry-After", "-3", 0},
		{"Retry-After", "1e300", 0},
		{"Retry-After", "NaN", 0},
		{"Retry-After", "90000", 0},
		{"Retry-After", "soon", 0},
		{"Retry-After-Ms", "250", 250 * time.Millisecond},
	} {
		if got := ParseRetryAfter(http.Header{c.name: {c.value}}, now); got != c.want {
			t.Errorf("%s %s: got %v, want %v", c.name, c.value, got, c.want)
		}
	}
}

func TestReadErrorObject_EveryShape_IsRead(t *testing.T) {
	for body, want := range map[string]ErrorObject{
		`{"error":{"message":"no\n more","type":"requests","code":"rate_limit_exceeded","param":"x.y"}}`: {
			Code: "rate_limit_exceeded", Type: "requests", Param: "x.y", Text: "no more"},
		`{"type":"error","error":{"type":"api_error","message":"x"},"request_id":"req_1"}`: {
			Type: "api_error", Text: "x", Request: "req_1"},
		`{"type":"error","error":"x"}`:                          {Text: "x"},
		`{"error":"busy","code":503}`:                           {Code: "503", Text: "busy"},
		`{"error":["a"]}`:                                       {Text: `["a"]`},
		`{"detail":"wrong"}`:                                    {Text: "wrong"},
		`{"message":"wrong","type":"BadRequest","code":400}`:    {Code: "400", Type: "BadRequest", Text: "wrong"},
		`{"error":{"message":"a","metadata":{"raw":"behind"}}}`: {Text: "a map[raw:behind]"},
		`{"error":null}`:                                        {}, `<html>`: {}, `[]`: {}, `{}`: {}, ``: {},
	} {
		if diff := cmp.Diff(want, readErrorObject([]byte(body))); diff != "" {
			t.Errorf("%s: %s", body, diff)
		}
	}
}

func FuzzReadObject(f *testing.F) {
	f.Add([]byte(`{"type":"error","error":{"type":"api_error","message":"x\u0000y","code":[1]},"request_id":{}}`))
	f.Add([]byte(`{"error":"x"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		o := readErrorObject(data)
		for _, value := range []string{o.Code, o.Type, o.Param, o.Text, o.Request} {
			if strings.ContainsAny(value, "\r\n\x00\x1b") {
				t.Errorf("got %q", value)
			}
		}
	})
}

// TestRefusal_BodyIsBounded covers a long body, and a body that breaks off.
func TestRefusal_BodyIsBounded(t *testing.T) {
	broken := io.MultiReader(strings.NewReader("half"), brokenBody{})
	for name, c := range map[string]struct {
		body io.Reader
		want string
	}{
		"without end": {io.MultiReader(strings.NewReader(strings.Repeat("x", maxRefusal)), broken), "65536"},
		"broken off":  {broken, "4: its body: what came is odd"},
	} {
		err := readBody(c.body, func(data []byte) error { return fmt.Errorf("%d", len(data)) })
		if err == nil || err.Error() != c.want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestValuePerModel_NumberOfModels_IsBounded(t *testing.T) {
	var m ValuePerModel[[]string]
	for i := range maxRemembered * 3 {
		m.Update(strings.Repeat("m", i), func([]string) []string { return []string{"x"} })
	}
	if len(m.byModel) > maxRemembered || !slices.Equal(m.Get(strings.Repeat("m", maxRemembered*3-1)), []string{"x"}) {
		t.Errorf("%d models", len(m.byModel))
	}
}

type brokenBody struct{}

func (brokenBody) Read([]byte) (int, error) { return 0, errOdd }

func TestRefusalText_HasOnlyIdentifiers(t *testing.T) {
	for want, got := range map[string]string{
		"HTTP 429: rate_limit":             refusalText(429, "rate_limit", ""),
		"HTTP 400: invalid: parameter x.y": refusalText(400, "invalid", "x.y"),
		"HTTP 400: parameter tools[0]":     refusalText(400, "", "tools[0]"),
		"an error in the stream":           refusalText(0, "my secret", "another one"),
		"HTTP 500":                         refusalText(500, strings.Repeat("x", maxCode+1), "ä"),
	} {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
