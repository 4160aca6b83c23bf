package filehistory

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"io/fs"
	"time"

	"mews/protocol"
)

// digest is the SHA-256 of a file's or a chunk's bytes. The zero digest means that they are not
// kept.
type digest [sha256.Size]byte

func (d digest) String() string { return hex.EncodeToString(d[:]) }

func parseDigest(text string) (d digest, ok bool) {
	b, err := hex.DecodeString(text)
	if err != nil || len(b) != len(d) {
		return digest{}, false
	}
	return digest(b), true
}

// entryKind is the kind of a path.
type entryKind byte

const (
	absent      entryKind = iota // nothing is there
	file                         // a regular file
	directory                    // a folder
	link                         // a symbolic link
	special                      // a pipe, socket or device
	unknown                      // the path was not looked at before
	noEntryKind                  // the first number that is no kind
)

// entry is a path at one point.
type entry struct {
	kind   entryKind
	why    reason // why the bytes are not kept; with a zero digest, pending means that they will be
	sparse bool   // the file has holes
	// racy means that the file may have changed after it was read, in the same tick of the clock
	racy   bool
	mode   uint16 // permissions, with setuid, setgid and sticky bits as in stat(2)
	size   int64
	modify int64 // time of the last change of the bytes, in ns; a program can set it
	change int64 // time of the last change, in ns
	inode  uint64
	device uint64
	digest digest
	target string // of a link
	since  int64  // point at which the path got this entry; not in records of changes
	walk   uint32 // number of the last comparison that found the path; only in memory
}

// hasStamp reports whether two entries have the same stamp. The stamp of a file is its kind, mode,
// size, inode and time of change. A link has its target instead of the last three, and a folder has
// only kind and mode. The device does not count: its number may be another one after a reboot.
func (e *entry) hasStamp(o *entry) bool {
	if e.kind != o.kind || e.mode != o.mode {
		return false
	}
	switch e.kind {
	case file:
		return e.size == o.size && e.change == o.change && e.inode == o.inode
	case link:
		return e.target == o.target
	}
	return true // the times of a folder change with its contents
}

// isSame reports whether two entries have the same content: kind, permissions and bytes.
func (e *entry) isSame(o *entry) bool {
	if e.hasStamp(o) {
		return true
	}
	return e.kind == file && o.kind == file && e.mode == o.mode && e.size == o.size && e.digest == o.digest &&
		e.digest != digest{}
}

// isOpened reports whether two entries are the same folder, which an interrupted undo or restore
// has left open to its owner.
func (e *entry) isOpened(closed *entry) bool {
	return e.kind == directory && closed.kind == directory && e.mode == closed.mode|ownerAll
}

func (e *entry) isKept() bool { return e.kind != file || e.digest != digest{} }

// wantsBytes reports whether the bytes of the file should still be kept.
func (e *entry) wantsBytes() bool { return e.kind == file && e.digest == digest{} && e.why == pending }

// Flags of an entry in a record.
const (
	flagSparse = 1 << iota
	flagKept
	flagRacy
	flagUnknown // first flag without a meaning
)

func appendEntry(b []byte, e *entry) []byte {
	b = append(b, byte(e.kind))
	if e.kind == absent || e.kind == unknown {
		return b
	}
	flags := byte(0)
	if e.sparse {
		flags |= flagSparse
	}
	if e.digest != (digest{}) {
		flags |= flagKept
	}
	if e.racy {
		flags |= flagRacy
	}
	b = append(b, flags, byte(e.why))
	b = binary.AppendUvarint(b, uint64(e.mode))
	b = binary.AppendUvarint(b, uint64(e.size))
	b = binary.AppendVarint(b, e.modify)
	b = binary.AppendVarint(b, e.change)
	b = binary.AppendUvarint(b, e.inode)
	b = binary.AppendUvarint(b, e.device)
	if flags&flagKept != 0 {
		b = append(b, e.digest[:]...)
	}
	if e.kind == link {
		b = appendBytes(b, e.target)
	}
	return b
}

func (d *decoder) entry() (e entry) {
	e.kind = entryKind(d.byte())
	if e.kind >= noEntryKind {
		d.fail()
	}
	if e.kind == absent || e.kind == unknown || d.bad {
		return e
	}
	flags := d.byte()
	e.why = reason(d.byte())
	mode := d.unsigned()
	if flags >= flagUnknown || int(e.why) >= len(reasons) || mode > 0o7777 {
		d.fail()
	}
	e.sparse, e.racy = flags&flagSparse != 0, flags&flagRacy != 0
	e.mode, e.size = uint16(mode), d.size()
	e.modify, e.change = d.signed(), d.signed()
	e.inode, e.device = d.unsigned(), d.unsigned()
	if flags&flagKept != 0 {
		e.digest = digest(d.fixed(len(e.digest)))
	}
	if e.kind == link {
		e.target = d.string()
	}
	return e
}

// state returns the entry in the words of the protocol.
func (e *entry) state() protocol.FileState {
	switch e.kind {
	case file:
		if e.digest != (digest{}) {
			return protocol.FileState(e.digest.String())
		}
		return protocol.LargeFileState(e.size, time.Unix(0, e.modify))
	case directory:
		return protocol.FileStateFolder
	case link:
		return protocol.FileStateLink
	case special:
		return protocol.LargeFileState(0, time.Unix(0, e.modify))
	}
	return protocol.FileStateAbsent
}

// perm returns the mode in Go's form, without setuid and setgid: a restore never sets those.
func (e *entry) perm() fs.FileMode { return fs.FileMode(e.mode) & fs.ModePerm }
