package webtools

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"maps"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"mews/supervisor/problem"
)

// gzipOf returns n zeros, packed.
func gzipOf(n int) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write(make([]byte, n)) // a buffer takes everything
	_ = w.Close()
	return b.Bytes()
}

// drip writes a text again and again, with a pause before each, until the client goes away.
func drip(head, text string, pause time.Duration) func(net.Conn) {
	return func(c net.Conn) {
		defer c.Close()
		_, err := c.Write([]byte(head))
		for end := time.Now().Add(2 * time.Minute); err == nil && time.Now().Before(end); time.Sleep(pause) {
			_, err = c.Write([]byte(text))
		}
	}
}

// afterRequest reads a request before serve answers it.
func afterRequest(serve func(net.Conn)) func(net.Conn) {
	return func(c net.Conn) {
		if _, err := http.ReadRequest(bufio.NewReader(c)); err != nil {
			_ = c.Close() // the client has gone
			return
		}
		serve(c)
	}
}

const ok = "HTTP/1.1 200 OK\r\n"

// hostileServers are servers that harm naive clients. The slow ones take the client's whole time.
func hostileServers() (quick, slow map[string]func(net.Conn)) {
	say := func(text string) func(net.Conn) {
		return func(c net.Conn) {
			defer c.Close()
			_, _ = c.Write([]byte(text))
		}
	}
	packed := func(body []byte) func(net.Conn) {
		return say(fmt.Sprintf("%sContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%s", ok, len(body), body))
	}
	redirect := func(to string) func(net.Conn) {
		return say("HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: " + to + "\r\n\r\n")
	}
	quick = map[string]func(net.Conn){
		"gzip bomb": packed(gzipOf(64 << 20)), "nested gzip": packed(gzipOf(8 << 20)),
		"broken gzip": packed([]byte("\x1f\x8bx")),
		"half gzip":   packed(gzipOf(1 << 20)[:100]), "no gzip": packed([]byte("plain")),
		"loop": redirect("/again"), "loop by query": redirect("?a"), "to loopback": redirect("http://127.0.0.1/"),
		"to metadata": redirect("http://169.254.169.254/latest/"), "to a file": redirect("file:///etc/passwd"),
		"to user info": redirect("http://a@example.org/"), "to port 25": redirect("http://example.org:25/"),
		"to nowhere": redirect("http://nowhere.example/"), "to a script": redirect("javascript:alert(1)"),
		"long location":  redirect("/" + strings.Repeat("a", 20<<10)),
		"large headers":  say(ok + strings.Repeat("A: b\r\n", 20<<10) + "\r\n"),
		"a long header":  say(ok + "A: " + strings.Repeat("b", 1<<20) + "\r\n\r\n"),
		"no HTTP":        say("SSH-2.0-OpenSSH_9.2\r\n"),
		"nothing":        say(""),
		"half a header":  say(ok + "Content-Le"),
		"short body":     say(ok + "Content-Length: 1000\r\n\r\nabc"),
		"negative":       say(ok + "Content-Length: -1\r\n\r\nabc"),
		"two lengths":    say(ok + "Content-Length: 1\r\nContent-Length: 2\r\n\r\nabc"),
		"huge length":    say(ok + "Content-Length: 99999999999999\r\n\r\nabc"),
		"broken chunks":  say(ok + "Transfer-Encoding: chunked\r\n\r\nzz\r\nabc"),
		"huge chunk":     say(ok + "Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\nabc"),
		"upgrade":        say("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n"),
		"odd status":     say("HTTP/1.1 999 Whatever\r\nContent-Length: 0\r\n\r\n"),
		"odd type":       say(ok + "Content-Type: text/\x01html; charset=\"\r\nContent-Length: 1\r\n\r\na"),
		"endless, fast":  drip(ok+"\r\n", strings.Repeat("a", 64<<10), 0),
		"many continues": say(strings.Repeat("HTTP/1.1 100 Continue\r\n\r\n", 100) + ok + "Content-Length: 1\r\n\r\na"),
	}
	slow = map[string]func(net.Conn){
		"silent":          drip("", "", time.Second),
		"a byte a second": drip(ok+"Content-Length: 100000\r\n\r\n", "a", time.Second),
		"slow headers":    drip(ok, "A: b\r\n", time.Second),
		"slow chunks":     drip(ok+"Transfer-Encoding: chunked\r\n\r\n", "1\r\na\r\n", 500*time.Millisecond),
		"just too slow":   drip(ok+"\r\n", strings.Repeat("a", 500), 600*time.Millisecond),
		"fast, then slow": drip(ok+"\r\n"+strings.Repeat("a", 64<<10), "a", time.Second),
		"slow status":     drip("H", "T", time.Second),
		"endless, slow":   drip(ok+"\r\n", strings.Repeat("a", 2<<10), time.Second),
	}
	return quick, slow
}

// TestFetch_HostileServers_EndInTime: each server is done with in time. Its fetch ends with a page
// or with an error for people that has no path. MEWS_HOSTILE_SERVERS=1 adds the slow servers.
func TestFetch_HostileServers_EndInTime(t *testing.T) {
	servers, slow := hostileServers()
	if os.Getenv("MEWS_HOSTILE_SERVERS") != "" {
		for name, serve := range slow {
			servers[name] = serve
		}
	}
	r := newFetchRig(t)
	names := slices.Sorted(maps.Keys(servers))
	for chunk := range slices.Chunk(names, 25) { // one turn may fetch 30 addresses
		r.say("hello")
		var fetches sync.WaitGroup
		for _, name := range chunk {
			host := fmt.Sprintf("n%d.example", slices.Index(names, name))
			r.web.ServeConn(host, afterRequest(servers[name]))
			turn := r.featureTurn()
			turn.User = host // a user fetches only 4 addresses at once
			fetches.Go(func() {
				answer, err := r.fetcher.fetch(t.Context(), turn, parse(t, "http://"+host+"/secret-path"))
				if err != nil && (problem.UserText(err) == "" || strings.Contains(err.Error(), "secret-path") ||
					strings.Contains(err.Error(), "127.0.0.1")) {
					t.Errorf("%s: the error is %v", name, err)
				}
				if answer.Result.Body.Size > 20<<20 {
					t.Errorf("%s: %d bytes", name, answer.Result.Body.Size)
				}
				t.Logf("%s: %d bytes, %v", name, answer.Result.Body.Size, err)
			})
		}
		fetches.Wait()
	}
}
