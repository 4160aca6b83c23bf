package placement

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Account is an OS account by its numbers. The zero value means the service's account.
type Account struct{ UID, GID uint32 }

// FindAccount finds an account by its name. The name uid-N means an account without an entry in
// passwd, as in many containers.
func FindAccount(name string) (Account, error) {
	if number, ok := strings.CutPrefix(name, "uid-"); ok && number == strconv.Itoa(os.Getuid()) {
		return Account{uint32(os.Getuid()), uint32(os.Getgid())}, nil
	}
	found, err := user.Lookup(name)
	if err != nil {
		return Account{}, err
	}
	uid, err1 := strconv.ParseUint(found.Uid, 10, 32)
	gid, err2 := strconv.ParseUint(found.Gid, 10, 32)
	return Account{uint32(uid), uint32(gid)}, errors.Join(err1, err2)
}

// WorkerAccount returns the account of workers whose users have no account. No worker runs as root.
// If the service is not root, workers have the service's account. If the account is missing and
// create is true, root creates it. Otherwise the error says how to create it.
func WorkerAccount(ctx context.Context, name string, create bool) (Account, error) {
	if os.Getuid() != 0 {
		return Account{}, nil
	}
	found, err := FindAccount(name)
	if missing := user.UnknownUserError(""); errors.As(err, &missing) {
		command := []string{"useradd", "--system", "--user-group", "--no-create-home", "--shell", "/usr/sbin/nologin", name}
		if !create {
			return found, fmt.Errorf("workers never run as root, and there is no account %q for them: make it with `%s`, "+
				"or name another one in worker.account", name, shown(command))
		}
		if err := makeAccount(ctx, command); err != nil {
			return found, err
		}
		found, err = FindAccount(name)
	}
	if err == nil && (found.UID == 0 || found.GID == 0) {
		err = errors.New("it is root's, and a worker is never root")
	}
	if err != nil {
		return found, fmt.Errorf("the account %q of workers: %w", name, err)
	}
	return found, nil
}

func shown(command []string) string {
	text := command[0]
	for _, word := range command[1:] {
		text += " " + word
	}
	return text
}

// makeAccount creates an account that can't log in.
func makeAccount(ctx context.Context, command []string) error {
	bounded, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	if out, err := exec.CommandContext(bounded, command[0], command[1:]...).CombinedOutput(); err != nil {
		return fmt.Errorf("make an account for workers, which never run as root: %s: %w: %s", shown(command), err, out)
	}
	return nil
}

// OwnerOf returns the account that owns a file.
func OwnerOf(info fs.FileInfo) (Account, error) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return Account{}, fmt.Errorf("find the owner of %s: %w", info.Name(), errors.ErrUnsupported)
	}
	return Account{st.Uid, st.Gid}, nil
}

func OwnerUID(info fs.FileInfo) uint32 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return st.Uid
	}
	return 0
}

// FindSpawnerAndWorker finds the programs mews-spawner and mews-worker beside this program.
func FindSpawnerAndWorker() (spawner, worker string, err error) {
	self, err := os.Executable()
	if err != nil {
		return "", "", fmt.Errorf("find the program's own folder: %w", err)
	}
	if self, err = filepath.EvalSymlinks(self); err != nil {
		return "", "", fmt.Errorf("find the program's own folder: %w", err)
	}
	spawner = filepath.Join(filepath.Dir(self), "mews-spawner")
	worker = filepath.Join(filepath.Dir(self), "mews-worker")
	for _, path := range []string{spawner, worker} {
		if _, err := os.Stat(path); err != nil {
			return "", "", fmt.Errorf("mews needs its companion beside itself: %w; `make build` puts all three into bin/", err)
		}
	}
	return spawner, worker, nil
}

// CheckStateFolder refuses root's state folder if others could replace a part of its path. Root
// gives folders in the state folder to other accounts, so the path must be safe.
func CheckStateFolder(state string) error {
	if os.Getuid() != 0 {
		return nil
	}
	for path := state; ; path = filepath.Dir(path) {
		info, err := os.Stat(path)
		if err != nil {
			return fmt.Errorf("look at the state folder: %w", err)
		}
		if OwnerUID(info) != 0 || info.Mode()&0o022 != 0 && info.Mode()&os.ModeSticky == 0 {
			return fmt.Errorf("the state folder %s: %s can be written by others than root, who runs Mews here; choose another "+
				"`state:`, such as /var/lib/mews, or run Mews as the account whose folder that is", state, path)
		}
		if path == filepath.Dir(path) {
			return nil
		}
	}
}
