package pool

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

// processInfo is a process's position in the process tree, and its resident memory.
type processInfo struct{ pid, parent, session, pages int }

// listProcesses lists all processes that this process can see.
func listProcesses() ([]processInfo, error) {
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	all := make([]processInfo, 0, len(stats))
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // the process was reaped or is hidden; our own children are never hidden
		}
		p, err := parseStat(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		all = append(all, p)
	}
	return all, nil
}

// parseStat reads the pid, parent, session and resident pages from /proc/PID/stat
// (proc_pid_stat(5)). The process's name stands in brackets after the pid, and may hold any
// characters.
func parseStat(text []byte) (r processInfo, err error) {
	open, shut := bytes.IndexByte(text, '('), bytes.LastIndexByte(text, ')')
	if open < 0 || shut < open {
		return r, errors.New("a process's stat without its name")
	}
	fields := bytes.Fields(text[shut+1:])
	if len(fields) < 22 {
		return r, errors.New("a process's stat cut short")
	}
	for _, n := range []struct {
		to   *int
		text []byte
	}{{&r.pid, bytes.TrimSpace(text[:open])}, {&r.parent, fields[1]}, {&r.session, fields[3]}, {&r.pages, fields[21]}} {
		if *n.to, err = strconv.Atoi(string(n.text)); err != nil {
			return r, fmt.Errorf("a process's stat: %w", err)
		}
	}
	return r, nil
}
