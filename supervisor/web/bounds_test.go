package web_test

import (
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mews/supervisor/web"
)

// short is the timeout for callers in these tests.
const short = 30 * time.Millisecond

func TestSlowCaller_IsCutOff(t *testing.T) {
	for name, c := range map[string]struct {
		timings web.Timeouts
		says    string
	}{
		"one who says nothing":              {web.Timeouts{Header: short}, ""},
		"one who never ends a header":       {web.Timeouts{Header: short}, "POST " + path + " HTTP/1.1\r\nX-"},
		"one whose body does not come":      {web.Timeouts{Read: short}, strings.TrimSuffix(post(path, "body"), "dy")},
		"one who keeps its connection idle": {web.Timeouts{Idle: short}, post(path, "all")},
	} {
		t.Run(name, func(t *testing.T) {
			caller := serve(t, web.Options{Timings: c.timings}, echo).call()
			caller.say(c.says)
			if answer := caller.hungUp(); strings.Contains(answer, " 200 ") != strings.Contains(c.says, "all") {
				t.Errorf("it was answered with %q", answer)
			}
		})
	}
}

// TestSlowLoris_IsCutOff checks that a caller gains no time by sending a little at a time. This
// attack is known as slow loris.
func TestSlowLoris_IsCutOff(t *testing.T) {
	c := serve(t, web.Options{Timings: web.Timeouts{Header: short}}, echo).call()
	var feeding sync.WaitGroup
	defer feeding.Wait()
	feeding.Go(func() {
		c.say("POST " + path + " HTTP/1.1\r\n")
		for tick := time.NewTicker(time.Millisecond); ; <-tick.C {
			if _, err := fmt.Fprint(c.Conn, "X: y\r\n"); err != nil {
				tick.Stop()
				return
			}
		}
	})
	if answer := c.hungUp(); strings.Contains(answer, " 200 ") {
		t.Errorf("it was answered with %q", answer)
	}
	c.Close()
}

func TestHeaders_TooLarge_AreRefused(t *testing.T) {
	r := serve(t, web.Options{}, echo)
	c := r.call()
	c.say("POST " + path + " HTTP/1.1\r\nHost: h\r\nX: " + strings.Repeat("x", 16<<10+4<<10) + "\r\nContent-Length: 0\r\n\r\n")
	if answer := c.hungUp(); !strings.HasPrefix(answer, "HTTP/1.1 431 ") {
		t.Errorf("they are answered with %q", answer)
	}
	c = r.call()
	c.say("POST " + path + " HTTP/1.1\r\nHost: h\r\nX: " + strings.Repeat("x", 15<<10) + "\r\nContent-Length: 0\r\n\r\n")
	if status, _, _ := c.answer(); status != http.StatusOK {
		t.Errorf("headers that are large are answered with %d", status)
	}
}

func TestConnections_OverLimit_Wait(t *testing.T) {
	const most, callers = 3, 12
	var inside, highest atomic.Int32
	full, release := make(chan struct{}, callers), make(chan struct{})
	r := serve(t, web.Options{Connections: most, Timings: web.Timeouts{Header: time.Hour, Patience: time.Hour}},
		func(w http.ResponseWriter, _ *http.Request) {
			n := inside.Add(1)
			for seen := highest.Load(); n > seen && !highest.CompareAndSwap(seen, n); seen = highest.Load() {
			}
			full <- struct{}{}
			<-release
			inside.Add(-1)
			w.Header().Set("Connection", "close")
		})
	var all sync.WaitGroup
	for range callers {
		c := r.call()
		all.Go(func() {
			c.say(post(path, "x"))
			if answer := c.hungUp(); !strings.HasPrefix(answer, "HTTP/1.1 200 ") {
				t.Errorf("one was answered with %q", answer)
			}
		})
	}
	for range most {
		<-full
	}
	close(release)
	all.Wait()
	if highest.Load() != most {
		t.Errorf("%d were served at once, want %d", highest.Load(), most)
	}
}

func TestStop_ServerFull_ServerEnds(t *testing.T) {
	r := serve(t, web.Options{Connections: 1, Timings: web.Timeouts{Grace: short}}, echo)
	c := r.call()
	c.say(post(path, "x"))
	c.answer()
	waiting := r.call() // the server never accepts this connection
	r.end()
	if got := waiting.hungUp(); got != "" {
		t.Errorf("it was answered with %q", got)
	}
	if conn, err := net.Dial("tcp", r.server.Addr().String()); err == nil {
		conn.Close()
		t.Error("it still listens")
	}
}

// TestConnections_WithoutHeaders_AreReplaced lets many callers hold connections open. Now and then
// they send a byte. A genuine call must be answered soon, and a request that is being answered must
// keep its slot.
func TestConnections_WithoutHeaders_AreReplaced(t *testing.T) {
	const most = 4
	inside, release := make(chan struct{}), make(chan struct{})
	r := serve(t, web.Options{Connections: most, Timings: web.Timeouts{Header: time.Hour, Idle: time.Hour,
		Patience: short}},
		func(w http.ResponseWriter, r *http.Request) {
			if r.ContentLength == int64(len("slow")) {
				close(inside)
				<-release
			}
			echo(w, r)
		})
	working := r.call()
	working.say(post(path, "slow"))
	<-inside
	var silent []*caller
	for range 3 * most {
		c := r.call()
		c.say("POST " + path + " HTTP/1.1\r\nX-")
		silent = append(silent, c)
	}
	for range 2 * most {
		c := r.call()
		c.say(post(path, "genuine"))
		if status, _, body := c.answer(); status != http.StatusOK || body != "took genuine" {
			t.Fatalf("a genuine call was answered with %d, %q", status, body)
		}
	}
	for _, c := range silent {
		c.hungUp()
	}
	close(release)
	if status, _, body := working.answer(); status != http.StatusOK || body != "took slow" {
		t.Errorf("the call that was being answered ended with %d, %q", status, body)
	}
}
