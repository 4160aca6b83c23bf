package program

import (
	"os"
	"path/filepath"
	"testing"
)

func TestParseWritten_CancelledBytes_AreSubtracted(t *testing.T) {
	for text, want := range map[string]int64{
		"rchar: 9\nwchar: 8\nread_bytes: 7\nwrite_bytes: 6000\ncancelled_write_bytes: 1000\n": 5000,
		"write_bytes: 4096":                             4096,
		"write_bytes: 1\ncancelled_write_bytes: 4096\n": 0,
		"write_bytes: many\n":                           0,
		"":                                              0,
	} {
		if got := parseWritten(text); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

// TestWrittenBytes_FileOnDisk_Grows needs a file on a disk. A file system in memory, such as tmpfs,
// counts nothing.
func TestWrittenBytes_FileOnDisk_Grows(t *testing.T) {
	before := WrittenBytes()
	f, err := os.Create(filepath.Join(t.TempDir(), "a"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Write(make([]byte, 4<<20)); err != nil {
		t.Fatal(err)
	}
	if grown := WrittenBytes() - before; grown != 0 && grown < 4<<20 {
		t.Errorf("4 MiB were written, and %d bytes are counted", grown)
	}
}
