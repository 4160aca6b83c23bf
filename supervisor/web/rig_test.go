package web_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/hashicorp/go-hclog"
	"go.uber.org/goleak"

	"mews/supervisor/feature"
	"mews/supervisor/web"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const path = "/webhook/telegram"

// logBuffer is an io.Writer that collects the log.
type logBuffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// rig is a server on a real socket.
type rig struct {
	*testing.T
	server *web.Server
	log    *logBuffer
	end    func() // stops the server, and waits until it has ended
}

// serve runs a server with one route. The server ends with the test.
func serve(t *testing.T, o web.Options, handler http.HandlerFunc) *rig {
	t.Helper()
	r := &rig{T: t, log: &logBuffer{}}
	o.Name, o.Key, o.Listen, o.Routes = "webhooks", "webhooks.listen", "127.0.0.1:0", []feature.Route{{Method: http.MethodPost, Path: path, Limit: 1 << 20, Handler: handler}}
	o.Log = hclog.New(&hclog.LoggerOptions{Output: r.log, Level: hclog.Info})
	var err error
	if r.server, err = web.New(o); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ran := make(chan error, 1)
	go func() { ran <- r.server.Run(ctx) }()
	r.end = sync.OnceFunc(func() {
		cancel()
		if err := <-ran; err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(r.end)
	return r
}

// caller is a client's connection to the server.
type caller struct {
	*rig
	net.Conn
	in *bufio.Reader
}

func (r *rig) call() *caller {
	r.Helper()
	conn, err := net.Dial("tcp", r.server.Addr().String())
	if err != nil {
		r.Fatal(err)
	}
	r.Cleanup(func() { conn.Close() })
	return &caller{r, conn, bufio.NewReader(conn)}
}

// say sends text as it is. It is no error if the server has already closed the connection.
func (c *caller) say(text string) {
	_, _ = io.WriteString(c.Conn, text)
}

// answer reads the whole response to a POST.
func (c *caller) answer() (status int, header http.Header, body string) {
	c.Helper()
	res, err := http.ReadResponse(c.in, &http.Request{Method: http.MethodPost})
	if err != nil {
		c.Fatalf("read the answer: %v", err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		c.Fatalf("read the answer's body: %v", err)
	}
	return res.StatusCode, res.Header, string(text)
}

// hungUp waits until the server has closed the connection, and returns the rest of the response.
func (c *caller) hungUp() string {
	text, _ := io.ReadAll(c.in) // EOF and a reset both mean a closed connection
	return string(text)
}

func post(path, body string) string {
	return "POST " + path + " HTTP/1.1\r\nHost: bot.example.org\r\nContent-Length: " + length(body) + "\r\n\r\n" + body
}
