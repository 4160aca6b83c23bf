package agent

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"mews/protocol"
	"mews/worker/host/hosttest"
)

func TestLimitOutput_TooLong_KeepsHeadAndTail(t *testing.T) {
	var lines strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&lines, "line %d\n", i)
	}
	for _, test := range []struct {
		name, text, head, tail string
	}{
		{"many lines", lines.String(), "line 0\n", "line 999\n"},
		{"one long line", "<" + strings.Repeat("x", 20000) + ">", "<xx", "xx>"},
		{"no character is torn", "a" + strings.Repeat("é€😀", 3000) + "z", "aé€😀", "é€😀z"},
		{"what is not UTF-8", strings.Repeat("\xffa", 9000), "\uFFFDa", "\uFFFDa"},
	} {
		t.Run(test.name, func(t *testing.T) {
			host := &hosttest.Host{TB: t}
			turn := newTurn(protocol.TurnStart{Limits: protocol.TurnLimits{Output: 2048}}, Options{Host: host}, t.Context())
			got, ref := turn.limitOutput(test.text)
			if len(got) > 2048 || !utf8.ValidString(got) {
				t.Fatalf("%d bytes, valid %v", len(got), utf8.ValidString(got))
			}
			if !strings.HasPrefix(got, test.head) || !strings.HasSuffix(got, test.tail) {
				t.Errorf("got %.40q ... %q", got, got[len(got)-20:])
			}
			whole := strings.ToValidUTF8(test.text, "\uFFFD")
			if ref == nil || ref.Size != int64(len(whole)) {
				t.Fatalf("kept as %+v, want %d bytes", ref, len(whole))
			}
			checkRest(t, host, got, whole, *ref)
		})
	}
}

// checkRest reads the part that was left out, at the offset in got's note, and joins it with the
// shown parts.
func checkRest(t *testing.T, host *hosttest.Host, got, whole string, ref protocol.BlobRef) {
	t.Helper()
	head, rest, _ := strings.Cut(got, "\n[... ")
	var gone, lines, start int
	var sum string
	_, err := fmt.Sscanf(rest, `%d bytes (%d lines) left out; read on with read_output {"output": %q, "start": %d}`,
		&gone, &lines, &sum, &start)
	if err != nil || sum != ref.SHA256 || start != len(head) {
		t.Fatalf("the note is %.200q: %v", rest, err)
	}
	_, tail, _ := strings.Cut(rest, "...]\n")
	part, err := host.ReadBlob(t.Context(), sum, int64(start), gone)
	if err != nil || head+string(part.Data)+tail != whole {
		t.Errorf("head, the part left out and tail are not the whole (%v)", err)
	}
	if want := strings.Count(string(part.Data), "\n"); lines != want {
		t.Errorf("%d lines are said to be left out, there are %d", lines, want)
	}
}

func TestLimitOutput_Fits_ChangesNothing(t *testing.T) {
	host := &hosttest.Host{TB: t}
	turn := newTurn(protocol.TurnStart{}, Options{Host: host}, t.Context())
	text := strings.Repeat("x", defaultOutput)
	if got, ref := turn.limitOutput(text); got != text || ref != nil {
		t.Errorf("got %d bytes and %v", len(got), ref)
	}
}

func TestLimitOutput_StoreFails_ResultSaysSo(t *testing.T) {
	host := &hosttest.Host{TB: t, Fail: func(int, string) hosttest.Failure { return hosttest.FailureRefused }}
	var reported error
	turn := newTurn(protocol.TurnStart{}, Options{Host: host, Report: func(err error) { reported = err }}, context.Background())
	got, ref := turn.limitOutput(strings.Repeat("words\n", 10000))
	if ref != nil || !strings.Contains(got, "could not be kept") || strings.Contains(got, "read_output") {
		t.Errorf("got %v and %q", ref, got[10000:11000])
	}
	if reported == nil {
		t.Error("nobody was told why")
	}
}

func FuzzCut(f *testing.F) {
	f.Add(strings.Repeat("word\n", 1000), 100)
	f.Add(strings.Repeat("😀", 1000), 1000)
	f.Fuzz(func(t *testing.T, text string, room int) {
		text = strings.ToValidUTF8(text, "\uFFFD")
		if room < 16 || room >= len(text) {
			return
		}
		head, tail := headAndTail(text, room)
		if len(head)+len(tail) > room || !strings.HasPrefix(text, head) || !strings.HasSuffix(text, tail) {
			t.Errorf("%q into %d bytes: %q and %q", text, room, head, tail)
		}
		if !utf8.ValidString(head) || !utf8.ValidString(tail) {
			t.Errorf("a character is torn: %q, %q", head, tail)
		}
	})
}
