package promptfile

import (
	"bytes"
	"crypto/sha1"
	"encoding/binary"
	"errors"
	"io"
	"path"
	"strconv"
	"strings"

	"mews/protocol"
)

// maxIndex is the largest git index that is read, in bytes.
const maxIndex = 64 << 20

// fromGit reports whether git may have written the file. It returns true if the file lies in a work
// tree, and git's index has the file's bytes or its time. The time counts too, because git's
// filters change the bytes. If the index cannot be read, the answer is true.
func (w *Watcher) fromGit(f file) bool {
	dirs := parentFolders(f.Path)
	for i := len(dirs) - 1; i >= 0; i-- {
		git := path.Join(dirs[i], ".git")
		switch state, _, _ := w.Home.PathState(git); state {
		case protocol.FileStateAbsent:
			continue
		case protocol.FileStateFolder:
			known, err := w.matchesIndex(git, strings.TrimPrefix(f.Path, dirs[i]+"/"), f)
			return known || err != nil
		}
		return true
	}
	return false
}

var (
	errIndex = errors.New("an index of git's that can't be read")
	be       = binary.BigEndian
)

// matchesIndex reports whether git's index has this state of the file. If the file is missing and
// not in the index, git may have removed it.
func (w *Watcher) matchesIndex(git, name string, f file) (bool, error) {
	config, err := w.readPlain(path.Join(git, "config"))
	if err != nil || bytes.Contains(bytes.ToLower(config),
		[]byte("objectformat")) { // this repository may use another hash algorithm than SHA-1
		return true, err
	}
	absent := f.State == protocol.FileStateAbsent
	if here, _, _ := w.Home.PathState(path.Join(git, "index")); here == protocol.FileStateAbsent {
		return absent, nil // git has never added a file to this repository
	}
	raw, err := w.readPlain(path.Join(git, "index"))
	if err != nil {
		return true, err
	}
	found, whole, err := findEntry(raw, name)
	switch {
	case err != nil || found == nil && !whole:
		return true, err
	case found == nil:
		return absent, nil
	case !f.State.IsHash():
		return false, nil // the index has another state of the file
	case len(f.text) >= protocol.MaxPromptFileBytes(f.Path) || found.stage != 0:
		return true, nil
	}
	at := f.info.ModTime()
	return found.written == [2]uint32{uint32(at.Unix()), uint32(at.Nanosecond())} || found.hash == blobHash(f.text) ||
		found.hash == blobHash(bytes.ReplaceAll(f.text, []byte("\r\n"), []byte("\n"))), nil
}

func (w *Watcher) readPlain(name string) ([]byte, error) {
	file, err := w.Home.OpenRegularFile(name)
	if err != nil {
		return nil, err
	}
	defer file.Close() // the file was only read, so an error of Close loses nothing
	raw, err := io.ReadAll(io.LimitReader(file, maxIndex+1))
	if err == nil && len(raw) > maxIndex {
		err = errIndex
	}
	return raw, err
}

func blobHash(text []byte) [sha1.Size]byte {
	return sha1.Sum(append([]byte("blob "+strconv.Itoa(len(text))+"\x00"), text...))
}

// entry is an entry of a git index.
type entry struct {
	written [2]uint32 // time at which git wrote the file, in seconds and nanoseconds
	hash    [sha1.Size]byte
	stage   uint16
}

// findEntry finds a path in an index of version 2, 3 or 4 (gitformat-index(5)). whole is false if
// some entries are in other files.
func findEntry(raw []byte, name string) (found *entry, whole bool, err error) {
	const head, fixed, hashAt, flagsAt = 12, 62, 40, 60
	if len(raw) < head+sha1.Size || string(raw[:4]) != "DIRC" {
		return nil, false, errIndex
	}
	version, count := be.Uint32(raw[4:]), be.Uint32(raw[8:])
	if version < 2 || version > 4 {
		return nil, false, errIndex
	}
	rest, before := raw[head:len(raw)-sha1.Size], ""
	for range count {
		if len(rest) < fixed+2 {
			return nil, false, errIndex
		}
		e := rest
		flags, at := be.Uint16(e[flagsAt:]), fixed
		if flags&0x4000 != 0 {
			at += 2
		}
		if version == 4 {
			strip, n := offset(e[at:])
			if n == 0 || strip > len(before) {
				return nil, false, errIndex
			}
			at, before = at+n, before[:len(before)-strip]
		} else {
			before = ""
		}
		end := bytes.IndexByte(e[at:], 0)
		if end < 0 {
			return nil, false, errIndex
		}
		before += string(e[at : at+end])
		if at += end + 1; version < 4 {
			at = (at + 7) &^ 7
		}
		if before == name {
			found = &entry{written: [2]uint32{be.Uint32(e[8:]), be.Uint32(e[12:])}, hash: [sha1.Size]byte(e[hashAt:flagsAt]),
				stage: flags >> 12 & 3}
			return found, true, nil
		}
		if at > len(rest) {
			return nil, false, errIndex
		}
		rest = rest[at:]
	}
	// the rest is the index's extensions
	return nil, !bytes.Contains(rest, []byte("link")) && !bytes.Contains(rest, []byte("sdir")), nil
}

// offset reads a number of version 4: each byte except the last has its highest bit set, and one is
// added.
func offset(raw []byte) (value, n int) {
	for n < min(len(raw), 5) {
		b := raw[n]
		value, n = value<<7|int(b&0x7f), n+1
		if b&0x80 == 0 {
			return value, n
		}
		value++
	}
	return 0, 0
}
