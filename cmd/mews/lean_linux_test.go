package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// programKB is how much of files that can't be written to this process holds.
func programKB(t *testing.T) (kb int) {
	t.Helper()
	spans, err := mapped()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range spans {
		if s.file {
			kb += s.resident
		}
	}
	return kb
}

// TestTheProgramsPagesAreLetGoOf: and it runs on, for each page comes back when it is wanted.
func TestTheProgramsPagesAreLetGoOf(t *testing.T) {
	before := programKB(t)
	if err := letGo(); err != nil {
		t.Fatal(err)
	}
	if after := programKB(t); after > before/2 {
		t.Errorf("%d KB of the program are mapped, of %d", after, before)
	}
}

// TestWhatWasWrittenIsNotLetGoOf: a page that is no longer the file's would come back as it once was. Linkers make such
// pages where a program may be loaded anywhere: written, and then shut.
func TestWhatWasWrittenIsNotLetGoOf(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, bytes.Repeat([]byte("was "), 4096), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	pages, err := unix.Mmap(int(f.Fd()), 0, 4*4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := unix.Munmap(pages); err != nil {
			t.Error(err)
		}
	})
	copy(pages[2*4096:], "is")
	if err := unix.Mprotect(pages, unix.PROT_READ); err != nil {
		t.Fatal(err)
	}
	if err := letGo(); err != nil {
		t.Fatal(err)
	}
	if got := string(pages[2*4096 : 2*4096+2]); got != "is" {
		t.Errorf("what was written is %q now", got)
	}
}
