package egress_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"mews/supervisor/egress"
	"mews/supervisor/egress/egresstest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// trapNames resolves the names of ipsOfNames.
func trapNames() func(string) []netip.Addr {
	ips := ipsOfNames()
	return func(name string) []netip.Addr {
		if ip, known := ips[name]; known {
			return []netip.Addr{ip}
		}
		return nil
	}
}

func TestFetch_PrivateSpellings_ReachNoListener(t *testing.T) {
	rig := newGuardRig(t, trapNames())
	client := egress.New(egress.Options{Dial: rig.dial})
	spellings := privateSpellings()
	if len(spellings) < 300 {
		t.Fatalf("%d spellings", len(spellings))
	}
	dialled := 0
	for text, what := range spellings {
		a, err := egress.ParseAddress(text)
		if err == nil {
			dialled++
			_, err = client.Fetch(t.Context(), egress.Request{User: text, Address: a})
		}
		checkRefused(t, text+" ("+what+")", err)
	}
	if rig.accepted.Load() > 0 || len(rig.listPassed()) > 0 {
		t.Errorf("%d connections, and the guard let through %q", rig.accepted.Load(), rig.listPassed())
	}
	t.Logf("%d spellings, of which %d reached the guard of the connection", len(spellings), dialled)
	if dialled < 100 {
		t.Errorf("only %d names reached the guard of the connection", dialled)
	}
}

// checkRefused checks that an error refuses an address, and tells no IP address.
func checkRefused(t *testing.T, what string, err error) {
	t.Helper()
	var f *egress.Failure
	if !errors.As(err, &f) || f.Kind != egress.KindAddress && f.Kind != egress.KindPrivate &&
		f.Kind != egress.KindRedirect {
		t.Errorf("%s: got error %v", what, err)
		return
	}
	for _, ip := range slices.Concat(privateV4, privateV6) {
		if len(ip) > len("ff02::1") && strings.Contains(err.Error(), ip) {
			t.Errorf("%s: the error has an IP address: %v", what, err)
		}
	}
}

// TestFetch_WithoutGuard_ReachesListener shows that the listener counts, and that only the guard
// keeps the spellings away.
func TestFetch_WithoutGuard_ReachesListener(t *testing.T) {
	rig := newGuardRig(t, trapNames())
	client := egress.New(egress.Options{Dial: func(ctx context.Context, network, address string,
		_ egress.Control) (net.Conn, error) {
		return rig.dial(ctx, network, address, nil)
	}})
	a := mustParse(t, "http://"+nameOf(netip.MustParseAddr("127.0.0.1"))+"/")
	if _, err := client.Fetch(t.Context(), egress.Request{Address: a}); err == nil {
		t.Error("a closed connection answers")
	}
	if got := rig.listPassed(); !slices.Equal(got, []string{"127.0.0.1"}) {
		t.Errorf("dialled %q", got)
	}
}

func TestFetch_PublicAddresses_PassNameCheck(t *testing.T) {
	if len(publicAddresses) < 40 {
		t.Fatalf("%d addresses", len(publicAddresses))
	}
	public := netip.MustParseAddr(egresstest.PublicIP)
	rig := newGuardRig(t, func(string) []netip.Addr { return []netip.Addr{public} })
	client := egress.New(egress.Options{Dial: rig.dial})
	for _, text := range publicAddresses {
		_, err := client.Fetch(t.Context(), egress.Request{Address: mustParse(t, text)})
		var f *egress.Failure
		if !errors.As(err, &f) || f.Kind != egress.KindUnreachable ||
			strings.Contains(err.Error(), egresstest.PublicIP) {
			t.Errorf("%s: got error %v", text, err)
		}
	}
	if got := len(rig.listPassed()); got != len(publicAddresses) {
		t.Errorf("%d of %d passed the guard", got, len(publicAddresses))
	}
}

// TestFetch_RebindingName_DialsCheckedAddress uses a name server that answers first with a public
// and then with a private address.
func TestFetch_RebindingName_DialsCheckedAddress(t *testing.T) {
	var asked atomic.Int64
	rig := newGuardRig(t, nil)
	rig.names = func(string) []netip.Addr {
		if asked.Add(1) <= 2 { // the first lookup asks for IPv4 and IPv6
			return []netip.Addr{netip.MustParseAddr(egresstest.PublicIP)}
		}
		return []netip.Addr{netip.MustParseAddr("127.0.0.1")}
	}
	client := egress.New(egress.Options{Dial: rig.dial})
	a := mustParse(t, "http://rebind.example/")
	for fetch, want := range []egress.Kind{egress.KindUnreachable, egress.KindPrivate, egress.KindPrivate} {
		_, err := client.Fetch(t.Context(), egress.Request{Address: a})
		var f *egress.Failure
		if !errors.As(err, &f) || f.Kind != want {
			t.Errorf("fetch %d: got error %v, want %s", fetch, err, want)
		}
		if got, want := rig.queries.Load(), int64(2*(fetch+1)); got != want {
			t.Errorf("fetch %d: %d queries, want %d: a second lookup could have another answer", fetch, got, want)
		}
	}
	if got := rig.listPassed(); !slices.Equal(got, []string{egresstest.PublicIP}) || rig.accepted.Load() > 0 {
		t.Errorf("the guard let through %q, and the listener has %d connections", got, rig.accepted.Load())
	}
}

func TestFetch_NameWithPrivateIP_DialsPublicOne(t *testing.T) {
	rig := newGuardRig(t, func(string) []netip.Addr {
		return []netip.Addr{netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("::1"),
			netip.MustParseAddr(egresstest.PublicIP),
			netip.MustParseAddr("10.0.0.1")}
	})
	client := egress.New(egress.Options{Dial: rig.dial})
	if _, err := client.Fetch(t.Context(), egress.Request{Address: mustParse(t, "http://mixed.example/")}); err == nil {
		t.Error("it answers")
	}
	if got := rig.listPassed(); !slices.Equal(got, []string{egresstest.PublicIP}) || rig.accepted.Load() > 0 {
		t.Errorf("the guard let through %q", got)
	}
}

func TestFetch_RedirectToSpelling_IsRefused(t *testing.T) {
	rig := newGuardRig(t, trapNames())
	internet := egresstest.New(t)
	internet.Serve("example.org", redirectToQuery)
	client := egress.New(egress.Options{Dial: func(ctx context.Context, network, address string,
		control egress.Control) (net.Conn, error) {
		if address == "example.org.:80" {
			return internet.Dial(ctx, network, address, control)
		}
		return rig.dial(ctx, network, address, control)
	}})
	spellings := privateSpellings()
	for text, what := range spellings {
		if strings.Contains(what, "fragment") || strings.Contains(what, "port") {
			continue // spelled the same as dotted
		}
		for _, location := range []string{text, strings.TrimPrefix(text, "http:")} {
			a := mustParse(t, "http://example.org/?to="+url.QueryEscape(location))
			_, err := client.Fetch(t.Context(), egress.Request{User: location, Address: a})
			checkRefused(t, fmt.Sprintf("redirect to %s (%s)", location, what), err)
		}
	}
	if rig.accepted.Load() > 0 || len(rig.listPassed()) > 0 {
		t.Errorf("%d connections, and the guard let through %q", rig.accepted.Load(), rig.listPassed())
	}
}

// redirectToQuery redirects to the address in the parameter to.
func redirectToQuery(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Location", r.URL.Query().Get("to"))
	w.WriteHeader(http.StatusFound)
}

func mustParse(t testing.TB, text string) egress.Address {
	t.Helper()
	a, err := egress.ParseAddress(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return a
}

// BenchmarkGuard measures all checks of one address: its spelling and its IP address.
func BenchmarkGuard(b *testing.B) {
	var checked atomic.Int64
	client := egress.New(egress.Options{Dial: func(_ context.Context, _, _ string,
		control egress.Control) (net.Conn, error) {
		if err := control("tcp6", "[2606:2800:220:1::1]:443", nil); err == nil {
			checked.Add(1)
		}
		return nil, errPassed
	}})
	text := "https://www.bücher.example/a/../Katalog?q=%c3%bc#x"
	for b.Loop() {
		a, err := egress.ParseAddress(text)
		if err != nil {
			b.Fatal(err)
		}
		egress.DialForBenchmark(b.Context(), client, a)
	}
	if checked.Load() < int64(b.N) {
		b.Error("the guard refused")
	}
}
