package filehistory

import (
	"context"
	"testing"
	"time"

	"mews/protocol"
)

// TestUndo_SixDaysLater_BringsAllBack undoes a program after six days. An answer has its button for
// 7 days. So versions that a program replaced stay, even those that existed for a short time. Those
// that a person replaced go.
func TestUndo_SixDaysLater_BringsAllBack(t *testing.T) {
	f := newFixture(t)
	look := func() { f.check(f.h.Scan(context.Background())); f.keepAll() }
	look()
	f.write("by hand", noise(1, 17<<20))
	look()
	f.write("by hand", "small")
	look()
	var spans []protocol.HistorySpan
	for _, text := range []string{"one", "two", "three"} {
		f.pass(time.Minute)
		spans = append(spans, f.program(func() { f.write("doc", text) }))
		f.keepAll()
	}
	f.pass(6 * 24 * time.Hour)
	f.check(f.h.deleteOld(context.Background()))
	if got := f.h.Space().Bytes; got > 4<<20 {
		t.Fatalf("%d bytes are left", got)
	}
	for i, want := range []string{"two", "one", "error: open " + f.path("doc") + ": no such file or directory"} {
		undone := f.undo(spans[2-i], false, "undo "+want)
		if got := f.read("doc"); got != want {
			t.Fatalf("got %q, want %q, %+v", got, want, undone)
		}
	}
}

// TestVersion_ByReplacer_StaysForUndo: a version that Mews replaced stays for 7 days. One that
// somebody else replaced stays for 2 days.
func TestVersion_ByReplacer_StaysForUndo(t *testing.T) {
	at := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for by, days := range map[protocol.HistoryAuthorKind]int{protocol.HistoryAuthorTool: 7,
		protocol.HistoryAuthorProgram: 7, protocol.HistoryAuthorUndo: 7, protocol.HistoryAuthorRestore: 7,
		protocol.HistoryAuthorOther: 2} {
		made := point{number: 1, at: at.UnixNano()}
		replaced := point{number: 2, at: at.Add(time.Minute).UnixNano(), by: protocol.HistoryAuthor{Kind: by}}
		one, two := entry{kind: file, size: 1, digest: digest{1}}, entry{kind: file, size: 1, digest: digest{2}}
		var l versionList
		l.add(&made, &change{path: "a", after: one})
		l.add(&replaced, &change{path: "a", before: one, after: two})
		for day := 1; day < 10; day++ {
			now := at.Add(time.Duration(day)*24*time.Hour + 30*time.Second).UnixNano()
			if got := l[0].shouldKeep(now); got != (day <= days) {
				t.Errorf("replaced by a %s, on day %d: %t", by, day, got)
			}
			if got := l[0].isSpare(now); got != (day > 2) {
				t.Errorf("replaced by a %s, spare on day %d: %t", by, day, got)
			}
		}
	}
}
