package telegram_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/supervisor"
	"mews/supervisor/telegram"
)

const secret = "a-secret-of-the-webhook"

// webhook returns a handler that stores its updates in s. Its only request to Telegram is for the
// bot's name.
func webhook(t *testing.T, s telegram.UpdateReceiver, log hclog.Logger) *telegram.Webhook {
	t.Helper()
	return webhookWith(t, s, telegram.NewWebhookSecret(secret), log)
}

func webhookWith(t *testing.T, s telegram.UpdateReceiver, secret *telegram.WebhookSecret,
	log ...hclog.Logger) *telegram.Webhook {
	t.Helper()
	w := newWire(t, func(asked, context.Context) (*http.Response, error) { return respond(502, "") })
	h, err := telegram.NewWebhook(w.client(), s, telegram.WebhookOptions{Secret: secret,
		Log: append(log, hclog.NewNullLogger())[0]})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// unreadableBody is a body that must not be read.
type unreadableBody struct{ t *testing.T }

func (u unreadableBody) Read([]byte) (int, error) {
	u.t.Error("the body was read")
	return 0, io.EOF
}

func post(body io.Reader, secrets ...string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/webhook/telegram", body)
	for _, s := range secrets {
		r.Header.Add("X-Telegram-Bot-Api-Secret-Token", s)
	}
	return r
}

// deliver posts an update and returns the answer's status.
func deliver(h http.Handler, update string) int {
	answer := httptest.NewRecorder()
	h.ServeHTTP(answer, post(strings.NewReader(update), secret))
	return answer.Code
}

func TestWebhook_EachRequest_GetsItsStatusCode(t *testing.T) {
	toUs := message(ann, group, text("@mews_bot hi"), entity("mention", 0, 9))
	get := post(unreadableBody{t}, secret)
	get.Method = http.MethodGet
	huge := post(unreadableBody{t}, secret)
	huge.ContentLength = 1<<20 + 1
	for name, test := range map[string]struct {
		request *http.Request
		full    bool
		code    int
		kept    int
	}{
		"an update":                        {post(strings.NewReader(said(7, "hello")), secret), false, 200, 1},
		"one that cannot be kept":          {post(strings.NewReader(said(7, "hello")), secret), true, 503, 0},
		"one for which more must be known": {post(strings.NewReader(toUs), secret), false, 503, 0},
		"one of a kind to come":            {post(strings.NewReader(`{"update_id":9,"hologram":{}}`), secret), false, 200, 1},
		"no update":                        {post(strings.NewReader(`{"ok":true}`), secret), false, 200, 0},
		"no JSON":                          {post(strings.NewReader(`hello`), secret), true, 200, 0},
		"nothing":                          {post(strings.NewReader(``), secret), false, 200, 0},
		"no secret":                        {post(unreadableBody{t}), false, 401, 0},
		"an empty secret":                  {post(unreadableBody{t}, ""), false, 401, 0},
		"another secret":                   {post(unreadableBody{t}, "a-secret-of-the-webhooK"), false, 401, 0},
		"a longer secret":                  {post(unreadableBody{t}, secret+"x"), false, 401, 0},
		"the secret second":                {post(unreadableBody{t}, "x", secret), false, 401, 0},
		"another method":                   {get, false, 405, 0},
		"a body that says it is huge":      {huge, false, 413, 0},
		"a body that is huge":              {post(io.LimitReader(endlessReader{}, 2<<20), secret), false, 413, 0},
		"a body that breaks off": {post(io.MultiReader(strings.NewReader(`{"upd`), brokenReader{}), secret),
			false, 408, 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore(5)
			if test.full {
				s.refuse = func() error { return errors.New("disk is full") }
			}
			log, journal := logged()
			answer := httptest.NewRecorder()
			webhook(t, s, log).ServeHTTP(answer, test.request)
			if answer.Code != test.code || answer.Body.Len() != 0 || len(s.texts()) != test.kept {
				t.Errorf("answer %d with %q, %d kept; want %d, empty, %d kept",
					answer.Code, answer.Body, len(s.texts()), test.code, test.kept)
			}
			if again := answer.Header().Get("Retry-After"); (again == "5") != (test.code == 503) {
				t.Errorf("Retry-After is %q", again)
			}
			if closed := answer.Header().Get("Connection"); test.code == 401 && closed != "close" {
				t.Errorf("Connection is %q", closed)
			}
			if s.offset() != 5 {
				t.Errorf("the offset was moved to %d", s.offset())
			}
			if strings.Contains(journal.String(), "hello") {
				t.Errorf("the log shows a person's words: %s", journal)
			}
		})
	}
}

type endlessReader struct{}

func (endlessReader) Read(p []byte) (int, error) { return len(p), nil }

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func TestNewWebhook_WithoutSecret_IsRefused(t *testing.T) {
	w := newWire(t, nil)
	if _, err := telegram.NewWebhook(w.client(), newStore(0), telegram.WebhookOptions{}); err == nil {
		t.Error("it was made")
	}
}

// TestForgedRequests_LogIsThrottled expects one log line at once, and then at most one line a
// minute, with the number of requests.
func TestForgedRequests_LogIsThrottled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, journal := logged()
		h := webhook(t, newStore(0), log)
		for range 181 {
			h.ServeHTTP(httptest.NewRecorder(), post(unreadableBody{t}, "guess"))
			time.Sleep(time.Second)
		}
		text := journal.String()
		if n := strings.Count(text, "\n"); n != 4 || strings.Count(text, "count=60") != 3 || !strings.Contains(text, "count=1 ") {
			t.Errorf("%d lines for three minutes:\n%s", n, text)
		}
		if strings.Contains(text, "guess") || strings.Contains(text, secret) {
			t.Errorf("the log shows a secret:\n%s", text)
		}
	})
}

// TestForgedRequest_IsRefusedBeforeBody checks a wrong secret over a real connection. The answer
// comes before the body, and the connection ends.
func TestForgedRequest_IsRefusedBeforeBody(t *testing.T) {
	server := httptest.NewServer(webhook(t, newStore(0), nil))
	defer server.Close()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(30 * time.Second)); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n{")
	reader := bufio.NewReader(conn)
	resp, err := http.ReadResponse(reader, nil)
	if err != nil || resp.StatusCode != http.StatusUnauthorized || !resp.Close {
		t.Fatalf("answer %+v, %v", resp, err)
	}
	resp.Body.Close()
	if _, err := reader.ReadByte(); err == nil {
		t.Error("the connection goes on")
	}
}

// TestSlowBody_TimesOut uses the bubble's fake time and a connection in memory.
func TestSlowBody_TimesOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := net.Pipe()
		listener := &oneConnListener{conn: theirs, done: make(chan struct{})}
		server := &http.Server{Handler: webhook(t, newStore(0), nil)}
		var serving sync.WaitGroup
		serving.Go(func() { _ = server.Serve(listener) })
		began := time.Now()
		fmt.Fprintf(ours,
			"POST / HTTP/1.1\r\nHost: x\r\nX-Telegram-Bot-Api-Secret-Token: %s\r\nContent-Length: 100\r\n\r\n{", secret)
		resp, err := http.ReadResponse(bufio.NewReader(ours), nil)
		if err != nil || resp.StatusCode != http.StatusRequestTimeout {
			t.Errorf("answer %+v, %v", resp, err)
		}
		if took := time.Since(began); took != 10*time.Second {
			t.Errorf("it took %s", took)
		}
		ours.Close()
		server.Close()
		serving.Wait()
	})
}

// oneConnListener is a listener with one connection.
type oneConnListener struct {
	conn net.Conn
	once sync.Once
	done chan struct{}
}

func (l *oneConnListener) Accept() (net.Conn, error) {
	if conn := l.conn; conn != nil {
		l.conn = nil
		return conn, nil
	}
	<-l.done
	return nil, net.ErrClosed
}

func (l *oneConnListener) Close() error {
	l.once.Do(func() { close(l.done) })
	return nil
}

func (l *oneConnListener) Addr() net.Addr { return &net.UnixAddr{Name: "memory"} }

// slowStore takes longer to store than a body may take to come.
type slowStore struct{ *store }

func (s slowStore) StoreBatch(ctx context.Context, batch []supervisor.Incoming, next int64) error {
	timer := time.NewTimer(20 * time.Second)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return s.store.StoreBatch(ctx, batch, next)
	}
}

// TestWebhook_SlowStore_DelaysAnswer checks that the deadline is only for the body, not for the
// store.
func TestWebhook_SlowStore_DelaysAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := net.Pipe()
		listener := &oneConnListener{conn: theirs, done: make(chan struct{})}
		s := newStore(0)
		server := &http.Server{Handler: webhook(t, slowStore{s}, nil)}
		var serving sync.WaitGroup
		serving.Go(func() { _ = server.Serve(listener) })
		body := said(7, "hello")
		fmt.Fprintf(ours, "POST / HTTP/1.1\r\nHost: x\r\nX-Telegram-Bot-Api-Secret-Token: %s\r\nContent-Length: %d\r\n\r\n%s",
			secret, len(body), body)
		resp, err := http.ReadResponse(bufio.NewReader(ours), nil)
		if err != nil || resp.StatusCode != http.StatusOK || len(s.texts()) != 1 {
			t.Errorf("answer %+v, %v; kept %q", resp, err, s.texts())
		}
		ours.Close()
		server.Close()
		serving.Wait()
	})
}

func TestWebhook_Concurrent_StoresEachUpdate(t *testing.T) {
	s := newStore(0)
	server := httptest.NewServer(webhook(t, s, nil))
	defer server.Close()
	var posts sync.WaitGroup
	for i := range 40 {
		posts.Go(func() {
			for n := range 10 {
				r, err := http.NewRequest(http.MethodPost, server.URL, strings.NewReader(said(int64(1+i*10+n),
					fmt.Sprint(i, n))))
				if err != nil {
					t.Error(err)
					return
				}
				r.Header.Set("X-Telegram-Bot-Api-Secret-Token", secret)
				resp, err := server.Client().Do(r)
				if err != nil || resp.StatusCode != http.StatusOK {
					t.Errorf("answer %+v, %v", resp, err)
					return
				}
				_, _ = io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
			}
		})
	}
	posts.Wait()
	if n := len(s.texts()); n != 400 {
		t.Errorf("%d kept, want 400", n)
	}
}
