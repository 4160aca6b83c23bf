package web_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/supervisor/feature"
	"mews/supervisor/web"
)

func length(body string) string { return strconv.Itoa(len(body)) }

// echo responds with the body of the request.
func echo(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	fmt.Fprintf(w, "took %s", body)
}

func TestPost_ToRoute_KeepsConnection(t *testing.T) {
	c := serve(t, web.Options{}, echo).call()
	for _, body := range []string{"one", "two"} {
		c.say(post(path, body))
		if status, header, got := c.answer(); status != 200 || got != "took "+body || header.Get("Server") != "" {
			t.Errorf("%d, %v, %q", status, header, got)
		}
	}
}

func TestUnknownRequest_IsEmpty404(t *testing.T) {
	r := serve(t, web.Options{}, func(http.ResponseWriter, *http.Request) { t.Error("the handler was called") })
	for _, line := range []string{
		"GET /webhook/telegram", "HEAD /webhook/telegram", "PUT /webhook/telegram", "OPTIONS /webhook/telegram", "OPTIONS *",
		"post /webhook/telegram", "POST /", "POST /webhook", "POST /webhook/", "POST /webhook/telegram/", "POST //webhook/telegram",
		"POST /Webhook/telegram", "POST /webhook%2Ftelegram", "POST /webhook/../webhook/telegram", "POST /webhook/telegram%20",
		"POST /healthz", "GET /", "GET /.git/config", "PATCH /webhook/telegram", "DELETE /webhook/telegram",
	} {
		c := r.call()
		c.say(line + " HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n")
		answer := c.hungUp()
		head, body, _ := strings.Cut(answer, "\r\n\r\n")
		if !strings.HasPrefix(head, "HTTP/1.1 404 ") || body != "" || strings.Contains(head, "Location") {
			t.Errorf("%s is answered with %q", line, answer)
		}
	}
	if got := r.log.String(); got != "" {
		t.Errorf("who looks around fills the log: %s", got)
	}
}

func TestRoute_OtherMethod_IsNotServed(t *testing.T) {
	answers := func(says string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			_, err := io.ReadAll(r.Body)
			if large := errors.As(err, new(*http.MaxBytesError)); large {
				fmt.Fprint(w, "too large")
				return
			}
			fmt.Fprint(w, says)
		}
	}
	server, err := web.New(web.Options{Listen: "127.0.0.1:0", Log: hclog.NewNullLogger(), Routes: []feature.Route{
		{Method: http.MethodGet, Path: "/healthz", Handler: answers("well")},
		{Method: http.MethodPost, Path: "/a", Limit: 3, Handler: answers("three")},
		{Method: http.MethodPost, Path: "/b", Limit: 2, Handler: answers("two")},
	}})
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{"GET /healthz ": "well", "POST /healthz ": "", "POST /a xyz": "three", "GET /a ": "",
		"POST /b xyz": "too large", "POST /b xy": "two"} {
		method, rest, _ := strings.Cut(line, " ")
		target, body, _ := strings.Cut(rest, " ")
		w := httptest.NewRecorder()
		server.ServeHTTP(w, httptest.NewRequest(method, target, strings.NewReader(body)))
		if got := w.Body.String(); got != want || (w.Code == http.StatusNotFound) != (want == "") {
			t.Errorf("%q is answered with %d, %q", line, w.Code, got)
		}
	}
}

// FuzzRequest checks that only the exact path of a route reaches its handler, whatever the method.
func FuzzRequest(f *testing.F) {
	for _, target := range []string{
		path, path + "?x=1", "/", "*", path + "#", "/webhook%2ftelegram", "http://h" + path, "/webhook/./telegram",
	} {
		f.Add("POST", target)
		f.Add("GET", target)
	}
	called := false
	server, err := web.New(web.Options{Listen: "127.0.0.1:0", Log: hclog.NewNullLogger(), Routes: []feature.Route{{
		Method: http.MethodPost, Path: path, Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { called = true }),
	}}})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, method, target string) {
		r, err := http.NewRequest(method, target, nil)
		if err != nil {
			return
		}
		called = false
		w := httptest.NewRecorder()
		server.ServeHTTP(w, r)
		if want := method == "POST" && r.URL.EscapedPath() == path; called != want {
			t.Errorf("%q %q: called %v", method, target, called)
		}
		if !called && (w.Code != http.StatusNotFound || w.Body.Len() > 0) {
			t.Errorf("%q %q: %d, %q", method, target, w.Code, w.Body)
		}
	})
}

func TestNew_PortUnavailable_SaysWhatToDo(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for address, want := range map[string]string{
		taken.Addr().String(): "listen for webhooks: listen tcp " + taken.Addr().String() + ": bind: address already in use; " +
			"end the program that has this port, or write another one into webhooks.listen",
		// this address is reserved for documentation (RFC 5737)
		"192.0.2.1:8322": "write one of its own into webhooks.listen",
	} {
		_, err := web.New(web.Options{Name: "webhooks", Key: "webhooks.listen", Listen: address,
			Log: hclog.NewNullLogger()})
		if err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", address, err, want)
		}
	}
}

func TestHandler_ReadDeadline_CanBeSet(t *testing.T) {
	r := serve(t, web.Options{}, func(w http.ResponseWriter, r *http.Request) {
		if err := http.NewResponseController(w).SetReadDeadline(time.Unix(1, 0)); err != nil {
			t.Errorf("the handler cannot reach its connection: %v", err)
		}
		echo(w, r)
	})
	c := r.call()
	c.say("POST " + path + " HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\n")
	if status, _, _ := c.answer(); status != http.StatusBadRequest {
		t.Errorf("a body that came too late is answered with %d", status)
	}
}
