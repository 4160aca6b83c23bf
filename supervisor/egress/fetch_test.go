package egress_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"

	"mews/supervisor"
	"mews/supervisor/egress"
	"mews/supervisor/egress/egresstest"
)

// get fetches an address, and returns the answer with its whole body.
func get(t testing.TB, client *egress.Client, text string) (*egress.Response, string, error) {
	t.Helper()
	return fetch(t, client, nil, egress.Request{Address: mustParse(t, text)})
}

// fetch makes a request with an upstream, or without one if u is nil.
func fetch(t testing.TB, client *egress.Client, u *egress.Upstream,
	r egress.Request) (*egress.Response, string, error) {
	t.Helper()
	ctx := t.Context()
	if u != nil {
		ctx = egress.WithUpstream(ctx, u)
	}
	resp, err := client.Fetch(ctx, r)
	if err != nil {
		return nil, "", err
	}
	body, err := io.ReadAll(resp.Body)
	if err := resp.Body.Close(); err != nil {
		t.Error(err)
	}
	return resp, string(body), err
}

// checkKind checks the kind of an error, and that it has a text that names the target.
func checkKind(t testing.TB, err error, want egress.Kind, target string) {
	t.Helper()
	var f *egress.Failure
	var e *supervisor.Error
	if !errors.As(err, &f) || !errors.As(err, &e) || f.Kind != want || f.Target != target ||
		!strings.Contains(e.Message, target) || strings.Contains(e.Message, "{") {
		t.Errorf("got error %v (%#v), want %s of %s", err, f, want, target)
	}
}

func TestFetch_Request_HasOnlyKnownHeaders(t *testing.T) {
	internet := egresstest.New(t)
	internet.Serve("example.org", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Set-Cookie", "a=b")
		w.WriteHeader(http.StatusTeapot)
		fmt.Fprint(w, r.Method, " ", r.Host, " ", r.RequestURI, " ", sortedHeaders(r.Header))
	})
	client := egress.New(internet.Options())
	for range 2 { // no cookie comes back
		a := mustParse(t, "http://example.org./ü?q=%zz#part")
		resp, body, err := fetch(t, client, nil, egress.Request{Address: a,
			Accept: "text/html", Header: http.Header{"cookie": {"c=d"}, "If-None-Match": {`"e"`}}})
		want := `GET example.org /%C3%BC?q=%25zz [Accept-Encoding: gzip, Accept: text/html, Connection: close, ` +
			`If-None-Match: "e", User-Agent: Mews]`
		if err != nil || resp.Status != http.StatusTeapot || body != want || resp.Header.Get("Set-Cookie") != "" ||
			resp.Address.Reveal() != "http://example.org/%C3%BC?q=%25zz" {
			t.Errorf("got %v %s and error %v\nwant %s", resp, body, err, want)
		}
	}
}

func sortedHeaders(h http.Header) string {
	var lines []string
	for name, values := range h {
		lines = append(lines, name+": "+strings.Join(values, "|"))
	}
	slices.Sort(lines)
	return "[" + strings.Join(lines, ", ") + "]"
}

func TestFetch_ProxyVariables_AreIgnored(t *testing.T) {
	rig := newGuardRig(t, nil)
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY"} {
		t.Setenv(name, "http://127.0.0.1:"+rig.port)
	}
	internet := egresstest.New(t)
	internet.Serve("example.org", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "direct") })
	client := egress.New(internet.Options())
	for _, text := range []string{"http://example.org/", "https://example.org/"} {
		if _, body, err := get(t, client, text); body != "direct" || err != nil {
			t.Errorf("%s: got %q and error %v", text, body, err)
		}
	}
	if rig.accepted.Load() > 0 {
		t.Error("the proxy has a connection")
	}
}

func TestFetch_Headers_AreDroppedAtOtherOrigin(t *testing.T) {
	internet := egresstest.New(t)
	seen := map[string]string{}
	answer := func(w http.ResponseWriter, r *http.Request) {
		at := "http://" + r.Host
		if r.TLS != nil {
			at = "https://" + r.Host
		}
		seen[at+r.URL.Path] = r.Header.Get("X-Key") + " " + r.Header.Get("Authorization") + " " +
			r.Header.Get("Referer") + " " + r.Header.Get("Accept")
		if to := r.URL.Query().Get("to"); to != "" {
			http.Redirect(w, r, to, http.StatusTemporaryRedirect)
		}
	}
	internet.Serve("a.example", answer)
	internet.Serve("b.example", answer, "93.184.216.35")
	client := egress.New(internet.Options())
	for start, wantPath := range map[string]string{
		"https://a.example/1?to=/2":                                                     "https://a.example/2",
		"https://a.example/3?to=https://b.example/4":                                    "",
		"http://a.example/5?to=https://a.example/6":                                     "",
		"https://a.example/7?to=https://a.example:80/8":                                 "",
		"https://a.example/9?to=https%3a//b.example/10%3fto=https:%2f%2fa.example%2f11": "",
	} {
		clear(seen)
		_, _, err := fetch(t, client, nil, egress.Request{Address: mustParse(t, start), Accept: "text/plain",
			User: start, Header: http.Header{"X-Key": {"key"}, "Authorization": {"Bearer key"}}})
		if strings.Contains(start, ":80/") {
			checkKind(t, err, egress.KindAnswer, "a.example") // port 80 has no TLS here
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", start, err)
		}
		first, _, _ := strings.Cut(start, "?")
		for at, got := range seen {
			want := "   text/plain"
			if at == first || at == wantPath {
				want = "key Bearer key  text/plain"
			}
			if got != want {
				t.Errorf("%s: %s got %q, want %q", start, at, got, want)
			}
		}
		if len(seen) < 2 {
			t.Errorf("%s: seen %q", start, seen)
		}
	}
}

func TestFetch_BrokenServers_AreExplained(t *testing.T) {
	raw := func(answer string) func(net.Conn) {
		return func(conn net.Conn) {
			defer conn.Close() // the client may be gone
			_, _ = http.ReadRequest(bufio.NewReader(conn))
			_, _ = io.WriteString(conn, answer)
		}
	}
	internet := egresstest.New(t)
	internet.ServeConn("silent.example", raw(""))
	internet.ServeConn("garbage.example", raw("SSH-2.0-OpenSSH\r\n\r\n"))
	internet.ServeConn("switch.example",
		raw("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\nx"))
	internet.ServeConn("cut.example", raw("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\ncut"))
	internet.ServeConn("headers.example", raw("HTTP/1.1 200 OK\r\n"+strings.Repeat("A: "+
		strings.Repeat("b", 997)+"\r\n", 66)+"\r\n"))
	internet.ServeConn("long.example", raw("HTTP/1.1 200 OK\r\nA: "+strings.Repeat("b", 65<<10)+"\r\n\r\n"))
	internet.ServeConn("nearly.example", raw("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n"+strings.Repeat("A: "+
		strings.Repeat("b", 995)+"\r\n", 65)+"\r\nok"))
	client := egress.New(internet.Options())
	for name, want := range map[string]egress.Kind{"unknown.example": egress.KindUnreachable,
		"silent.example": egress.KindAnswer, "garbage.example": egress.KindAnswer, "switch.example": egress.KindAnswer,
		"cut.example":     egress.KindUnreachable,
		"headers.example": egress.KindAnswer, "long.example": egress.KindAnswer} {
		_, _, err := get(t, client, "http://"+name+"/secret?key=secret")
		checkKind(t, err, want, name)
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("the error has the path or query: %v", err)
		}
	}
	if _, body, err := get(t, client, "http://nearly.example/"); err != nil || body != "ok" {
		t.Errorf("headers below 64 KiB: got %q and error %v", body, err)
	}
}

func TestFetch_WrongCertificate_IsRefused(t *testing.T) {
	internet := egresstest.New(t)
	internet.Serve("example.org", func(http.ResponseWriter, *http.Request) { t.Error("it was asked") })
	options := internet.Options()
	options.RootCAs = nil // the machine's do not know the CA
	_, _, err := get(t, egress.New(options), "https://example.org/")
	checkKind(t, err, egress.KindCertificate, "example.org")
}

func TestFetch_UnsentRequest_IsKnownAsUnsent(t *testing.T) {
	internet := egresstest.New(t)
	internet.ServeConn("gone.example", func(conn net.Conn) {
		_, _ = http.ReadRequest(bufio.NewReader(conn))
		_ = conn.Close() // without an answer
	})
	client := egress.New(internet.Options())
	for name, want := range map[string]bool{"gone.example": true, "unknown.example": false} {
		_, _, err := fetch(t, client, nil, egress.Request{Address: mustParse(t, "http://"+name+"/"),
			Method: http.MethodPost, Body: []byte("words")})
		var f *egress.Failure
		if !errors.As(err, &f) || f.Sent != want {
			t.Errorf("%s: got %#v", name, f)
		}
	}
	if got := internet.Dialed(); len(got) != 1 {
		t.Errorf("dialled %q, want one request: nothing is sent twice", got)
	}
}
