package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"mews/config"
)

func examineSecrets(_ context.Context, o Options) (string, error) {
	return textSecrets, FindExposedSecrets(o.Config)
}

// FindExposedSecrets names files with secrets and the other accounts that can read them. The file's
// mode alone does not tell: the members of the group count too.
func FindExposedSecrets(cfg *config.Config) error {
	all, err := readAccounts("/etc")
	if err != nil {
		return fmt.Errorf("look who can read the secrets: %w", err)
	}
	var state syscall.Stat_t
	// before the first start, the service's account is unknown
	unknown := syscall.Stat(cfg.State, &state) != nil
	all = slices.DeleteFunc(all, func(a account) bool {
		return a.uid == 0 || a.uid == uint32(os.Getuid()) || !unknown && a.uid == state.Uid
	})
	var errs []error
	for _, path := range cfg.SecretFiles {
		errs = append(errs, exposedFile(path, all, unknown))
	}
	return errors.Join(errs...)
}

// firstPersonUID is the first uid above the system's accounts (login.defs: UID_MIN).
const firstPersonUID = 1000

// exposedFile returns an error that names the other accounts that can read a file. If systems is
// true, it ignores system accounts, unless all accounts of the machine may read the file.
func exposedFile(path string, accounts []account, systems bool) error {
	var file syscall.Stat_t
	if syscall.Stat(path, &file) != nil {
		return nil // the file does not exist here; only a process with another root folder could read it
	}
	mode := uint32(file.Mode) & 0o777
	var readers, leave []string
	for _, a := range accounts {
		if !a.hasRight(path, file, 0o4) || !a.canReach(path) || systems && a.uid < firstPersonUID && mode&0o004 == 0 {
			continue
		}
		if a.uid == file.Uid {
			return fmt.Errorf(textSecretOwned, path, a.name, path)
		}
		readers = append(readers, a.name)
		leave = append(leave, fmt.Sprintf("gpasswd -d %s %s", a.name, groupName(file.Gid)))
	}
	switch {
	case len(readers) == 0:
		return nil
	case mode&0o004 != 0:
		return fmt.Errorf(textSecretForAll, path, mode, path)
	case len(accessList(path, file)) > len(modeEntries):
		return fmt.Errorf(textSecretOfList, path, strings.Join(readers, ", "), path)
	}
	return fmt.Errorf(textSecretOfGroup, path, mode, groupName(file.Gid), strings.Join(readers, ", "), strings.Join(leave, "; "))
}

// canReach reports whether an account may enter the folders around a file.
func (a account) canReach(path string) bool {
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		var folder syscall.Stat_t
		if err := syscall.Stat(dir, &folder); err != nil || !a.hasRight(dir, folder, 0o1) {
			return false
		}
		if dir == filepath.Dir(dir) {
			return true
		}
	}
}
