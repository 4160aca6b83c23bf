package escape

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"
)

// HistoryFile is the file with the secret in the folder of the worker's file history.
const HistoryFile = "mews-escape-secret"

// histories returns the rows about the file history of the worker's own home. The worker may write
// to it, and its programs may not.
func histories() []Probe {
	row := func(name, what string, core bool, reach func(dir string, v Victims) error) Probe {
		return Probe{Row: name, What: what, Core: core, Program: true, run: needsVictim(history, reachHistory(reach))}
	}
	return []Probe{
		row("H1", "read the file history of the own home", true, readHistory),
		row("H2", "write to the file history of the own home", true, writeHistory),
		row("H3", "change the modes of the file history", false, chmodHistory),
		row("H4", "change the times of the file history", false, touchHistory),
		row("H5", "grow a file of the file history by 16 MiB", false, growHistory),
	}
}

func history(v Victims) string { return v.History }

// reachHistory returns an attempt that calls try with each path to the history's folder.
func reachHistory(try func(dir string, v Victims) error) func(Victims) error {
	return func(v Victims) error {
		var all []error
		for _, dir := range historyPaths(v) {
			// Landlock does not refuse this call
			if _, err := os.Lstat(filepath.Join(dir, HistoryFile)); err != nil {
				continue
			}
			switch err := try(dir, v); {
			case err == nil:
				return escapedError("by " + dir)
			case errors.As(err, new(escapedError)):
				return err
			default:
				all = append(all, err)
			}
		}
		if len(all) == 0 {
			return errors.New("no path leads there")
		}
		return errors.Join(all[:min(len(all), maxReasons)]...)
	}
}

// maxReasons is the most errors that a report names.
const maxReasons = 3

// historyPaths lists the paths by which a program could reach the history. These are its path
// outside of the walls, the folder beside the home, and the descriptors, roots and folders of all
// processes.
func historyPaths(v Victims) []string {
	name := filepath.Base(v.History)
	paths := []string{v.History, filepath.Join(v.workspace(), "..", name), "../" + name}
	for fd := range 64 {
		paths = append(paths, "/proc/self/fd/"+strconv.Itoa(fd))
	}
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		for _, link := range []string{"root", "cwd"} {
			paths = append(paths, inProc(pid, link), inProc(pid, link)+v.History, inProc(pid, link)+"/../"+name)
		}
		open, _ := filepath.Glob(inProc(pid, "fd/*")) // can't fail: the pattern is valid
		paths = append(paths, open...)
		for fd := range 16 { // a folder that can't be listed may still be entered
			paths = append(paths, inProc(pid, "fd/"+strconv.Itoa(fd)))
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

func readHistory(dir string, v Victims) error { return readSecret(filepath.Join(dir, HistoryFile), v) }

// writeHistory makes a file, replaces the file with the secret, and deletes a file.
func writeHistory(dir string, _ Victims) error {
	secret := filepath.Join(dir, HistoryFile)
	made := create(freshName(dir, "H2"))
	if made == nil || errors.As(made, new(escapedError)) {
		return made
	}
	err := writeThere(secret, "")
	if err == nil {
		return escapedError("a file can be opened for writing")
	}
	moved := freshName(dir, "H2")
	if gone := os.Rename(secret, moved); gone == nil {
		return afterUndo(os.Rename(moved, secret))
	}
	return errors.Join(made, err)
}

// chmodHistory changes the mode of the file with the secret, and restores it.
func chmodHistory(dir string, _ Victims) error {
	path := filepath.Join(dir, HistoryFile)
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if err := os.Chmod(path, info.Mode().Perm()^0o040); err != nil {
		return err
	}
	return afterUndo(os.Chmod(path, info.Mode().Perm()))
}

// touchHistory changes the times of the file with the secret.
func touchHistory(dir string, _ Victims) error {
	day := time.Unix(0, 0)
	return os.Chtimes(filepath.Join(dir, HistoryFile), day, day)
}

// growHistory writes 16 MiB behind the secret, and cuts them off again.
func growHistory(dir string, _ Victims) error {
	const size = 16 << 20
	f, err := os.OpenFile(filepath.Join(dir, HistoryFile), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	n, err := f.Write(make([]byte, size))
	if n > 0 {
		return errors.Join(escapedError(fmt.Sprintf("%d bytes", n)), f.Truncate(info.Size()))
	}
	return err
}
