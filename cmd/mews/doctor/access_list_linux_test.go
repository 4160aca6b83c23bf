package doctor

import (
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// setList gives a file an access control list.
func setList(t *testing.T, path string, list ...aclEntry) {
	t.Helper()
	raw := binary.LittleEndian.AppendUint32(nil, 2) // version of the format; there is only one
	for _, e := range list {
		raw = binary.LittleEndian.AppendUint16(raw, e.tag)
		raw = binary.LittleEndian.AppendUint16(raw, e.rights)
		raw = binary.LittleEndian.AppendUint32(raw, e.id)
	}
	if err := unix.Setxattr(path, "system.posix_acl_access", raw, 0); err != nil {
		t.Fatal(err)
	}
}

// openFile returns a file in a folder that all accounts may enter.
func openFile(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "mews")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	path := filepath.Join(dir, "token")
	for _, err := range []error{os.Chmod(dir, 0o711), os.WriteFile(path, []byte("secret"), 0o600)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return path
}

const unnamed = ^uint32(0) // the id in an entry that names no user and no group

// hasRight must follow the rules of acl(5): entries for a named user, a group and all others,
// limited by the mask.
func TestHasRight_AccessList_AgreesWithKernel(t *testing.T) {
	path := openFile(t)
	bob := account{name: "bob", uid: 70001, gids: []uint32{70001, 70100}}
	list := func(middle ...aclEntry) []aclEntry {
		return append(append([]aclEntry{{tagOwner, 6, unnamed}}, middle...), aclEntry{tagMask, 4, unnamed},
			aclEntry{tagOthers, 0, unnamed})
	}
	for name, test := range map[string]struct {
		list []aclEntry
		may  bool
	}{
		"named":                        {list(aclEntry{tagUser, 4, 70001}, aclEntry{tagGroup, 0, unnamed}), true},
		"named for nothing":            {list(aclEntry{tagUser, 0, 70001}, aclEntry{tagGroup, 0, unnamed}, aclEntry{tagNamedGroup, 4, 70100}), false},
		"another user named":           {list(aclEntry{tagUser, 4, 70002}, aclEntry{tagGroup, 0, unnamed}), false},
		"a group":                      {list(aclEntry{tagGroup, 0, unnamed}, aclEntry{tagNamedGroup, 4, 70100}), true},
		"a group of others":            {list(aclEntry{tagGroup, 4, unnamed}, aclEntry{tagNamedGroup, 4, 70200}), false},
		"one of two groups":            {list(aclEntry{tagGroup, 0, unnamed}, aclEntry{tagNamedGroup, 0, 70001}, aclEntry{tagNamedGroup, 4, 70100}), true},
		"more than the mask":           {list(aclEntry{tagUser, 2, 70001}, aclEntry{tagGroup, 0, unnamed}), false},
		"all others":                   {[]aclEntry{{tagOwner, 6, unnamed}, {tagGroup, 0, unnamed}, {tagOthers, 4, unnamed}}, true},
		"group denied, others allowed": {[]aclEntry{{tagOwner, 6, unnamed}, {tagGroup, 0, unnamed}, {tagNamedGroup, 0, 70100}, {tagMask, 4, unnamed}, {tagOthers, 4, unnamed}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			setList(t, path, test.list...)
			var file syscall.Stat_t
			if err := syscall.Stat(path, &file); err != nil {
				t.Fatal(err)
			}
			if got := bob.hasRight(path, file, 0o4); got != test.may {
				t.Errorf("bob may read: %v", got)
			}
			if os.Getuid() != 0 {
				t.Skip("only root can read the file as somebody else")
			}
			if read := canReadAs(t, path, &syscall.Credential{Uid: bob.uid, Gid: bob.gids[0], Groups: bob.gids}); read != test.may {
				t.Errorf("bob reads: %v", read)
			}
		})
	}
}

// canReadAs reports whether the kernel lets an account read a file.
func canReadAs(t *testing.T, path string, as *syscall.Credential) bool {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "cat", path)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: as}
	return cmd.Run() == nil
}

// The mode of a file with a secret does not show all its readers. The file's access control list
// counts too.
func TestExposedSecrets_ACLReader_IsNamed(t *testing.T) {
	path := openFile(t)
	accounts := []account{{name: "bob", uid: 70001, gids: []uint32{70001}}, {name: "carl", uid: 70002, gids: []uint32{70002}}}
	if err := exposedFile(path, accounts, false); err != nil {
		t.Error(err)
	}
	setList(t, path, aclEntry{tagOwner, 6, unnamed}, aclEntry{tagUser, 4, 70001}, aclEntry{tagGroup, 0, unnamed}, aclEntry{tagMask, 4, unnamed}, aclEntry{tagOthers, 0, unnamed})
	err := exposedFile(path, accounts, false)
	if err == nil || !strings.Contains(err.Error(), "these accounts read it: bob. Remove the list: setfacl -b "+path) {
		t.Errorf("said is %v", err)
	}
}
