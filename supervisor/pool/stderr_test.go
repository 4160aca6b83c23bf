package pool

import (
	"bytes"
	"io"
	"os"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/hashicorp/go-hclog"
)

// drained reads a text as standard error. It returns the lines that are kept, and those that are
// logged.
func drained(t *testing.T, text string) (kept []string, logged string) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	gone := make(chan struct{})
	close(gone)
	s := readStderr(r, hclog.New(&hclog.LoggerOptions{Output: &log}), gone)
	if _, err := io.WriteString(w, text); err != nil {
		t.Error(err)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	<-s.read
	return s.end(), log.String()
}

func TestStderr_KeepsLastLines(t *testing.T) {
	kept, _ := drained(t, strings.Repeat("early\n", 100)+"the cause\r\nthe end")
	if len(kept) != keptLines || kept[keptLines-2] != "the cause" || kept[keptLines-1] != "the end" {
		t.Errorf("kept %q", kept)
	}
}

func TestStderr_Flood_LogsOnlyAPart(t *testing.T) {
	_, logged := drained(t, strings.Repeat("flood\n", 50_000))
	if n := strings.Count(logged, "line=flood"); n != loggedMost {
		t.Errorf("%d lines logged, want %d", n, loggedMost)
	}
	if !strings.Contains(logged, "lines left out: lines=49980") {
		t.Errorf("it is not said how much was left out: %s", logged[max(0, len(logged)-200):])
	}
}

func TestLogBudget_NextSpan_LogsAgain(t *testing.T) {
	var log bytes.Buffer
	at := time.Unix(0, 0)
	b := logBudget{now: func() time.Time { return at }}
	for range 2 {
		at = at.Add(loggedSpan)
		for range loggedMost + 3 {
			b.log(hclog.New(&hclog.LoggerOptions{Output: &log}), "x")
		}
	}
	if n := strings.Count(log.String(), "line=x"); n != 2*loggedMost {
		t.Errorf("%d lines logged in two spans", n)
	}
	if !strings.Contains(log.String(), "lines=3") {
		t.Error("the first span's rest is not told")
	}
}

func TestStderr_EndlessLine_IsSplit(t *testing.T) {
	kept, _ := drained(t, strings.Repeat("x", 10*lineBytes))
	for _, line := range kept {
		if len(line) > lineBytes {
			t.Errorf("a line of %d bytes is kept", len(line))
		}
	}
	if len(kept) != 10 {
		t.Errorf("%d pieces", len(kept))
	}
}

// FuzzEscape checks that escaped output of a worker can't control a terminal or forge a line of the
// log.
func FuzzEscape(f *testing.F) {
	f.Add([]byte("\x1b[2J\r\nlevel=info\u202e\xff"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		for _, r := range escape(raw) {
			if !unicode.IsGraphic(r) {
				t.Fatalf("%q keeps %U", raw, r)
			}
		}
	})
}
