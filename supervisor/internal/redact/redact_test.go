package redact_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"mews/supervisor/internal/redact"
	"mews/supervisor/internal/redact/redacttest"
)

func TestRedact_EachSpelling_IsHidden(t *testing.T) {
	for _, secret := range []string{redacttest.Awkward, "sk-1234567890abcdef", "aaaaaaaa", "12345678",
		strings.Repeat("xy", 2000)} {
		for name, text := range redacttest.Spellings(t, secret) {
			if got := redact.New(secret).String("before " + text + text + " after"); got != "before ****** after" {
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
				got := redact.New(secret).String(encoding.EncodeToString([]byte(text)))
				if !strings.Contains(got, "***") || len(got) > len("***")+(before+after+3)*4/3+3 {
					t.Errorf("%d before, %d after: got %q", before, after, got)
				}
			}
		}
	}
}

func TestRedact_TextWithoutSecret_IsUnchanged(t *testing.T) {
	for _, text := range []string{"", "nothing", "sk-1234567890abcde", "%", `\`, "&", "&#", "&#x;", "%7", `\u00`,
		"sk-%31%32", strings.Repeat(`\`, 100), "c2stMTIzNDU2Nzg5M"} {
		if got := redact.New("sk-1234567890abcdef").String(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
	if got := redact.New("").String("a text"); got != "a text" {
		t.Errorf("without a secret: got %q", got)
	}
}

func BenchmarkRedact_LongAnswer(b *testing.B) {
	text := strings.Repeat(`{"entity_id":"light.kitchen","state":"on","url":"https:\/\/a.example\/x%20y"},`, 1<<20/80)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		redact.New("sk-1234567890abcdef").String(text)
	}
}
