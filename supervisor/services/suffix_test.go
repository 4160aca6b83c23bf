package services_test

import (
	"strings"
	"testing"

	"mews/supervisor/services"
)

// escaped maps suffixes that are accepted to their form in a URL.
var escaped = map[string]string{
	"":                                    "",
	"/":                                   "",
	"states":                              "states",
	"/states":                             "states",
	"/states/":                            "states/",
	"/services/light/turn_on":             "services/light/turn_on",
	"/states/light.kitchen":               "states/light.kitchen",
	"/v1.2/a..b":                          "v1.2/a..b",
	"/...":                                "...",
	"/.well-known/x":                      ".well-known/x",
	"/a b":                                "a%20b",
	"/café":                               "caf%C3%A9",
	"/caf%C3%A9":                          "caf%C3%A9",
	"/a%20b":                              "a%20b",
	"/projects/group%2Fname":              "projects/group%2Fname",
	"/100%25":                             "100%25",
	"/a:b@c;d=1,e":                        "a:b@c;d=1,e",
	`/"<>^{|}`:                            "%22%3C%3E%5E%7B%7C%7D",
	"/[1]":                                "%5B1%5D",
	"/東京":                                 "%E6%9D%B1%E4%BA%AC",
	"@evil.example":                       "@evil.example",
	":8080/x":                             ":8080/x",
	"evil.example":                        "evil.example",
	"https:evil.example":                  "https:evil.example",
	"/a%3Db":                              "a%3Db",
	"/history/period/2026-11-30T10:00:00": "history/period/2026-11-30T10:00:00",
}

// refused are suffixes that a server might read as another path, query or request.
var refused = []string{
	"?a=b", "/a?b", "/a#b", "#", "/a%3Fb", "/a%3fb", "/a%23b", "/a%253Fb", "/a%2523b", "/a？b", "/a＃b",
	`\`, `/a\b`, `/a%5Cb`, `/a%5cb`, `/a%255Cb`, `/a＼b`,
	"//", "//evil.example", "/a//b", "/a/%2Fb", "/a%2F%2Fb", "/a%2F/b", "/a%252F%252Fb", "/a%2F%252Fb", "/／a",
	"https://evil.example/",
	".", "..", "/.", "/..", "/../admin", "/a/../b", "/a/./b", "/a/..", "a/.", "/%2e%2e/b", "/%2E%2E/b", "/.%2e/b",
	"/%2e./b", "/a%2F..%2Fb", "/a/%252e%252e/b", "/%252E%252e", "/a/..%2f", "/a/..;/b", "/a/..;x=1/b", "/a/%2e%2e;/b",
	"/a/.. /b", "/a/%20../b", "/．．/b", "/a/‥/b", "/a/%EF%BC%8E%EF%BC%8E/b",
	"/a\x00b", "/a\nb", "/a\r\nHost: evil.example", "/a\tb", "/a\x7fb", "/a%00b", "/a%0Ab", "/a%0d%0ab", "/a%250ab",
	"/a\u202eb", "/a%E2%80%AEb", "/a\u200bb", "/a\u0085b", "/a\u2028b",
	"%", "/a%", "/a%2", "/a%zz", "/100%",
	"/a%25252e", "/%2525252e%2525252e",
	"/a\xff", "/a%ff", "/a%c0%ae%c0%ae/b", "/%c0%af",
	"/" + strings.Repeat("a", 2048),
}

func TestSuffix_Spellings_StayBelowBase(t *testing.T) {
	if n := len(escaped) + len(refused); n < 60 {
		t.Fatalf("%d spellings", n)
	}
	for suffix, want := range escaped {
		if got, err := services.EscapeSuffix(suffix); got != want || err != nil {
			t.Errorf("%q: got %q, %v, want %q", suffix, got, err, want)
		}
	}
	for _, suffix := range refused {
		if got, err := services.EscapeSuffix(suffix); err == nil {
			t.Errorf("%.80q became %.80q", suffix, got)
		}
	}
}

func FuzzSuffix(f *testing.F) {
	for suffix := range escaped {
		f.Add(suffix)
	}
	for _, suffix := range refused {
		f.Add(suffix)
	}
	f.Fuzz(func(t *testing.T, suffix string) {
		got, err := services.EscapeSuffix(suffix)
		if err != nil {
			return
		}
		if again, err := services.EscapeSuffix(got); err != nil || again != strings.TrimPrefix(got, "/") {
			t.Errorf("%q became %q, and that %q, %v", suffix, got, again, err)
		}
	})
}
