package access

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// LoadSealingKey reads a sealing key from a file. The file has 32 bytes, or 64 hexadecimal digits
// on one line. If fresh is true and the file is missing, it creates the file with a random key. Do
// not set fresh if the database has sealed secrets: a new key opens none of them. LoadSealingKey
// refuses a file that is not a plain file, or that other users can read. No error contains a part
// of the key.
func LoadSealingKey(path string, fresh bool) ([SealingKeySize]byte, error) {
	key, err := readKey(path)
	if fresh && errors.Is(err, fs.ErrNotExist) {
		if err = makeKey(path); err == nil {
			key, err = readKey(path)
		}
	}
	if err != nil {
		return key, fmt.Errorf("the key that seals second factors: %w", err)
	}
	return key, nil
}

func readKey(path string) (key [SealingKeySize]byte, err error) {
	// Without O_NONBLOCK, opening a named pipe would block.
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if errors.Is(err, syscall.ELOOP) {
		return key, fmt.Errorf("%s is a symbolic link; name the file itself", path)
	}
	if err != nil {
		return key, err
	}
	defer f.Close()
	if err := checkKey(f, path); err != nil {
		return key, err
	}
	// read the digits, the end of the line, and one byte more, to notice a longer file
	text, err := io.ReadAll(io.LimitReader(f, 2*SealingKeySize+3))
	if err != nil {
		return key, fmt.Errorf("read %s: %w", path, err)
	}
	return key, decodeKey(&key, text, path)
}

// checkKey returns an error if other users can read or change a key. Credentials of systemd belong
// to root. The service's right to read them looks like a right of the group.
func checkKey(f *os.File, path string) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a regular file", path)
	}
	owner, known := info.Sys().(*syscall.Stat_t)
	if !known {
		return fmt.Errorf("%s: its owner is not known", path)
	}
	me := os.Geteuid()
	open := fs.FileMode(0o077)
	if owner.Uid == 0 && me != 0 {
		open = 0o037
	}
	switch {
	case int(owner.Uid) != me && owner.Uid != 0:
		return fmt.Errorf("%s belongs to user id %d; it must belong to user id %d, as the service does", path, owner.Uid, me)
	case info.Mode().Perm()&open != 0:
		return fmt.Errorf("%s can be read or changed by others (%v); `chmod 600` it", path, info.Mode().Perm())
	}
	return nil
}

func decodeKey(key *[SealingKeySize]byte, text []byte, path string) error {
	if len(text) == SealingKeySize {
		copy(key[:], text)
		return nil
	}
	line := bytes.TrimSuffix(bytes.TrimSuffix(text, []byte("\n")), []byte("\r"))
	if len(line) == 2*SealingKeySize {
		if _, err := hex.Decode(key[:], line); err == nil {
			return nil
		}
	}
	clear(key[:])
	return fmt.Errorf("%s is not a key: it must have %d bytes, or %d hexadecimal digits", path, SealingKeySize,
		2*SealingKeySize)
}

// makeKey writes a random key if the file is missing. A crash leaves a whole file or no file. It
// keeps a key that another process made meanwhile.
func makeKey(path string) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".new-*") // CreateTemp gives the file mode 0600
	if err != nil {
		return fmt.Errorf("make %s: %w", path, err)
	}
	defer os.Remove(f.Name())
	key := make([]byte, SealingKeySize)
	rand.Read(key)
	_, err = f.Write(key)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Link(f.Name(), path)
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("make %s: %w", path, err)
	}
	return syncFolder(filepath.Dir(path))
}

func syncFolder(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
