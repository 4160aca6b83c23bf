package serve_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/s2"
	"golang.org/x/sys/unix"

	"mews/protocol"
)

// traces returns the words that the packs of the file history have, unpacked, and those that the
// names and other files in its folder have.
func (k *keptHome) traces(words ...string) (found []string) {
	k.t.Helper()
	var all bytes.Buffer
	entries, err := os.ReadDir(k.folder)
	if err != nil {
		k.t.Fatal(err)
	}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(k.folder, e.Name()))
		if err != nil {
			k.t.Fatal(err)
		}
		all.WriteString(e.Name())
		all.Write(text)
		all.Write(unpack(text))
	}
	lower := bytes.ToLower(all.Bytes())
	for _, word := range words {
		if bytes.Contains(lower, []byte(strings.ToLower(word))) {
			found = append(found, word)
		}
	}
	return found
}

// unpack returns the payloads of everything in a file that looks like a record of a pack, damaged
// or not.
func unpack(pack []byte) (payloads []byte) {
	const header = 20
	for {
		at := bytes.Index(pack, []byte("MwR1"))
		if at < 0 || len(pack) < at+header {
			return payloads
		}
		pack = pack[at:]
		end := min(uint64(len(pack)), header+uint64(binary.LittleEndian.Uint32(pack[8:])))
		if plain, err := s2.Decode(nil, pack[header:end]); err == nil && pack[5] != 0 {
			payloads = append(payloads, plain...)
		}
		pack = pack[1:]
	}
}

func (k *keptHome) memory(p protocol.MemoryParameters) (r protocol.MemoryResult) {
	k.t.Helper()
	k.ids++
	k.operate(k.ids, protocol.OperationKindMemory, p, &r)
	return r
}

// teaHome is a home in which a fact and a turn have left words in many places.
func teaHome(t *testing.T) *keptHome {
	t.Helper()
	k := &keptHome{t: t, dir: t.TempDir(), folder: t.TempDir(), kept: true}
	k.write("MEMORY.md", "- has a cat <!-- k1 fact 0.9 2026-11-20 #1 -->\n"+
		"- takes oolong <!-- k7 fact 0.9 2026-11-20 #4711 -->\n")
	k.write("memory/2026-11-20.md", "- 09:00 takes Oolong\n- 09:05 walked\n- 09:07 bought jasmine\n")
	k.write("memory/2026-11-21.md", "- 09:00 rained\n")
	k.write("logs/2026-11-20.md", "# Friday\n\n## 09:01 <!-- turn 900 -->\n\nearlgrey please\n\n"+
		"## 09:02 <!-- turn 901 -->\n\nbye\n")
	k.write("diary.md", "dear diary\n")
	return k
}

// changeTea makes versions by a correction of the fact, a changed note, and commands of a turn.
func changeTea(k *keptHome) (turn int64) {
	k.t.Helper()
	k.turn(bash("echo 'about darjeeling' > diary.md"))
	turn = k.ids
	k.memory(protocol.MemoryParameters{Action: protocol.MemoryActionCorrect, ID: "k7", Text: "takes lapsang"})
	k.write("memory/2026-11-20.md", "- 09:05 walked\n- 09:07 bought jasmine\n")
	k.turn(bash("sed -i s/rained/snowed/ memory/2026-11-21.md; touch logs/2026-11-20.md"))
	return turn
}

// TestForgetFact_NoTrace: no pack has the words of a forgotten fact, not even those from before its
// correction. Versions of other files and the present files stay.
func TestForgetFact_NoTrace(t *testing.T) {
	k := teaHome(t)
	k.startProcess()
	changeTea(k)
	words := []string{"oolong", "lapsang"}
	if got := k.traces(words...); len(got) != 2 {
		t.Fatalf("before there is %q", got)
	}
	diary := len(k.versionsOf("diary.md"))
	if r := k.memory(protocol.MemoryParameters{Action: protocol.MemoryActionForget, ID: "k7"}); len(r.Facts) != 1 ||
		r.Refused != "" {
		t.Fatalf("%+v", r)
	}
	if got := k.traces(words...); len(got) > 0 {
		t.Errorf("left are %q", got)
	}
	k.checkPresentKept("MEMORY.md", "memory/2026-11-20.md", "memory/2026-11-21.md")
	if now := len(k.versionsOf("diary.md")); now != diary || len(k.versionsOf("memory/2026-11-21.md")) < 2 {
		t.Errorf("versions of other files: %d, %d before", now, diary)
	}
}

// TestForgetFact_RemovedByHand_NoTrace: the user has removed a fact from MEMORY.md, and earlier
// versions still have its words. They are shown and deleted under the fact's id.
func TestForgetFact_RemovedByHand_NoTrace(t *testing.T) {
	k := teaHome(t)
	k.startProcess()
	changeTea(k)
	k.write("MEMORY.md", "- has a cat <!-- k1 fact 0.9 2026-11-20 #1 -->\n")
	shown := k.memory(protocol.MemoryParameters{Action: protocol.MemoryActionShow, ID: "k7"})
	if len(shown.Facts) != 1 || shown.Facts[0].Text != "takes lapsang" || shown.Facts[0].Line != 0 {
		t.Fatalf("shown is %+v", shown)
	}
	r := k.memory(protocol.MemoryParameters{Action: protocol.MemoryActionForget, ID: "k7"})
	if len(r.Facts) != 1 || r.Facts[0].Text != "takes lapsang" || r.Refused != "" || r.Total != 1 {
		t.Errorf("forgotten is %+v", r)
	}
	if got := k.traces("oolong", "lapsang"); len(got) > 0 {
		t.Errorf("left are %q", got)
	}
	k.checkPresentKept("MEMORY.md")
	if r = k.memory(protocol.MemoryParameters{Action: protocol.MemoryActionForget, ID: "k7"}); len(r.Facts) != 0 {
		t.Errorf("forgotten again is %+v", r)
	}
}

// checkPresentKept checks that the newest version of each file has its present bytes.
func (k *keptHome) checkPresentKept(paths ...string) {
	k.t.Helper()
	for _, path := range paths {
		text, err := os.ReadFile(filepath.Join(k.dir, path))
		if err != nil {
			k.t.Fatal(err)
		}
		r := k.fileHistory(protocol.FileHistoryParameters{Action: protocol.FileHistoryShow, Path: path})
		if r.Blob == nil || *r.Blob != refOf(string(text)) {
			k.t.Errorf("the newest version of %s: %+v", path, r)
		}
	}
}

// TestForgetSpan_NoTrace: no pack has the facts, notes, logged exchanges or commands of forgotten
// turns. A second time it changes nothing.
func TestForgetSpan_NoTrace(t *testing.T) {
	k := teaHome(t)
	k.startProcess()
	turn := changeTea(k)
	words := []string{"oolong", "jasmine", "earlgrey", "echo 'about"}
	if got := k.traces(words...); len(got) != len(words) {
		t.Fatalf("before there is %q", got)
	}
	of := protocol.TurnDataQuery{Turns: []int64{900, turn}, Messages: []int64{4711}, Notes: []string{"bought jasmine"},
		From: "2026-11-19", To: "2026-11-22"}
	for range 2 {
		if r := k.memory(protocol.MemoryParameters{Action: protocol.MemoryActionForget, Turns: &of}); r.Refused != "" {
			t.Fatalf("%+v", r)
		}
		if got := k.traces(words...); len(got) > 0 {
			t.Errorf("left are %q", got)
		}
	}
	k.checkPresentKept("MEMORY.md", "memory/2026-11-20.md", "logs/2026-11-20.md")
	if got := k.traces("has a cat", "walked", "bye"); len(got) != 3 {
		t.Errorf("of the rest there is only %q", got)
	}
	if got := k.fileHistory(protocol.FileHistoryParameters{Action: protocol.FileHistoryRestore, Path: ".",
		Point: 1}); got.Deleted.Count > 0 {
		t.Errorf("a restore of the beginning deletes %+v", got.Deleted)
	}
}

// TestForgetFact_Killed_RepeatLeavesNoTrace: the worker is killed after MEMORY.md was rewritten,
// while it deletes versions. The repeated operation finds no fact, and still deletes its versions.
func TestForgetFact_Killed_RepeatLeavesNoTrace(t *testing.T) {
	k := teaHome(t)
	kill := k.startProcess()
	changeTea(k)
	changed := watchFile(t, k.dir)
	parameters, err := json.Marshal(protocol.MemoryParameters{Action: protocol.MemoryActionForget, ID: "k7"})
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	k.ids++
	go func() { // the worker dies, so this call fails
		_, _ = k.s.operation(context.Background(), k.ids, protocol.OperationKindMemory, string(parameters))
		close(ended)
	}()
	changed("MEMORY.md")
	kill()
	<-ended
	if text, err := os.ReadFile(filepath.Join(k.dir, "MEMORY.md")); err != nil || strings.Contains(string(text), "k7") {
		t.Fatalf("killed too early: %s, %v", text, err)
	}
	k.startProcess()
	if r := k.memory(protocol.MemoryParameters{Action: protocol.MemoryActionForget, ID: "k7"}); r.Refused != "" {
		t.Fatalf("%+v", r)
	}
	if got := k.traces("oolong", "lapsang"); len(got) > 0 {
		t.Errorf("left are %q", got)
	}
	k.checkPresentKept("MEMORY.md")
}

// watchFile watches a folder, and returns a function that waits until a file is renamed into it.
func watchFile(t *testing.T, dir string) func(name string) {
	t.Helper()
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC)
	if err == nil {
		_, err = unix.InotifyAddWatch(fd, dir, unix.IN_MOVED_TO)
	}
	if err != nil {
		t.Fatal(err)
	}
	events := os.NewFile(uintptr(fd), "inotify")
	t.Cleanup(func() { _ = events.Close() })
	return func(name string) {
		b := make([]byte, 4096)
		for {
			n, err := events.Read(b)
			if err != nil {
				t.Fatal(err)
			}
			if bytes.Contains(b[:n], append([]byte(name), 0)) {
				return
			}
		}
	}
}

// TestUploads_RemovedForGood_NoTrace: a file that is removed for good has no version, also if the
// operation is repeated.
func TestUploads_RemovedForGood_NoTrace(t *testing.T) {
	k := newKeptHome(t, map[string]string{"uploads/2026-11-20/120000-a.txt": "rooibos", "a.txt": "other"}, true)
	k.turn(bash("true"))
	if got := k.traces("rooibos", "120000-a.txt"); len(got) != 2 {
		t.Fatalf("before there is %q", got)
	}
	p := protocol.UploadsParameters{Action: protocol.UploadedFilesActionRemove,
		Key: protocol.UploadKey("uploads/2026-11-20/120000-a.txt")}
	k.ids++
	k.operate(k.ids, protocol.OperationKindUploads, p, new(protocol.UploadsResult))
	if got := k.traces("rooibos", "120000-a.txt"); len(got) > 0 {
		t.Errorf("left are %q", got)
	}
	k.write("uploads/2026-11-20/120000-a.txt", "rooibos")
	k.turn(bash("true"))
	// as if the worker was killed after the removal
	if err := os.Remove(filepath.Join(k.dir, "uploads/2026-11-20/120000-a.txt")); err != nil {
		t.Fatal(err)
	}
	k.ids++
	k.operate(k.ids, protocol.OperationKindUploads, p, new(protocol.UploadsResult))
	if got := k.traces("rooibos", "120000-a.txt"); len(got) > 0 {
		t.Errorf("after a repeat left are %q", got)
	}
}
