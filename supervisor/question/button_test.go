package question

import (
	"strings"
	"testing"

	"mews/supervisor"
)

func TestButtonsAreReadAsTheyWereWritten(t *testing.T) {
	seen := map[string]bool{}
	for range 100 {
		nonce := newNonce()
		if seen[nonce] {
			t.Fatalf("%s came twice", nonce)
		}
		seen[nonce] = true
		for _, row := range buttons(supervisor.Question{Kind: supervisor.QuestionApproval}, nonce) {
			got, answer, ok := parse(row[0].Press)
			if !ok || got != nonce || !strings.HasSuffix(row[0].Press, ":"+string(answer)) {
				t.Errorf("%q is read as %q, %q, %t", row[0].Press, got, answer, ok)
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"", "q:", "q::", "q:AAAAAAAAAAAAAAAAAAAAAA:once", "q:AAAAAAAAAAAAAAAAAAAAAB:once",
		"q:AAAAAAAAAAAAAAAAAAAAAA:once:deny", "q:AAAAAAAAAAAAAAAAAAAA\nAA:deny", "Q:AAAAAAAAAAAAAAAAAAAAAA:always"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, press string) {
		nonce, answer, ok := parse(press)
		if ok && press != "q:"+nonce+":"+string(answer) {
			t.Errorf("%q is read as %q, %q", press, nonce, answer)
		}
		if ok && (len(press) > 64 || len(nonce) != 22) {
			t.Errorf("%q is no press", press)
		}
	})
}
