package question

import (
	"strings"
	"testing"
)

func TestParsePress_EachWord_ReadsNonceAndWord(t *testing.T) {
	seen := map[string]bool{}
	for range 100 {
		nonce := newNonce()
		if seen[nonce] {
			t.Fatalf("%s came twice", nonce)
		}
		seen[nonce] = true
		for _, word := range []string{"once", "always", "deny", "11", strings.Repeat("w", maxWord)} {
			got, read, ok := parse(press(nonce, word))
			if !ok || got != nonce || read != word || len(press(nonce, word)) > 64 {
				t.Errorf("%q is read as %q, %q, %t", press(nonce, word), got, read, ok)
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"", "q:", "q::", "q:AAAAAAAAAAAAAAAAAAAAAA:once", "q:AAAAAAAAAAAAAAAAAAAAAB:once",
		"q:AAAAAAAAAAAAAAAAAAAAAA:once:deny", "q:AAAAAAAAAAAAAAAAAAAA\nAA:deny", "Q:AAAAAAAAAAAAAAAAAAAAAA:always"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		nonce, word, ok := parse(text)
		if ok && text != press(nonce, word) {
			t.Errorf("%q is read as %q, %q", text, nonce, word)
		}
		if ok && (len(text) > 64 || len(nonce) != 22) {
			t.Errorf("%q is no press", text)
		}
	})
}
