package engine

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/ncruces/go-sqlite3/vfs"
	"pgregory.net/rapid"

	_ "mews/internal/fixedseed"
)

// memoryFile is a file in memory that counts writes.
type memoryFile struct {
	vfs.File
	content []byte
	writes  int
	fails   error // error that each write to the file returns
}

func (f *memoryFile) ReadAt(p []byte, at int64) (int, error) {
	if at >= int64(len(f.content)) {
		return 0, io.EOF
	}
	n := copy(p, f.content[at:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (f *memoryFile) WriteAt(p []byte, at int64) (int, error) {
	f.writes++
	if f.fails != nil {
		return 0, f.fails
	}
	f.content = written(f.content, p, at)
	return len(p), nil
}

func (f *memoryFile) Truncate(size int64) error { f.content = f.content[:size]; return nil }
func (f *memoryFile) Size() (int64, error)      { return int64(len(f.content)), nil }
func (f *memoryFile) Sync(_ vfs.SyncFlag) error { return nil }

// written returns the content of a file after p was written at an offset.
func written(content, p []byte, at int64) []byte {
	if end := at + int64(len(p)); end > int64(len(content)) {
		content = append(content, make([]byte, end-int64(len(content)))...)
	}
	copy(content[at:], p)
	return content
}

// With random writes, reads return the same bytes as without gathering. After a sync no bytes are
// gathered.
func TestJournal_RandomWrites_ReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f, plain := &memoryFile{}, []byte(nil)
		j := &journal{File: f}
		place := rapid.Int64Range(0, 100_000)
		t.Repeat(map[string]func(*rapid.T){
			"write": func(t *rapid.T) {
				at := int64(len(plain))
				if rapid.Bool().Draw(t, "elsewhere") {
					at = place.Draw(t, "at")
				}
				p := bytes.Repeat([]byte{byte(len(plain))}, rapid.IntRange(1, 100_000).Draw(t, "size"))
				if n, err := j.WriteAt(p, at); n != len(p) || err != nil {
					t.Fatal(n, err)
				}
				plain = written(plain, p, at)
			},
			"read": func(t *rapid.T) {
				at, p := place.Draw(t, "at"), make([]byte, 5000)
				n, _ := j.ReadAt(p, at)
				if want := plain[min(at, int64(len(plain))):min(at+5000, int64(len(plain)))]; !bytes.Equal(p[:n], want) {
					t.Fatalf("%d bytes at %d are not what was written", n, at)
				}
			},
			"truncate": func(t *rapid.T) {
				size := min(place.Draw(t, "size"), int64(len(plain)))
				if err := j.Truncate(size); err != nil {
					t.Fatal(err)
				}
				plain = plain[:size]
			},
			"size": func(t *rapid.T) {
				if size, err := j.Size(); size != int64(len(plain)) || err != nil {
					t.Fatal(size, err)
				}
			},
			"sync": func(t *rapid.T) {
				if err := j.Sync(0); err != nil || !bytes.Equal(f.content, plain) {
					t.Fatalf("the file is not what was written; %v", err)
				}
			},
		})
	})
}

func TestJournal_SequentialWrites_AreOneWrite(t *testing.T) {
	f := &memoryFile{}
	j := &journal{File: f}
	for n := range 10 {
		if _, err := j.WriteAt(make([]byte, 4120), int64(n*4120)); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Sync(0); err != nil || f.writes != 1 || len(f.content) != 41200 {
		t.Errorf("%d writes of %d bytes, %v", f.writes, len(f.content), err)
	}
	full := errors.New("full")
	f.fails = full
	if _, err := j.WriteAt([]byte("x"), 0); err != nil {
		t.Error(err)
	}
	if err := j.Sync(0); !errors.Is(err, full) {
		t.Errorf("a sync of what can't be written: %v", err)
	}
	if err := j.Sync(0); err != nil {
		t.Errorf("it is tried again: %v", err)
	}
}
