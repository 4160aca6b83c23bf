package serve_test

import (
	"fmt"
	"testing"

	"mews/protocol"
)

// TestForget_Span_TakesAllItsFiles: a program changed more files than its effects list. Its span
// stands for all of them, except for the memory. A span of another history stands for none.
func TestForget_Span_TakesAllItsFiles(t *testing.T) {
	files := map[string]string{"MEMORY.md": "- likes rain\n", "memory/2026-11-20.md": "- 09:00 rained\n"}
	for i := range 30 {
		files[fmt.Sprintf("many/%02d", i)] = "old words"
	}
	k := newKeptHome(t, files, true)
	changes := undos(k.turn(bash("for f in many/* MEMORY.md memory/*; do echo new > $f; done"))...)
	if len(changes) != 1 || changes[0].Span == nil {
		t.Fatalf("got %+v", changes)
	}
	other := *changes[0].Span
	other.Nonce = "7e57"
	spans := []protocol.HistorySpan{other}
	ask := func(action protocol.FileHistoryAction) protocol.FileHistoryResult {
		return k.fileHistory(protocol.FileHistoryParameters{Action: action, Spans: spans})
	}
	if got := ask(protocol.FileHistoryCount); got.VersionCount != 0 {
		t.Errorf("of another history: %+v", got)
	}
	spans = append(spans, *changes[0].Span)
	count := ask(protocol.FileHistoryCount)
	if e := count.Earlier; count.VersionCount != 30 || len(e.Files) != protocol.MaxNamedPaths || e.More != 10 ||
		e.Files[0] != (protocol.PathVersions{Path: "many/00", Versions: 1}) {
		t.Errorf("got %+v", count)
	}
	if got := ask(protocol.FileHistoryForget); got.VersionCount < 30 {
		t.Errorf("deleted %d versions", got.VersionCount)
	}
	if got := k.traces("old words"); len(got) > 0 {
		t.Errorf("left are %q", got)
	}
	if got := k.traces("likes rain", "rained"); len(got) != 2 {
		t.Errorf("of the memory there is only %q", got)
	}
	if got := ask(protocol.FileHistoryCount); got.VersionCount != 0 {
		t.Errorf("afterwards: %+v", got)
	}
}
