package workspace

import "golang.org/x/sys/unix"

// renameNoReplace is renameat2(2). Some file systems, mostly network file systems, do not know its
// flag and answer EINVAL. EINVAL also means that a folder would be moved into itself; the plain
// rename refuses that too.
func renameNoReplace(source int, old string, target int, name string) error {
	err := unix.Renameat2(source, old, target, name, unix.RENAME_NOREPLACE)
	if err == unix.EINVAL {
		err = unix.ENOSYS
	}
	return err
}
