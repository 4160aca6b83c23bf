package workspace

import "golang.org/x/sys/unix"

// renameNoReplace is renameat2(2). Some file systems do not know its flag, mostly network ones, and
// answer EINVAL. That is also the answer for a folder that would go into itself, which the plain
// rename refuses as well.
func renameNoReplace(source int, old string, target int, name string) error {
	err := unix.Renameat2(source, old, target, name, unix.RENAME_NOREPLACE)
	if err == unix.EINVAL {
		err = unix.ENOSYS
	}
	return err
}
