package access_test

import (
	"bytes"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"mews/supervisor/access"
)

var key = [access.SealingKeySize]byte{7, 7, 7}

func TestSeal_OpensOnlyForItsUser(t *testing.T) {
	seal := access.NewSealer(key)
	plain := []byte("ORSXG5A")
	sealed, err := seal.Seal("ann", plain)
	if err != nil || bytes.Contains(sealed, plain) {
		t.Fatalf("sealed as %q, %v", sealed, err)
	}
	if got, err := access.NewSealer(key).Open("ann", sealed); err != nil || !bytes.Equal(got, plain) {
		t.Fatalf("opened as %q, %v", got, err)
	}
	if again, _ := seal.Seal("ann", plain); bytes.Equal(again, sealed) {
		t.Error("the same was sealed to the same")
	}
	other := key
	other[31] ^= 1
	for name, open := range map[string]func() ([]byte, error){
		"another user's row": func() ([]byte, error) { return seal.Open("bob", sealed) },
		"no user":            func() ([]byte, error) { return seal.Open("", sealed) },
		"another key":        func() ([]byte, error) { return access.NewSealer(other).Open("ann", sealed) },
		"no key":             func() ([]byte, error) { return (*access.Sealer)(nil).Open("ann", sealed) },
	} {
		if got, err := open(); err == nil || got != nil || strings.Contains(err.Error(), string(plain)) {
			t.Errorf("%s: opened as %q, %v", name, got, err)
		}
	}
	if _, err := (*access.Sealer)(nil).Seal("ann", plain); err == nil {
		t.Error("was sealed without a key")
	}
}

func TestSealerOpen_ChangedData_Fails(t *testing.T) {
	seal := access.NewSealer(key)
	sealed, err := seal.Seal("ann", []byte("ORSXG5A"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range sealed {
		for bit := range 8 {
			changed := bytes.Clone(sealed)
			changed[i] ^= 1 << bit
			if _, err := seal.Open("ann", changed); err == nil {
				t.Errorf("bit %d of byte %d was changed", bit, i)
			}
		}
		if _, err := seal.Open("ann", sealed[:i]); err == nil {
			t.Errorf("the first %d bytes opened", i)
		}
	}
	if _, err := seal.Open("ann", append(bytes.Clone(sealed), 0)); err == nil {
		t.Error("a byte more opened")
	}
}

func TestLoadSealingKey_NoFile_MakesOneKey(t *testing.T) {
	path := filepath.Join(t.TempDir(), "seal.key")
	if _, err := access.LoadSealingKey(path, false); err == nil {
		t.Fatal("a key was made that opens nothing")
	}
	made, err := access.LoadSealingKey(path, true)
	if err != nil || made == [access.SealingKeySize]byte{} {
		t.Fatalf("made %x, %v", made, err)
	}
	for _, fresh := range []bool{false, true} {
		if again, err := access.LoadSealingKey(path, fresh); err != nil || again != made {
			t.Errorf("fresh %v: got another, %v", fresh, err)
		}
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got %v, %v", info.Mode(), err)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*")); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
	if other, _ := access.LoadSealingKey(filepath.Join(t.TempDir(), "seal.key"), true); other == made {
		t.Error("two keys are the same")
	}
}

func TestLoadSealingKey_Concurrently_GivesOneKey(t *testing.T) {
	path := filepath.Join(t.TempDir(), "seal.key")
	keys := make([][access.SealingKeySize]byte, 20)
	var crowd sync.WaitGroup
	for i := range keys {
		crowd.Go(func() {
			var err error
			if keys[i], err = access.LoadSealingKey(path, true); err != nil {
				t.Error(err)
			}
		})
	}
	crowd.Wait()
	if slices.ContainsFunc(keys, func(k [access.SealingKeySize]byte) bool { return k != keys[0] }) {
		t.Error("two have different keys")
	}
}

func TestLoadSealingKey_BadContentOrMode_Fails(t *testing.T) {
	raw := bytes.Repeat([]byte{0x5a}, access.SealingKeySize)
	text := hex.EncodeToString(raw)
	for name, c := range map[string]struct {
		content string
		mode    os.FileMode
		want    string // a part of the error; "" means no error
	}{
		"raw":                   {string(raw), 0o600, ""},
		"read-only":             {string(raw), 0o400, ""},
		"digits":                {text, 0o600, ""},
		"digits in a line":      {strings.ToUpper(text) + "\n", 0o600, ""},
		"digits in a DOS line":  {text + "\r\n", 0o600, ""},
		"empty":                 {"", 0o600, "is not a key"},
		"a byte too few":        {string(raw[1:]), 0o600, "is not a key"},
		"a byte too many":       {string(raw) + "x", 0o600, "is not a key"},
		"a digit too few":       {text[1:], 0o600, "is not a key"},
		"no digits":             {strings.Repeat("Z!", 32), 0o600, "is not a key"},
		"two lines":             {text + "\n\n", 0o600, "is not a key"},
		"a long file":           {strings.Repeat(text, 1000), 0o600, "is not a key"},
		"readable by the group": {string(raw), 0o640, "chmod 600"},
		"readable by all":       {string(raw), 0o604, "chmod 600"},
		"writable by the group": {string(raw), 0o620, "chmod 600"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "seal.key")
			if err := os.WriteFile(path, []byte(c.content), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(path, c.mode); err != nil {
				t.Fatal(err)
			}
			got, err := access.LoadSealingKey(path, true)
			if c.want == "" && (err != nil || !bytes.Equal(got[:], raw)) {
				t.Errorf("got %x, %v", got, err)
			}
			if c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), path) ||
				strings.Contains(err.Error(), text[:16])) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestLoadSealingKey_NotAPlainFile_Fails(t *testing.T) {
	dir := t.TempDir()
	real := filepath.Join(dir, "real")
	if err := os.WriteFile(real, make([]byte, access.SealingKeySize), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, make := range map[string]func(path string) error{
		"a link":                  func(path string) error { return os.Symlink(real, path) },
		"a link to nowhere":       func(path string) error { return os.Symlink(filepath.Join(dir, "none"), path) },
		"a folder":                func(path string) error { return os.Mkdir(path, 0o700) },
		"a pipe without a writer": func(path string) error { return syscall.Mkfifo(path, 0o600) },
	} {
		path := filepath.Join(dir, strings.ReplaceAll(name, " ", "-"))
		if err := make(path); err != nil {
			t.Fatal(err)
		}
		if _, err := access.LoadSealingKey(path, true); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "none")); err == nil {
		t.Error("a key was made through a link")
	}
	if _, err := access.LoadSealingKey(filepath.Join(dir, "no", "folder"), true); err == nil {
		t.Error("a key was made in no folder")
	}
}
