package telegram

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/PaulSonOfLars/gotgbot/v2"

	"mews/supervisor"
)

// take reads one whole request.
func take(conn net.Conn) {
	if r, err := http.ReadRequest(bufio.NewReader(conn)); err == nil {
		_, _ = io.Copy(io.Discard, r.Body)
	}
}

// hear reads from a connection until the other side closes it.
func hear(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) }

// reset makes the end of a connection a TCP reset.
func reset(conn net.Conn) { _ = conn.(*net.TCPConn).SetLinger(0) }

// after starts a server that reads a request. Instead of answering, the server passes the
// connection to does.
func after(t testing.TB, does func(net.Conn)) string {
	return listen(t, func(conn net.Conn) { take(conn); does(conn) })
}

func utters(text string) func(net.Conn) {
	return func(conn net.Conn) { _, _ = io.WriteString(conn, text) }
}

// nobody returns an address without a listener.
func nobody(t testing.TB) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	return "http://" + l.Addr().String()
}

func secure(url string) string { return strings.Replace(url, "http://", "https://", 1) }

// TestSend_NoAnswer_ResultIsUnsentOrUnknown covers each failure without a complete answer. No text
// may show the token.
func TestSend_NoAnswer_ResultIsUnsentOrUnknown(t *testing.T) {
	ok := "HTTP/1.1 200 OK\r\nContent-Length: "
	for name, test := range map[string]struct {
		url  func(t testing.TB) string
		want outcome
	}{
		"no such name":             {func(testing.TB) string { return "http://no-such-host.invalid" }, unsent},
		"nobody listens":           {nobody, unsent},
		"TLS to who has none":      {func(t testing.TB) string { return secure(answers(t, 200, canaryToken)) }, unsent},
		"TLS cut off":              {func(t testing.TB) string { return secure(listen(t, reset)) }, unsent},
		"TLS never answered":       {func(t testing.TB) string { return secure(listen(t, hear)) }, unsent},
		"a stranger's certificate": {stranger, unsent},
		"closed once written":      {func(t testing.TB) string { return after(t, func(net.Conn) {}) }, unknown},
		"reset once written":       {func(t testing.TB) string { return after(t, reset) }, unknown},
		"never answered":           {func(t testing.TB) string { return after(t, hear) }, unknown},
		"no HTTP": {func(t testing.TB) string {
			return after(t, utters("220 mail.example.org ESMTP "+canaryToken+"\r\n"))
		}, unknown},
		"a head of nonsense": {func(t testing.TB) string { return after(t, utters("HTTP/1.1 200 OK\r\n"+canaryToken+"\r\n\r\n")) }, unknown},
		"half a head":        {func(t testing.TB) string { return after(t, utters("HTTP/1.1 200 OK\r\nX-")) }, unknown},
		"a head without end": {func(t testing.TB) string {
			return after(t, utters("HTTP/1.1 200 OK\r\n"+strings.Repeat("X-A: "+canaryToken+"\r\n", 300_000)))
		}, unknown},
		"half a body": {func(t testing.TB) string { return after(t, utters(ok+"900\r\n\r\n{\"ok\":true")) }, unknown},
		"half a body, slow": {func(t testing.TB) string {
			return after(t, func(c net.Conn) { utters(ok + "900\r\n\r\n{")(c); hear(c) })
		}, unknown},
		"a broken chunk": {func(t testing.TB) string {
			return after(t, utters("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"+canaryToken+"\r\n"))
		}, unknown},
		"another protocol": {func(t testing.TB) string {
			return after(t, func(c net.Conn) {
				utters("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: tea\r\n\r\n")(c)
				hear(c)
			})
		}, unknown},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := open(t, test.url(t))
			_, err := c.do(t.Context(), apiCall{method: "sendMessage", chat: "5", params: &sendParams{Chat: 5, Text: canaryWords}, timeout: time.Second})
			if e := failureOf(t, err); outcomeOf(e) != test.want {
				t.Errorf("got %+v, want %+v: %v", outcomeOf(e), test.want, e)
			}
		})
	}
}

func stranger(t testing.TB) string {
	s := httptest.NewUnstartedServer(http.NotFoundHandler())
	s.Config.ErrorLog = log.New(io.Discard, "", 0) // hides the error log of the failing handshake
	s.StartTLS()
	t.Cleanup(s.Close)
	return s.URL
}

// TestSend_PartlyWritten_IsUnsent covers a request in the buffers of a server that does not read.
func TestSend_PartlyWritten_IsUnsent(t *testing.T) {
	c := open(t, listen(t, func(net.Conn) { <-t.Context().Done() }))
	huge := &sendParams{Chat: 5, Text: strings.Repeat(canaryWords, 2<<20)}
	_, err := c.do(t.Context(), apiCall{method: "sendMessage", chat: "5", params: huge, timeout: 300 * time.Millisecond})
	if e := failureOf(t, err); outcomeOf(e) != unsent || !errors.Is(e, context.DeadlineExceeded) {
		t.Errorf("got %+v: %v", outcomeOf(e), e)
	}
}

func TestSend_ContextEnd_ErrorSaysIfSent(t *testing.T) {
	t.Run("before", func(t *testing.T) {
		c := open(t, answers(t, 200, "{}"))
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := c.Send(ctx, supervisor.PostAddress{Chat: "5"}, supervisor.RichText{Text: canaryWords})
		if e := failureOf(t, err); outcomeOf(e) != unsent || !errors.Is(e, context.Canceled) {
			t.Errorf("got %+v: %v", outcomeOf(e), e)
		}
	})
	t.Run("after", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		c := open(t, after(t, func(conn net.Conn) { cancel(); hear(conn) }))
		_, err := c.Send(ctx, supervisor.PostAddress{Chat: "5"}, supervisor.RichText{Text: canaryWords})
		if e := failureOf(t, err); outcomeOf(e) != unknown || !errors.Is(e, context.Canceled) {
			t.Errorf("got %+v: %v", outcomeOf(e), e)
		}
	})
}

func TestSend_Redirect_IsNotFollowed(t *testing.T) {
	elsewhere := serve(t, func(_ http.ResponseWriter, r *http.Request) { t.Errorf("%s was asked for", r.URL) })
	c := open(t, serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, elsewhere+r.URL.Path, http.StatusTemporaryRedirect)
	}))
	if e := sendTo(t, c); outcomeOf(e) != unsent {
		t.Errorf("got %+v: %v", outcomeOf(e), e)
	}
}

// TestPoll_DoesNotDelaySends also checks that successive messages share one connection.
func TestPoll_DoesNotDelaySends(t *testing.T) {
	var mu sync.Mutex
	from := map[string][]string{}
	polled, finish := make(chan struct{}, 1), make(chan struct{})
	c := open(t, serve(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		method := r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]
		mu.Lock()
		from[method] = append(from[method], r.RemoteAddr)
		mu.Unlock()
		if method == pollMethod {
			polled <- struct{}{}
			<-finish
		}
		_, _ = io.WriteString(w, `{"ok":true,"result":{"message_id":7}}`)
	}))
	var polls sync.WaitGroup
	polls.Go(func() {
		if _, err := c.do(t.Context(), apiCall{method: pollMethod}); err != nil {
			t.Error(err)
		}
	})
	<-polled
	for range 3 {
		if _, err := c.Send(t.Context(), supervisor.PostAddress{Chat: "5"},
			supervisor.RichText{Text: canaryWords}); err != nil {
			t.Error(err)
		}
	}
	close(finish)
	polls.Wait()
	if sends := from["sendMessage"]; len(slices.Compact(sends)) != 1 || slices.Contains(sends, from[pollMethod][0]) {
		t.Errorf("connections: %v", from)
	}
}

// TestTLS_UsesHTTP1AndClassicCurves checks that a connection has one call at a time, and that every
// backend accepts the ClientHello.
func TestTLS_UsesHTTP1AndClassicCurves(t *testing.T) {
	var mu sync.Mutex
	var curves []tls.CurveID
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Proto != "HTTP/1.1" {
			t.Errorf("spoke %s", r.Proto)
		}
		_, _ = io.WriteString(w, `{"ok":true,"result":{"message_id":7}}`)
	}))
	s.EnableHTTP2 = true
	s.TLS = &tls.Config{GetConfigForClient: func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
		mu.Lock()
		defer mu.Unlock()
		curves = append(curves, hello.SupportedCurves...)
		return nil, nil
	}}
	s.StartTLS()
	t.Cleanup(s.Close)
	c := open(t, s.URL)
	known := x509.NewCertPool()
	known.AddCert(s.Certificate())
	c.sends.(*http.Transport).TLSClientConfig.RootCAs = known
	if name, err := c.Send(t.Context(), supervisor.PostAddress{Chat: "5"},
		supervisor.RichText{Text: "hi"}); err != nil || name != "7" {
		t.Fatalf("got %q, %v", name, err)
	}
	mu.Lock()
	defer mu.Unlock()
	if want := []tls.CurveID{tls.X25519, tls.CurveP256, tls.CurveP384}; !slices.Equal(curves, want) {
		t.Errorf("offered %v, want %v", curves, want)
	}
}

func TestIdleConnections_CloseEarly(t *testing.T) {
	c := open(t, "")
	for _, own := range []*http.Transport{c.polls.(*http.Transport), c.sends.(*http.Transport)} {
		if own.IdleConnTimeout != idleTimeout || idleTimeout >= 30*time.Second || own.Proxy == nil {
			t.Errorf("idle connections are kept for %v", own.IdleConnTimeout)
		}
	}
	if c.polls == c.sends {
		t.Error("polls and sends share connections")
	}
}

// TestPoll_LargeAnswer_IsRead covers a batch of a hundred updates, which is longer than any other
// answer may be.
func TestPoll_LargeAnswer_IsRead(t *testing.T) {
	c := open(t, answers(t, 200, `{"ok":true,"result":["`+strings.Repeat("a", 2*maxAnswer)+`"]}`))
	if _, err := c.do(t.Context(), apiCall{method: pollMethod, params: map[string]any{"offset": 1}}); err != nil {
		t.Error(err)
	}
	if _, err := c.do(t.Context(), apiCall{method: "getChat"}); err == nil || !strings.Contains(err.Error(), "more than 1048576 bytes") {
		t.Errorf("got %v", err)
	}
}

func TestLibraryCall_Failure_ReturnsOurError(t *testing.T) {
	c := open(t, answers(t, 401, no(401, "Unauthorized")))
	_, err := c.bot.SendMessageWithContext(t.Context(), 5, canaryWords, nil)
	if e := failureOf(t, err); outcomeOf(e) != unsent || e.Error() != "sendMessage to 5: 401: Unauthorized" {
		t.Errorf("got %+v: %v", outcomeOf(e), e)
	}
	_, err = c.bot.SendDocumentWithContext(t.Context(), 5, gotgbot.InputFileByReader("a.txt", strings.NewReader("a")), nil)
	if e := failureOf(t, err); !strings.Contains(e.Error(), "files are not sent") {
		t.Errorf("got %v", e)
	}
	if url := c.bot.FileURL(canaryToken, "a/b", nil); url != "" {
		t.Errorf("a file's URL was made: %s", url)
	}
}
