package placement

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// UIDRange is a range of user ids for workers of users without an account. Both ends belong to it.
// The zero value means no range: these users then share an account.
type UIDRange struct{ From, To uint32 }

// Contains reports whether a uid is in the range.
func (r UIDRange) Contains(uid uint32) bool { return r != UIDRange{} && uid >= r.From && uid <= r.To }

func (r UIDRange) String() string { return fmt.Sprintf("%d-%d", r.From, r.To) }

// checkMapped refuses a range that the process's user namespace does not have, as in most
// containers. self is the process's folder in /proc.
func (r UIDRange) checkMapped(self string) error {
	for _, name := range []string{"uid_map", "gid_map"} {
		text, err := os.ReadFile(filepath.Join(self, name))
		if err != nil {
			return fmt.Errorf("look whether there are %s: %w", r, err)
		}
		if !r.IsMapped(string(text)) {
			return fmt.Errorf(textUIDsUnmapped, r)
		}
	}
	return nil
}

// IsMapped reports whether a user namespace has all ids of the range. idMap is the text of the
// namespace's uid_map or gid_map (user_namespaces(7)).
func (r UIDRange) IsMapped(idMap string) bool {
	for line := range strings.Lines(idMap) {
		var inside, outside, many uint64
		_, err := fmt.Sscan(line, &inside, &outside, &many)
		if err == nil && inside <= uint64(r.From) && inside+many > uint64(r.To) {
			return true
		}
	}
	return false
}

// checkProcesses refuses a range if a process uses a uid of it.
func (r UIDRange) checkProcesses(proc string) error {
	return r.eachProcess(proc, func(pid string, uid uint32) error { return fmt.Errorf(textUIDsLive, r, pid, uid) })
}

// eachProcess calls fn for each uid of the range that a process uses, until fn returns an error.
func (r UIDRange) eachProcess(proc string, fn func(pid string, uid uint32) error) error {
	entries, err := os.ReadDir(proc)
	if err != nil {
		return fmt.Errorf("look whether %s are free: %w", r, err)
	}
	for _, e := range entries {
		for _, uid := range uidsOf(filepath.Join(proc, e.Name())) {
			if !r.Contains(uid) {
				continue
			}
			if err := fn(e.Name(), uid); err != nil {
				return err
			}
		}
	}
	return nil
}

// usedUIDs returns the uids of the range that a process uses, or that own a file directly inside
// one of the folders.
func (r UIDRange) usedUIDs(proc string, folders []string) (used []uint32, err error) {
	err = r.eachProcess(proc, func(_ string, uid uint32) error {
		used = append(used, uid)
		return nil
	})
	r.eachOwner(folders, func(_ string, uid uint32) bool {
		used = append(used, uid)
		return true
	})
	return used, err
}

// eachOwner calls fn for each file directly inside a folder whose owner is in the range, until fn
// returns false. A folder that is missing or can't be read counts as empty.
func (r UIDRange) eachOwner(folders []string, fn func(path string, uid uint32) bool) {
	for _, folder := range folders {
		entries, _ := os.ReadDir(folder)
		for _, e := range entries {
			info, err := e.Info()
			if err == nil && r.Contains(OwnerUID(info)) && !fn(filepath.Join(folder, e.Name()), OwnerUID(info)) {
				return
			}
		}
	}
}

// idFiles are the system's files of assigned ids. Each row has the field with the first id, and the
// field with the count; -1 means a count of one.
var idFiles = []struct {
	name             string
	number, quantity int
}{{"passwd", 2, -1}, {"group", 2, -1}, {"subuid", 1, 2}, {"subgid", 1, 2}}

// checkFree refuses a range with an id that is already assigned, or that owns files other than
// users' homes. etc is /etc. Of the folders, only the files directly inside are checked.
func (r UIDRange) checkFree(etc string, folders, homes []string) error {
	for _, f := range idFiles {
		name, err := r.takenIn(filepath.Join(etc, f.name), f.number, f.quantity)
		if err != nil {
			return fmt.Errorf("look whether %s are free: %w", r, err)
		}
		if name != "" {
			return fmt.Errorf(textUIDsTaken, r, name, filepath.Join(etc, f.name))
		}
	}
	var err error
	r.eachOwner(folders, func(path string, uid uint32) bool {
		if !slices.Contains(homes, path) {
			err = fmt.Errorf(textUIDsOwn, r, path, uid)
		}
		return err == nil
	})
	return err
}

// takenIn returns the owner of an id of the range in a file; "" means that no id is taken.
func (r UIDRange) takenIn(path string, number, quantity int) (string, error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		fields := strings.Split(lines.Text(), ":")
		if len(fields) <= max(number, quantity) {
			continue
		}
		first, err := strconv.ParseUint(fields[number], 10, 32)
		many := uint64(1)
		if quantity >= 0 && err == nil {
			many, err = strconv.ParseUint(fields[quantity], 10, 33)
		}
		if err == nil && many > 0 && first <= uint64(r.To) && first+many-1 >= uint64(r.From) {
			return fields[0], nil
		}
	}
	return "", lines.Err()
}

// ownedFolders are the folders that usually hold accounts' files.
var ownedFolders = []string{"/home", "/srv", "/opt", "/var/lib", "/var/mail", "/var/spool/cron/crontabs"}

// uidsOf returns a process's user ids: real, effective, saved and of the file system. For an ended
// process it returns none. folder is the process's folder in /proc.
func uidsOf(folder string) (uids []uint32) {
	text, _ := os.ReadFile(filepath.Join(folder, "status")) // for the format, see proc_pid_status(5)
	_, ids, _ := strings.Cut(string(text), "\nUid:")
	ids, _, _ = strings.Cut(ids, "\n")
	for _, id := range strings.Fields(ids) {
		if uid, err := strconv.ParseUint(id, 10, 32); err == nil {
			uids = append(uids, uint32(uid))
		}
	}
	return uids
}
