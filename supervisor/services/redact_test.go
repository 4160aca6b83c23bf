package services_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"html"
	"net/url"
	"strings"
	"testing"

	"mews/supervisor/services"
)

// awkward is a secret with characters that encodings change.
const awkward = `k+3/y&"s\e<c>%41 = ~r't`

// spellings returns texts in which a service may send a secret back.
func spellings(t *testing.T, secret string) map[string]string {
	quoted := func(text string) string {
		b, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Trim(string(b), `"`)
	}
	all := ""
	for _, c := range []byte(secret) {
		all += "%" + hex.EncodeToString([]byte{c})
	}
	std, raw := base64.StdEncoding, base64.RawStdEncoding
	return map[string]string{
		"plain":               secret,
		"base64":              std.EncodeToString([]byte(secret)),
		"base64 unpadded":     raw.EncodeToString([]byte(secret)),
		"base64 of URLs":      base64.URLEncoding.EncodeToString([]byte(secret)),
		"base64 of URLs, raw": base64.RawURLEncoding.EncodeToString([]byte(secret)),
		"query":               url.QueryEscape(secret),
		"path":                url.PathEscape(secret),
		"all percent":         all,
		"all percent, upper":  strings.ToUpper(all),
		"JSON":                quoted(secret),
		"JSON in JSON":        quoted(quoted(secret)),
		"JSON with \\/":       strings.ReplaceAll(quoted(secret), "/", `\/`),
		"HTML":                html.EscapeString(secret),
		"hex":                 hex.EncodeToString([]byte(secret)),
		"hex, upper":          strings.ToUpper(hex.EncodeToString([]byte(secret))),
		"query of base64":     url.QueryEscape(std.EncodeToString([]byte(secret))),
		"JSON of base64":      strings.ReplaceAll(std.EncodeToString([]byte(secret)), "/", `\/`),
	}
}

func TestRedact_EachSpelling_IsHidden(t *testing.T) {
	for _, secret := range []string{awkward, "sk-1234567890abcdef", "aaaaaaaa", "12345678",
		strings.Repeat("xy", 2000)} {
		for name, text := range spellings(t, secret) {
			if got := services.Redact(secret, "before "+text+text+" after"); got != "before ****** after" {
				t.Errorf("%.20s, %s: got %.200q", secret, name, got)
			}
		}
	}
}

// In the base64 of a longer text no part of the secret is left that has more than a few bits.
func TestRedact_Base64OfLongerText_IsHidden(t *testing.T) {
	const secret = "sk-1234567890abcdef"
	for before := range 7 {
		for after := range 4 {
			text := strings.Repeat("u", before) + secret + strings.Repeat("v", after)
			for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.RawURLEncoding} {
				got := services.Redact(secret, encoding.EncodeToString([]byte(text)))
				if !strings.Contains(got, "***") || len(got) > len("***")+(before+after+3)*4/3+3 {
					t.Errorf("%d before, %d after: got %q", before, after, got)
				}
			}
		}
	}
}

func TestRedact_OtherText_StaysUnchanged(t *testing.T) {
	for _, text := range []string{"", "nothing", "sk-1234567890abcde", "%", `\`, "&", "&#", "&#x;", "%7", `\u00`,
		"sk-%31%32", strings.Repeat(`\`, 100), "c2stMTIzNDU2Nzg5M"} {
		if got := services.Redact("sk-1234567890abcdef", text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
	if got := services.Redact("", "a text"); got != "a text" {
		t.Errorf("without a secret: got %q", got)
	}
}

func BenchmarkRedact_LongAnswer(b *testing.B) {
	text := strings.Repeat(`{"entity_id":"light.kitchen","state":"on","url":"https:\/\/a.example\/x%20y"},`, 1<<20/80)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		services.Redact("sk-1234567890abcdef", text)
	}
}
