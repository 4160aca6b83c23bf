package egress_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mews/supervisor/egress"
	"mews/supervisor/egress/egresstest"
)

func newUpstream(t testing.TB, client *egress.Client, o egress.UpstreamOptions) *egress.Upstream {
	t.Helper()
	u, err := client.NewUpstream(o)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// TestUpstream_LoopbackServer_Answers dials as the service does, with real sockets and TLS.
func TestUpstream_LoopbackServer_Answers(t *testing.T) {
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if to := r.URL.Query().Get("to"); to != "" {
			redirectToQuery(w, r)
			return
		}
		fmt.Fprint(w, "here ", r.Header.Get("Cookie"))
	})
	plain, secure := httptest.NewServer(handler), egresstest.StartTLS(t, handler)
	t.Cleanup(plain.Close)
	client := egress.New(egress.Options{})
	for _, o := range []egress.UpstreamOptions{
		{Name: "plain", BaseURL: plain.URL}, {Name: "secure", BaseURL: secure.URL + "/api", CAFile: secure.CAFile}} {
		u := newUpstream(t, client, o)
		ctx := egress.WithUpstream(t.Context(), u)
		a, err := u.Address(o.BaseURL + "?to=%2f")
		if err != nil {
			t.Fatal(err)
		}
		r := egress.Request{Address: a, Header: http.Header{"Cookie": {"a=b"}}}
		resp, err := client.Fetch(ctx, r)
		if err != nil || resp.Status != http.StatusOK {
			t.Errorf("%s: got %+v and error %v", o.Name, resp, err)
		} else if err := resp.Body.Close(); err != nil {
			t.Error(err)
		}
		_, err = client.Fetch(t.Context(), r) // without the upstream
		checkRefused(t, o.Name, err)
	}
	u := newUpstream(t, client, egress.UpstreamOptions{Name: "unknown CA", BaseURL: secure.URL})
	a, err := u.Address(secure.URL)
	if err != nil {
		t.Fatal(err)
	}
	_, err = client.Fetch(egress.WithUpstream(t.Context(), u), egress.Request{Address: a})
	checkKind(t, err, egress.KindCertificate, "unknown CA")
	if strings.Contains(err.Error(), "127.0.0.1") {
		t.Errorf("the error has the address: %v", err)
	}
}

func TestUpstream_OtherOrigins_StayRefused(t *testing.T) {
	internet := egresstest.New(t)
	internet.Serve("home.local", redirectToQuery, "192.168.1.9")
	internet.Serve("10.0.0.5", redirectToQuery, "10.0.0.5")
	internet.Serve("other.example", func(http.ResponseWriter, *http.Request) {}, "192.168.1.9")
	internet.Serve("public.example", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.Header.Get("X-Key"))
	})
	client := egress.New(internet.Options())
	home := newUpstream(t, client, egress.UpstreamOptions{Name: "home", BaseURL: "http://home.local:8123/api"})
	for to, want := range map[string]egress.Kind{
		"http://10.0.0.5:8123/":      egress.KindRedirect,
		"http://home.local/":         egress.KindRedirect,
		"http://home.local:8124/":    egress.KindRedirect,
		"http://192.168.1.9:8123/":   egress.KindRedirect,
		"https://home.local:8123/":   egress.KindRedirect,
		"http://other.example/":      egress.KindPrivate,
		"http://other.example:8123/": egress.KindRedirect,
		"http://public.example/":     "",
	} {
		a, err := home.Address("http://HOME.local:8123/x?to=" + to)
		if err != nil {
			t.Fatal(err)
		}
		_, body, err := fetch(t, client, home, egress.Request{Address: a, Header: http.Header{"X-Key": {"key"}}})
		if want == "" && (err != nil || body != "") {
			t.Errorf("%s: got %q and error %v", to, body, err)
		} else if want != "" {
			target := map[bool]string{true: "other.example", false: "home"}[want == egress.KindPrivate]
			checkKind(t, err, want, target)
		}
	}
	for _, text := range []string{"http://10.0.0.5:8123/", "https://home.local:8123/", "http://home.local/",
		"http://a@home.local:8123/"} {
		if _, err := home.Address(text); err == nil {
			t.Errorf("%s is taken for the upstream's", text)
		}
	}
}

// TestUpstream_Guards_AllowOnlyTheirs tries the guard of each upstream with IP addresses.
func TestUpstream_Guards_AllowOnlyTheirs(t *testing.T) {
	for base, tests := range map[string]map[string]bool{
		"http://10.0.0.5:8123": {"10.0.0.5": true, "10.0.0.6": false, "127.0.0.1": false,
			"93.184.216.34": false, "::1": false},
		"http://[fd00::5]":              {"fd00::5": true, "fd00::6": false, "2606:4700::1": false, "10.0.0.5": false},
		"http://169.254.1.2":            {"169.254.1.2": true, "169.254.169.254": false},
		"http://[::ffff:10.0.0.5]:8123": {"10.0.0.5": true, "10.0.0.6": false},
		"https://nas:5001": {"192.168.1.2": true, "10.0.0.5": true, "127.0.0.1": true, "100.64.0.1": true,
			"fd00::5":       true,
			"93.184.216.34": true, "2606:4700::1": true, "169.254.169.254": false, "fe80::1": false, "224.0.0.1": false,
			"0.0.0.0": false, "fd00:ec2::254": false, "fd20:ce::254": false, "100.100.100.200": false,
			"168.63.129.16":          false,
			"::ffff:169.254.169.254": false, "64:ff9b::a9fe:a9fe": false},
	} {
		client := egress.New(egress.Options{})
		u := newUpstream(t, client, egress.UpstreamOptions{Name: "it", BaseURL: base})
		for text, want := range tests {
			ip := netip.MustParseAddr(text)
			if got := egress.AllowsForTest(u, ip, 0); got != want {
				t.Errorf("%s to %s: got %v", base, text, got)
			}
			if egress.AllowsForTest(u, ip, 22) {
				t.Errorf("%s may use port 22 of %s", base, text)
			}
		}
	}
}

func TestNewUpstream_WrongOptions_AreExplained(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty.pem")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	client := egress.New(egress.Options{})
	for _, o := range []egress.UpstreamOptions{
		{BaseURL: ""}, {BaseURL: "ftp://10.0.0.5"}, {BaseURL: "http://user:hunter2@10.0.0.5"},
		{BaseURL: "http://0x7f.1"},
		{BaseURL: "http://2130706433"}, {BaseURL: "http://10.0.0.5:0"}, {BaseURL: "http://[fe80::1%25eth0]"},
		{BaseURL: "http://10.0.0.5", CAFile: empty}, {BaseURL: "http://10.0.0.5", CAFile: empty + "/not"}} {
		o.Name = `the service "home"`
		_, err := client.NewUpstream(o)
		if err == nil || !strings.Contains(err.Error(), o.Name) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%+v: got error %v", o, err)
		}
	}
}

func TestUpstream_OwnLimits_Apply(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		internet := egresstest.New(t)
		internet.Serve("nas", func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/slow" {
				time.Sleep(50 * time.Second)
			}
			_, _ = w.Write(make([]byte, 6<<20)) // the client may be gone
		}, "192.168.1.9")
		client := egress.New(internet.Options())
		for _, test := range []struct {
			path        string
			maxResponse int64
			timeout     time.Duration
			want        egress.Kind
		}{
			{"/", 0, 0, egress.KindTooLarge},
			{"/", 6 << 20, 0, ""},
			{"/", 6<<20 - 1, 0, egress.KindTooLarge},
			{"/slow", 6 << 20, 0, egress.KindTimeout},
			{"/slow", 6 << 20, time.Minute, ""},
			{"/slow", 6 << 20, time.Second, egress.KindTimeout},
		} {
			u := newUpstream(t, client, egress.UpstreamOptions{Name: "nas", BaseURL: "http://nas",
				MaxResponse: test.maxResponse, Timeout: test.timeout})
			a, err := u.Address("http://nas" + test.path)
			if err != nil {
				t.Fatal(err)
			}
			_, _, err = fetch(t, client, nil, egress.Request{Address: a})
			checkRefused(t, "without the upstream", err)
			_, _, err = fetch(t, client, u, egress.Request{Address: a})
			if test.want == "" && err != nil {
				t.Errorf("%+v: %v", test, err)
			} else if test.want != "" {
				checkKind(t, err, test.want, "nas")
			}
			time.Sleep(time.Minute)
		}
	})
}
