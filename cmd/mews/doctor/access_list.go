package doctor

import (
	"encoding/binary"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"
)

// aclEntry is an entry of a file's access control list: its tag, its rights, and the id of a named
// user or group.
type aclEntry struct {
	tag, rights uint16
	id          uint32
}

// Tags of entries, in the order of the kernel (linux/posix_acl.h).
const (
	tagOwner      = 0x01
	tagUser       = 0x02
	tagGroup      = 0x04
	tagNamedGroup = 0x08
	tagMask       = 0x10 // mask: the maximum rights of named users and of groups
	tagOthers     = 0x20
)

// modeEntries lists the entries of a file without an access control list, with their positions in
// the mode.
var modeEntries = []struct{ tag, shift uint16 }{{tagOwner, 6}, {tagGroup, 3}, {tagOthers, 0}}

// accessList returns the entries of a file's access control list (acl(5)). Without a list, it
// returns those of the file's mode.
func accessList(path string, file syscall.Stat_t) (list []aclEntry) {
	// The list begins with a header of four bytes, and has eight bytes for each entry
	// (linux/posix_acl_xattr.h).
	raw := make([]byte, 1<<16)
	if n, err := unix.Getxattr(path, "system.posix_acl_access", raw); err == nil && n%8 == 4 {
		for e := range slices.Chunk(raw[4:n], 8) {
			list = append(list, aclEntry{binary.LittleEndian.Uint16(e), binary.LittleEndian.Uint16(e[2:]), binary.LittleEndian.Uint32(e[4:])})
		}
		return list
	}
	for _, part := range modeEntries {
		list = append(list, aclEntry{tag: part.tag, rights: uint16(file.Mode) >> part.shift})
	}
	return list
}

// hasRight reports whether an account has a right to a file. right is a bit of a mode, such as 4 to
// read.
func (a account) hasRight(path string, file syscall.Stat_t, right uint16) bool {
	list, most, member := accessList(path, file), right, false
	if i := slices.IndexFunc(list, func(e aclEntry) bool { return e.tag == tagMask }); i >= 0 {
		most &= list[i].rights
	}
	// the first matching entry decides; for group entries, any group of the account may match
	for _, e := range list {
		switch {
		case e.tag == tagOwner && a.uid == file.Uid, e.tag == tagOthers && !member:
			return e.rights&right != 0
		case e.tag == tagUser && a.uid == e.id:
			return e.rights&most != 0
		case e.tag == tagGroup && slices.Contains(a.gids, file.Gid), e.tag == tagNamedGroup && slices.Contains(a.gids, e.id):
			member = true
			if e.rights&most != 0 {
				return true
			}
		}
	}
	return false
}
