package doctor

import (
	"encoding/binary"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"
)

// entry is one of a file's access control list: for whom it is, what they may, and the id of a user
// or group that is named.
type entry struct {
	tag, rights uint16
	id          uint32
}

// Tags of entries, in the order in which the kernel keeps them (linux/posix_acl.h).
const (
	tagOwner      = 0x01
	tagUser       = 0x02
	tagGroup      = 0x04
	tagNamedGroup = 0x08
	tagMask       = 0x10 // what users and groups may at most
	tagOthers     = 0x20
)

// ofMode are the entries of a file that has its mode alone, and where that has each.
var ofMode = []struct{ tag, shift uint16 }{{tagOwner, 6}, {tagGroup, 3}, {tagOthers, 0}}

// accessList is who may what with a file, by its access control list (acl(5)), or by its mode where
// it has none.
func accessList(path string, file syscall.Stat_t) (list []entry) {
	// A head of four bytes, and eight for each entry (linux/posix_acl_xattr.h).
	raw := make([]byte, 1<<16)
	if n, err := unix.Getxattr(path, "system.posix_acl_access", raw); err == nil && n%8 == 4 {
		for e := range slices.Chunk(raw[4:n], 8) {
			list = append(list, entry{binary.LittleEndian.Uint16(e), binary.LittleEndian.Uint16(e[2:]), binary.LittleEndian.Uint32(e[4:])})
		}
		return list
	}
	for _, part := range ofMode {
		list = append(list, entry{tag: part.tag, rights: uint16(file.Mode) >> part.shift})
	}
	return list
}

// may says whether an account has a right to a file, such as 4 to read.
func (a account) may(path string, file syscall.Stat_t, right uint16) bool {
	list, most, member := accessList(path, file), right, false
	if i := slices.IndexFunc(list, func(e entry) bool { return e.tag == tagMask }); i >= 0 {
		most &= list[i].rights
	}
	for _, e := range list { // the first that is for the account counts; of its groups, any
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
