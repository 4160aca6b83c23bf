package statefolder

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLock_SecondProcess_IsRefused(t *testing.T) {
	state := t.TempDir()
	lock, err := LockFolder(state)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second round shows that a refusal changes nothing
		second, err := LockFolder(state)
		if err == nil {
			second.Close()
			t.Fatal("a second one has locked it too")
		}
		for _, want := range []string{state, fmt.Sprintf("(process %d)", os.Getpid()), "mews chat", "mews status"} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%q does not say %q", err, want)
			}
		}
	}
	if err := lock.Close(); err != nil {
		t.Fatal(err)
	}
	lock, err = LockFolder(state)
	if err != nil {
		t.Fatalf("after the first has gone: %v", err)
	}
	lock.Close()
}

func TestLock_OldLockFile_IsIgnored(t *testing.T) {
	state := t.TempDir()
	path := filepath.Join(state, "lock")
	if err := os.WriteFile(path, []byte("12345678901234567890 and more that a crash left"), 0o600); err != nil {
		t.Fatal(err)
	}
	lock, err := LockFolder(state)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	if text, err := os.ReadFile(path); err != nil || string(text) != fmt.Sprintln(os.Getpid()) {
		t.Errorf("the file holds %q, %v", text, err)
	}
}

func TestLock_Failure_NamesTheFolder(t *testing.T) {
	state := filepath.Join(t.TempDir(), "missing")
	if _, err := LockFolder(state); err == nil || !strings.Contains(err.Error(), "lock the state folder: open "+state) {
		t.Errorf("got %v", err)
	}
}
