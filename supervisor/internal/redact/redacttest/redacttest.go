// Package redacttest has secrets for tests of texts from other servers.
package redacttest

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"html"
	"net/url"
	"strings"
	"testing"
)

// Awkward is a secret with characters that encodings change.
const Awkward = `k+3/y&"s\e<c>%41 = ~r't`

// Spellings returns texts in which a server may send a secret back.
func Spellings(t *testing.T, secret string) map[string]string {
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
