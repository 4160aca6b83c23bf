package serve_test

import (
	"testing"

	"mews/protocol"
)

// TestForget_HistoryOff_NoTrace: versions from before the history was turned off are forgotten too.
// Nothing is kept meanwhile. Once the history is on again, no pack has the words, and a restore of
// the beginning leaves the files of forgotten versions alone.
func TestForget_HistoryOff_NoTrace(t *testing.T) {
	k := teaHome(t)
	kill := k.startProcess()
	changeTea(k)
	words := []string{"oolong", "lapsang", "darjeeling"}
	if got := k.traces(words...); len(got) != len(words) {
		t.Fatalf("before there is %q", got)
	}
	kill()
	k.off = true
	kill = k.startProcess()
	k.turn(bash("echo 'dear assam' > diary.md"))
	if r := k.memory(protocol.MemoryParameters{Action: protocol.MemoryActionForget, ID: "k7"}); len(r.Facts) != 1 ||
		r.Refused != "" {
		t.Fatalf("%+v", r)
	}
	diary := []string{"diary.md"}
	count := k.fileHistory(protocol.FileHistoryParameters{Action: protocol.FileHistoryCount, Paths: diary})
	gone := k.fileHistory(protocol.FileHistoryParameters{Action: protocol.FileHistoryForget, Paths: diary})
	if count.VersionCount == 0 || gone.VersionCount < count.VersionCount {
		t.Errorf("counted %d versions of the diary, deleted %d", count.VersionCount, gone.VersionCount)
	}
	if got := k.traces(append(words, "assam")...); len(got) > 0 {
		t.Errorf("left are %q", got)
	}
	kill()
	k.off = false
	k.startProcess()
	k.checkPresentKept("MEMORY.md", "diary.md", "memory/2026-11-20.md")
	if got := k.traces(words...); len(got) > 0 {
		t.Errorf("turned on again, left are %q", got)
	}
	if got := k.fileHistory(protocol.FileHistoryParameters{Action: protocol.FileHistoryPreview, Path: ".",
		Point: 1}); got.Deleted.Count > 0 {
		t.Errorf("a restore of the beginning deletes %+v", got.Deleted)
	}
}

// TestForget_OffAndNoVersions_BeginsNothing: a request to forget begins no history.
func TestForget_OffAndNoVersions_BeginsNothing(t *testing.T) {
	k := teaHome(t)
	k.off = true
	kill := k.startProcess()
	if r := k.memory(protocol.MemoryParameters{Action: protocol.MemoryActionForget, ID: "k7"}); len(r.Facts) != 1 {
		t.Fatalf("%+v", r)
	}
	if got := k.traces("MEMORY.md", "diary.md", "has a cat"); len(got) > 0 {
		t.Errorf("the history has %q", got)
	}
	kill()
	k.off = false
	k.startProcess()
	if got := k.fileHistory(protocol.FileHistoryParameters{Action: protocol.FileHistoryPreview, Path: ".",
		Point: 1}); got.Deleted.Count > 0 {
		t.Errorf("a restore of the beginning deletes %+v", got.Deleted)
	}
}
