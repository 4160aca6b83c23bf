package web_test

import (
	"context"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/hashicorp/go-hclog"

	"mews/supervisor/feature"
	"mews/supervisor/web"
)

func TestStop_RunningRequest_IsAnswered(t *testing.T) {
	began, release := make(chan struct{}), make(chan struct{})
	r := serve(t, web.Options{}, func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength == 0 {
			return
		}
		close(began)
		<-release
		if r.Context().Err() != nil {
			t.Error("its context ended within the grace")
		}
		echo(w, r)
	})
	idle, running := r.call(), r.call()
	idle.say(post(path, ""))
	idle.answer()
	running.say(post(path, "mine"))
	<-began
	ended := make(chan struct{})
	go func() { defer close(ended); r.end() }()
	idle.hungUp() // the stopping server accepts no new connection
	if conn, err := net.Dial("tcp", r.server.Addr().String()); err == nil {
		conn.Close()
		t.Error("it still listens")
	}
	select {
	case <-ended:
		t.Error("the server ended before its request")
	default:
	}
	close(release)
	if status, _, body := running.answer(); status != 200 || body != "took mine" {
		t.Errorf("it was answered with %d, %q", status, body)
	}
	<-ended
	if got := r.log.String(); got != "" {
		t.Errorf("logged is %s", got)
	}
}

func TestStop_EndlessRequest_IsCutOff(t *testing.T) {
	began, over := make(chan struct{}), false
	r := serve(t, web.Options{Timings: web.Timeouts{Grace: short}}, func(_ http.ResponseWriter, r *http.Request) {
		close(began)
		<-r.Context().Done()
		over = true
	})
	c := r.call()
	c.say(post(path, "x"))
	<-began
	r.end()
	if !over {
		t.Error("the server ended before its request")
	}
	if answer := c.hungUp(); strings.Contains(answer, " 200 ") {
		t.Errorf("it was answered with %q", answer)
	}
	if got := r.log.String(); !strings.Contains(got, "did not end in time") {
		t.Errorf("logged is %s", got)
	}
}

func TestStop_LateRequest_IsNotServed(t *testing.T) {
	r := serve(t, web.Options{}, echo)
	r.end()
	w := &recorder{header: http.Header{}}
	// a request that the server has read just before the stop
	r.server.ServeHTTP(w, &http.Request{Method: http.MethodPost})
	if w.status != http.StatusServiceUnavailable {
		t.Errorf("it was answered with %d", w.status)
	}
}

// TestRefuse_BeforeRun_SaysCallAgain: a caller gets 503 until the service serves, on the same port.
func TestRefuse_BeforeRun_SaysCallAgain(t *testing.T) {
	server, err := web.New(web.Options{Name: "webhooks", Listen: "127.0.0.1:0", Log: hclog.NewNullLogger()})
	if err != nil {
		t.Fatal(err)
	}
	answer := func() *http.Response {
		t.Helper()
		response, err := http.Post("http://"+server.Addr().String()+path, "", strings.NewReader("mine"))
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		http.DefaultClient.CloseIdleConnections()
		return response
	}
	during := func(run func(context.Context) error, work func()) {
		t.Helper()
		ctx, cancel := context.WithCancel(t.Context())
		ran := make(chan error, 1)
		go func() { ran <- run(ctx) }()
		work()
		cancel()
		if err := <-ran; err != nil {
			t.Error(err)
		}
	}
	during(server.Refuse, func() {
		for range 3 {
			if r := answer(); r.StatusCode != http.StatusServiceUnavailable || r.Header.Get("Retry-After") != "5" {
				t.Errorf("%s, Retry-After %q", r.Status, r.Header.Get("Retry-After"))
			}
		}
	})
	server.SetRoutes([]feature.Route{{Method: http.MethodPost, Path: path, Limit: 1 << 20,
		Handler: http.HandlerFunc(echo)}})
	during(server.Run, func() {
		if r := answer(); r.StatusCode != http.StatusOK {
			t.Errorf("after the start: %s", r.Status)
		}
	})
}

// recorder is a ResponseWriter that only records the status and the headers.
type recorder struct {
	header http.Header
	status int
}

func (r *recorder) Header() http.Header         { return r.header }
func (r *recorder) Write(p []byte) (int, error) { return len(p), nil }
func (r *recorder) WriteHeader(status int)      { r.status = status }
