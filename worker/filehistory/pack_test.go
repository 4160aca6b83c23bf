package filehistory

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"mews/protocol"
)

// packOf returns the content of the first pack, without its header, and its id.
func (f *fixture) packOf() ([]byte, packID) {
	f.t.Helper()
	b, err := os.ReadFile(filepath.Join(f.history, packName(1)))
	f.check(err)
	id, ok := parsePackHeader(b)
	if !ok {
		f.t.Fatal("no header")
	}
	return b[packHeader:], id
}

// FuzzPack reads any bytes as a pack.
func FuzzPack(f *testing.F) {
	x := newFixture(f)
	x.write("a", "one")
	x.program(func() { x.write("a", "two") })
	x.keepAll()
	good, id := x.packOf()
	f.Add(good)
	f.Add(good[:len(good)/2])
	f.Add(bytes.Replace(good, []byte("two"), []byte("tvo"), 1))
	f.Fuzz(func(t *testing.T, b []byte) {
		s := &store{index: newIndex(), report: func(error) {}}
		l := loader{store: s, changes: map[uint64][]change{}}
		p := &pack{number: 1, id: id}
		end, _ := scanRecords(b, 0, id, func(at int, r frame) {
			_ = l.record(p, uint32(at), r)
		})
		if end > len(b) {
			t.Fatalf("the last record ends at %d of %d", end, len(b))
		}
	})
}

// FuzzRecord reads any bytes as the payload of each kind of record.
func FuzzRecord(f *testing.F) {
	e := entry{kind: file, mode: 0o644, size: 3, modify: 5, change: 6, inode: 7, device: 8, digest: digestOf(nil),
		sparse: true}
	f.Add(appendChange(appendChangesHead(nil, 1, 2), &change{path: "a", after: e}))
	by := protocol.HistoryAuthor{Kind: protocol.HistoryAuthorTool, Words: "x"}
	f.Add(appendPoint(nil, &point{number: 1, at: 5, by: by}))
	f.Add(appendPresent(nil, "a", &entry{kind: link, target: "b"}))
	f.Add(appendHold(nil, &hold{path: "a"}))
	f.Add(appendLarge(nil, &large{size: 5, chunks: []digest{{1}}}))
	f.Add(newIndex().encode(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, kind := range []recordKind{changesRecord, pointRecord, presentRecord, holdRecord, largeRecord} {
			s := &store{index: newIndex(), report: func(error) {}}
			l := loader{store: s, changes: map[uint64][]change{}}
			_ = l.record(&pack{}, 0, frame{kind: kind, raw: len(b), stored: b})
		}
		_, _, _ = decodeIndex(b)
		if number, nonce, list, err := decodeChanges(b); err == nil {
			again := appendChangesHead(nil, number, nonce)
			for i := range list {
				again = appendChange(again, &list[i])
			}
			if n, _, l, err := decodeChanges(again); err != nil || n != number || len(l) != len(list) {
				t.Fatalf("%x becomes %x: %v", b, again, err)
			}
		}
	})
}

func TestPack_DamagedRecord_LosesItselfAlone(t *testing.T) {
	f := newFixture(t)
	for _, name := range []string{"a", "b", "c"} {
		f.write(name, "bytes of "+name)
	}
	f.program(func() {})
	f.close()
	path := filepath.Join(f.history, packName(1))
	b, err := os.ReadFile(path)
	f.check(err)
	f.check(os.WriteFile(path, bytes.Replace(b, []byte("bytes of b"), []byte("bytes_of b"), 1), 0o600))
	for _, lostIndex := range []bool{false, true} {
		if lostIndex {
			f.check(os.Remove(filepath.Join(f.history, indexName)))
		}
		f.open()
		if got := f.version("a", 0) + f.version("c", 0); got != "bytes of abytes of c" {
			t.Errorf("got %q", got)
		}
		if lostIndex {
			if got := f.version("b", 0); got != "no bytes" || len(f.reports) != 1 {
				t.Errorf("got %q, reports %v", got, f.reports)
			}
		}
		f.close()
	}
	f.open()
}

func TestIndex_Damaged_IsRebuilt(t *testing.T) {
	f := newFixture(t)
	f.write("a", "one")
	f.program(func() { f.write("a", "two") })
	f.keepAll()
	f.close()
	path := filepath.Join(f.history, indexName)
	b, err := os.ReadFile(path)
	f.check(err)
	for i := 0; i < len(b); i += 7 {
		broken := bytes.Clone(b)
		broken[i] ^= 0x20
		f.check(os.WriteFile(path, broken, 0o600))
		f.open()
		if got := f.version("a", 1) + f.version("a", 0); got != "onetwo" {
			t.Fatalf("byte %d: got %q", i, got)
		}
		f.close()
	}
	f.open()
}

func TestHistory_ModesTakenAway_ComeBack(t *testing.T) {
	f := newFixture(t)
	f.write("a", "one")
	f.program(func() {})
	f.close()
	f.check(os.Chmod(filepath.Join(f.history, packName(1)), 0))
	f.open()
	f.check(os.Chmod(f.history, 0o777))
	if got := f.version("a", 0); got != "one" {
		t.Errorf("got %q", got)
	}
	info, err := os.Stat(f.history)
	f.check(err)
	if info.Mode().Perm() != folderMode {
		t.Errorf("the folder has mode %v", info.Mode())
	}
}
