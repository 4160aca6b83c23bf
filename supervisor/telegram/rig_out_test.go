package telegram

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/hashicorp/go-hclog"

	"mews/supervisor"
)

// A token that cannot be confused with other text, and a user's words.
const (
	canarySecret = "AAcanary-S3CRET_tokenThatNobodyMaySee99"
	canaryToken  = "42:" + canarySecret
	canaryWords  = "the words of a person"
)

// logBuffer is a log that can be read while it is written.
type logBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

// open returns a client of url. At the end of the test its log is searched for the token.
func open(t testing.TB, url string) *Client {
	t.Helper()
	var log logBuffer
	c, err := New(Options{Token: canaryToken, APIURL: url, Log: hclog.New(&hclog.LoggerOptions{Level: hclog.Trace, Output: &log})})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Close()
		hides(t, "the log", log.String())
	})
	return c
}

// hides checks that a text contains neither the token nor a user's words.
func hides(t testing.TB, what, text string) {
	t.Helper()
	if strings.Contains(text, canarySecret) || strings.Contains(text, canaryWords) {
		t.Errorf("%s shows what nobody may see: %s", what, text)
	}
}

// hidden checks each printed form of an error, and of each error within it, with hides.
func hidden(t testing.TB, err error) {
	t.Helper()
	for err != nil {
		shown, _ := json.Marshal(err)
		hides(t, "an error", fmt.Sprintf("%v %+v %#v %q %s", err, err, err, err, shown))
		err = errors.Unwrap(err)
	}
}

// serve starts a real HTTP server.
func serve(t testing.TB, answer http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(answer)
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s.URL
}

// answers starts a server that always gives the same answer.
func answers(t testing.TB, code int, body string) string {
	return serve(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.WriteHeader(code)
		_, _ = io.WriteString(w, body)
	})
}

// listen starts a server. It passes each connection to talk, and closes the connection afterwards.
func listen(t testing.TB, talk func(net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var talks sync.WaitGroup
	ctx, stop := context.WithCancel(context.Background())
	talks.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			talks.Go(func() {
				defer conn.Close()
				defer context.AfterFunc(ctx, func() { conn.Close() })()
				talk(conn)
			})
		}
	})
	t.Cleanup(func() {
		stop()
		l.Close()
		talks.Wait()
	})
	return "http://" + l.Addr().String()
}

// sendTo sends the test's words through a client, and returns the failure of the call.
func sendTo(t testing.TB, c *Client) *supervisor.SendError {
	t.Helper()
	_, err := c.Send(t.Context(), supervisor.PostAddress{Chat: "-100123"}, supervisor.RichText{Text: canaryWords})
	return failureOf(t, err)
}

func failureOf(t testing.TB, err error) *supervisor.SendError {
	t.Helper()
	var e *supervisor.SendError
	if !errors.As(err, &e) {
		t.Fatalf("got %v, want a SendError", err)
	}
	hidden(t, err)
	return e
}
