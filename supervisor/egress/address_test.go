package egress_test

import (
	"errors"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"mews/supervisor"
	"mews/supervisor/egress"
)

// addressTests are addresses with their normalised spelling; "" means that they are refused.
var addressTests = map[string]string{
	"http://example.org":                          "http://example.org/",
	"HTTP://EXAMPLE.ORG/A":                        "http://example.org/A",
	" https://example.org/ ":                      "https://example.org/",
	"https://example.org.":                        "https://example.org/",
	"https://example.org./a":                      "https://example.org/a",
	"https://example.org:443/":                    "https://example.org/",
	"https://example.org:/":                       "https://example.org/",
	"https://example.org:0443/":                   "https://example.org/",
	"https://example.org:80/":                     "https://example.org:80/",
	"http://example.org:443/":                     "http://example.org:443/",
	"https://example.org/#part":                   "https://example.org/",
	"https://example.org#a?b":                     "https://example.org/",
	"https://example.org?":                        "https://example.org/",
	"https://example.org?a=1":                     "https://example.org/?a=1",
	"https://example.org/a/./b/../c":              "https://example.org/a/c",
	"https://example.org/a/%2e%2E/c":              "https://example.org/c",
	"https://example.org/../../c":                 "https://example.org/c",
	"https://example.org//a//b":                   "https://example.org//a//b",
	"https://example.org/%7euser/%c3%bc":          "https://example.org/~user/%C3%BC",
	"https://example.org/ü/%2f":                   "https://example.org/%C3%BC/%2F",
	"https://example.org/a b?c d":                 "https://example.org/a%20b?c%20d",
	"https://example.org/?a=%zz&b=%":              "https://example.org/?a=%25zz&b=%25",
	"https://example.org/?a[]=1&b=%5b":            "https://example.org/?a[]=1&b=%5B",
	`https://example.org/a\b`:                     "https://example.org/a%5Cb",
	"https://bücher.example/":                     "https://xn--bcher-kva.example/",
	"https://BÜCHER.example/":                     "https://xn--bcher-kva.example/",
	"https://b%C3%BCcher.example/":                "https://xn--bcher-kva.example/",
	"https://xn--bcher-kva.example/":              "https://xn--bcher-kva.example/",
	"https://ｅｘａｍｐｌｅ．ｏｒｇ/":                        "https://example.org/",
	"https://example。org/":                        "https://example.org/",
	"https://exam\u00adple.org/":                  "https://example.org/",
	"https://straße.example/":                     "https://xn--strae-oqa.example/",
	"https://r3---sn-a.googlevideo.com/":          "https://r3---sn-a.googlevideo.com/",
	"https://my_site.example/":                    "https://my_site.example/",
	"https://1.example.org/":                      "https://1.example.org/",
	"https://127.0.0.1.nip.io/":                   "https://127.0.0.1.nip.io/",
	"https://example.org/http://10.0.0.1/":        "https://example.org/http://10.0.0.1/",
	"https://example.org/@10.0.0.1":               "https://example.org/@10.0.0.1",
	"https://example.org/?u=http://u:p@127.0.0.1": "https://example.org/?u=http://u:p@127.0.0.1",

	"":                                  "",
	"example.org":                       "",
	"//example.org/":                    "",
	"/path":                             "",
	"ftp://example.org/":                "",
	"file:///etc/passwd":                "",
	"gopher://example.org/":             "",
	"javascript:alert(1)":               "",
	"data:text/plain,a":                 "",
	"https:example.org":                 "",
	"https:/example.org":                "",
	"https:///example.org":              "",
	`https:\\example.org`:               "",
	`https://example.org\@10.0.0.1/`:    "",
	"https://user@example.org/":         "",
	"https://user:hunter2@example.org/": "",
	"https://@example.org/":             "",
	"https://example.org:8080/":         "",
	"https://example.org:0/":            "",
	"https://example.org:65616/":        "", // 80 modulo 65,536
	"https://example.org:+80/":          "",
	"https://example.org../":            "",
	"https://.example.org/":             "",
	"https://a..example.org/":           "",
	"https://exa mple.org/":             "",
	"https://exam\tple.org/":            "",
	"https://example.org/\r\nHost: a":   "",
	"https://example.org/a\x00":         "",
	"https://[::1]/":                    "",
	"https://[2606:4700::1]/":           "",
	"https://[fe80::1%25eth0]/":         "",
	"https://[::1]:443/":                "",
	"https://[example.org]/":            "",
	"https://93.184.216.34/":            "",
	"https://localhost/":                "",
	"https://LOCALHOST./":               "",
	"https://router/":                   "",
	"https://printer.local/":            "",
	"https://metadata.google.internal/computeMetadata/v1/":   "",
	"https://a.home.arpa/":                                   "",
	"https://exa$mple.org/":                                  "",
	"https://xn--a.example/":                                 "",
	"http://\x84.a/":                                         "", // no UTF-8
	"https://example.org%2f.evil/":                           "",
	"https://example.org%00.evil/":                           "",
	"https://" + strings.Repeat("語", 2600) + ".example/":     "",
	"https://" + strings.Repeat("a", 64) + ".org/":           "",
	"https://" + strings.Repeat("a.", 127) + "example.org/":  "",
	"https://example.org/" + strings.Repeat("a", 9000):       "",
	"https://example.org/" + strings.Repeat("ü", 8<<10/2-20): "",
}

func TestParseAddress_Spellings_AreNormalized(t *testing.T) {
	for text, want := range addressTests {
		got, err := egress.ParseAddress(text)
		if (err == nil) != (want != "") || got.Reveal() != want {
			t.Errorf("%q: got %q and error %v, want %q", text, got.Reveal(), err, want)
		}
		if err == nil {
			if again, err := egress.ParseAddress(got.Reveal()); err != nil || again != got {
				t.Errorf("%q is read as %q and error %v", got.Reveal(), again.Reveal(), err)
			}
		}
	}
}

func TestSameAddress_Fragments_DoNotCount(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want bool
	}{
		{"https://example.org/a#b", "HTTPS://example.org.:443/x/../a", true},
		{"https://example.org/%61", "https://example.org/a", true},
		{"https://example.org/a", "https://example.org/A", false},
		{"https://example.org/a", "http://example.org/a", false},
		{"https://example.org/a", "https://example.org/a/", false},
		{"https://example.org/a%2Fb", "https://example.org/a/b", false},
		{"https://example.org/?a=1&b=2", "https://example.org/?b=2&a=1", false},
		{"http://10.0.0.1/", "http://10.0.0.1/", false},
	} {
		if got := egress.SameAddress(test.a, test.b); got != test.want {
			t.Errorf("%s and %s: got %v", test.a, test.b, got)
		}
	}
}

func TestAddress_PrintedText_HidesPathAndQuery(t *testing.T) {
	a, err := egress.ParseAddress("https://example.org:80/secret?key=secret")
	if err != nil || a.String() != "https://example.org:80" || a.Host() != "example.org" {
		t.Errorf("got %s, %s and error %v", a, a.Host(), err)
	}
}

func TestParseAddress_Refusal_QuotesNoInput(t *testing.T) {
	for text, want := range addressTests {
		_, err := egress.ParseAddress(text)
		if want != "" {
			continue
		}
		var e *supervisor.Error
		var f *egress.Failure
		if !errors.As(err, &e) || e.Message == "" || !errors.As(err, &f) || f.Kind != egress.KindAddress {
			t.Errorf("%q: got %#v", text, err)
			continue
		}
		for _, secret := range []string{"hunter2", "computeMetadata", "10.0.0.1", "93.184", "evil", "::1"} {
			if strings.Contains(err.Error(), secret) {
				t.Errorf("%q: the error has %q: %v", text, secret, err)
			}
		}
	}
}

func FuzzParseAddress(f *testing.F) {
	for text := range addressTests {
		f.Add(text)
	}
	for text := range privateSpellings() {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a, err := egress.ParseAddress(text)
		if err != nil {
			return
		}
		checkPublic(t, a)
		if again, err := egress.ParseAddress(a.Reveal()); err != nil || again != a {
			t.Errorf("%q is read again as %q and error %v", a.Reveal(), again.Reveal(), err)
		}
	})
}

// checkPublic checks an address that was accepted as public by rules of its own.
func checkPublic(t *testing.T, a egress.Address) {
	t.Helper()
	u, err := url.Parse(a.Reveal())
	if err != nil {
		t.Fatal(err)
	}
	host := u.Hostname()
	last := host[strings.LastIndexByte(host, '.')+1:]
	_, notIP := netip.ParseAddr(host)
	switch {
	case u.Scheme != "http" && u.Scheme != "https", u.User != nil, u.Fragment != "", u.Opaque != "",
		u.Port() != "" && u.Port() != "80" && u.Port() != "443", host != a.Host(), notIP == nil,
		!strings.Contains(host, "."), strings.HasSuffix(host, "."), host != strings.ToLower(host),
		strings.ContainsAny(host, ":%[]@/\\ "), strings.Trim(last, "0123456789") == "", strings.HasPrefix(last, "0x") &&
			strings.Trim(last[2:], "0123456789abcdef") == "", strings.ContainsFunc(a.Reveal(), isNotPrintable):
		t.Errorf("%q is accepted", a.Reveal())
	}
}

func isNotPrintable(r rune) bool { return r <= ' ' || r >= 0x7f }
