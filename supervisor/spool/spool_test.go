package spool_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"mews/supervisor/spool"
)

func open(t *testing.T) (*spool.Spool, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "spool")
	s, err := spool.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s, dir
}

func keep(t *testing.T, s *spool.Spool, data []byte) string {
	t.Helper()
	f, err := s.NewWriter()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write(data); err != nil {
		t.Fatal(err)
	}
	ref, err := f.Commit()
	if err != nil {
		t.Fatal(err)
	}
	if ref.Size != int64(len(data)) {
		t.Fatalf("size %d, want %d", ref.Size, len(data))
	}
	return ref.SHA256
}

func TestStoreBytes_AreFoundByHash(t *testing.T) {
	s, _ := open(t)
	data := bytes.Repeat([]byte("mews"), 50_000)
	sum := sha256.Sum256(data)
	sha := keep(t, s, data)
	if sha != hex.EncodeToString(sum[:]) {
		t.Fatalf("kept as %s", sha)
	}
	if again := keep(t, s, data); again != sha {
		t.Fatalf("the same bytes were kept as %s too", again)
	}
	p := make([]byte, 10)
	n, size, err := s.ReadAt(sha, p, 199_996)
	if err != nil || n != 4 || size != 200_000 || string(p[:n]) != "mews" {
		t.Errorf("read %q (%d of %d), %v", p[:n], n, size, err)
	}
	if n, _, err := s.ReadAt(sha, p, 200_000); n != 0 || err != nil {
		t.Errorf("at the end: %d bytes, %v", n, err)
	}
}

func TestDiscard_LeavesNoFile(t *testing.T) {
	s, dir := open(t)
	f, err := s.NewWriter()
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Discard(); err != nil {
		t.Fatal(err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("left %v", left)
	}
}

func TestOpenBlob_InvalidHash_IsRefused(t *testing.T) {
	s, dir := open(t)
	if err := os.WriteFile(filepath.Join(dir, "..", "secret"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"", "../secret", "new-1", "/etc/passwd", "zz"} {
		if _, _, err := s.ReadAt(name, make([]byte, 1), 0); !errors.Is(err, spool.ErrBlobGone) {
			t.Errorf("%q: got %v, want ErrGone", name, err)
		}
	}
}

func TestRemoveUnwanted_DeletesOldAndCrashFiles(t *testing.T) {
	s, dir := open(t)
	old, young, wanted := keep(t, s, []byte("old")), keep(t, s, []byte("young")), keep(t, s, []byte("wanted"))
	if err := os.WriteFile(filepath.Join(dir, "new-123"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	long := time.Now().Add(-time.Hour)
	for _, name := range []string{old, wanted, "new-123"} {
		if err := os.Chtimes(filepath.Join(dir, name), long, long); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := s.RemoveUnwantedBlobs(time.Now().Add(-time.Minute), map[string]bool{wanted: true}); n != 2 ||
		err != nil {
		t.Fatalf("removed %d, %v; want 2", n, err)
	}
	if _, _, err := s.ReadAt(old, make([]byte, 1), 0); !errors.Is(err, spool.ErrBlobGone) {
		t.Errorf("the old one: %v", err)
	}
	if n, _, err := s.ReadAt(young, make([]byte, 9), 0); n != 5 || err != nil {
		t.Errorf("the young one: %d bytes, %v", n, err)
	}
	if n, _, err := s.ReadAt(wanted, make([]byte, 9), 0); n != 6 || err != nil {
		t.Errorf("the one that is wanted: %d bytes, %v", n, err)
	}
}

func TestRemoveBlob_ReadersGetErrGone(t *testing.T) {
	s, _ := open(t)
	sha := keep(t, s, []byte("some bytes"))
	f, size, err := s.OpenBlob(sha)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if body, err := io.ReadAll(f); string(body) != "some bytes" || size != 10 || err != nil {
		t.Errorf("read %q of %d bytes, %v", body, size, err)
	}
	for range 2 { // the second time the file is missing, which is no error
		if err := s.RemoveBlob(sha); err != nil {
			t.Error(err)
		}
		if _, _, err := s.OpenBlob(sha); !errors.Is(err, spool.ErrBlobGone) {
			t.Errorf("after it was removed: %v", err)
		}
	}
	for _, name := range []string{"", "..", "../spool_test.go", "new-123"} {
		if _, _, err := s.OpenBlob(name); !errors.Is(err, spool.ErrBlobGone) {
			t.Errorf("read %q: %v", name, err)
		}
		if err := s.RemoveBlob(name); err != nil {
			t.Errorf("remove %q: %v", name, err)
		}
	}
}

func TestNewWriter_DiskNearlyFull_IsRefused(t *testing.T) {
	s, dir := open(t)
	free := int64(256 << 20)
	spool.SetFreeSpace(s, func(string) (int64, error) { return free, nil })
	f, err := s.NewWriter()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte("fits")); err != nil {
		t.Fatal(err)
	}
	free--
	if _, err := s.NewWriter(); !errors.Is(err, spool.ErrFull) {
		t.Errorf("create: %v, want ErrFull", err)
	}
	if n, err := f.Write([]byte("more")); n != 0 || !errors.Is(err, spool.ErrFull) {
		t.Errorf("write: %d bytes, %v, want ErrFull", n, err)
	}
	if err := f.Discard(); err != nil {
		t.Fatal(err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("left %v", left)
	}
}

func TestNewWriter_UnknownFreeSpace_ReturnsError(t *testing.T) {
	s, _ := open(t)
	unknown := errors.New("no such disk")
	spool.SetFreeSpace(s, func(string) (int64, error) { return 0, unknown })
	if _, err := s.NewWriter(); !errors.Is(err, unknown) || errors.Is(err, spool.ErrFull) {
		t.Errorf("got %v, want the system's own error", err)
	}
}

func TestRemoveUnwanted_FileWasRead_IsRemoved(t *testing.T) {
	s, dir := open(t)
	sha := keep(t, s, []byte("old"))
	long := time.Now().Add(-spool.Retention - time.Hour)
	if err := os.Chtimes(filepath.Join(dir, sha), long, long); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.ReadAt(sha, make([]byte, 1), 0); err != nil {
		t.Fatal(err)
	}
	if n, err := s.RemoveUnwantedBlobs(time.Now().Add(-spool.Retention), nil); n != 1 || err != nil {
		t.Errorf("removed %d, %v; want 1", n, err)
	}
}
