package archive

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// settled returns the digest of a home once its newest change is old enough.
func settled(t *testing.T, home, more string) string {
	t.Helper()
	for {
		sum, err := Digest(t.Context(), home, more)
		if err != nil {
			t.Fatal(err)
		}
		if sum != "" {
			return sum
		}
	}
}

func TestDigest_AnyChange_IsNoticed(t *testing.T) {
	home := fill(t, map[string]string{"a/file": "text", "b": "->a", "empty/": ""})
	path := filepath.Join(home, "a", "file")
	before := settled(t, home, "")
	if again := settled(t, home, ""); again != before {
		t.Error("without a change it is another one")
	}
	if more := settled(t, home, "x"); more == before {
		t.Error("the text does not count")
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func() error{
		"same size and time": func() error {
			return errors.Join(os.WriteFile(path, []byte("TEXT"), 0o640), os.Chtimes(path, time.Time{}, info.ModTime()))
		},
		"mode":     func() error { return os.Chmod(path, 0o600) },
		"new name": func() error { return os.Rename(filepath.Join(home, "b"), filepath.Join(home, "c")) },
		"removed":  func() error { return os.Remove(filepath.Join(home, "empty")) },
	} {
		if err := change(); err != nil {
			t.Fatal(err)
		}
		after := settled(t, home, "")
		if after == before {
			t.Errorf("%s: it is the same", name)
		}
		before = after
	}
}

func TestDigest_EndedContext_IsAnError(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Digest(ctx, t.TempDir(), ""); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
