// Package disk keeps a full disk from harming anybody but its cause. While workers run, it measures
// the disks of the state folder and of people's folders each second. If a disk has less room than
// its reserve, package disk ends the programs of the user whose programs have written most. If the
// disk of the state folder is full, it frees the ballast: files that exist only to be deleted then.
package disk

import (
	"fmt"
	"syscall"

	"golang.org/x/sys/unix"

	"mews/protocol"
	"mews/protocol/amount"
)

// Space is the room on a disk.
type Space struct {
	Total, Free      int64 // bytes of the disk, and bytes that are free
	Files, FreeFiles int64 // numbers of all files and of free ones; Files is 0 if the disk has no fixed number
}

// SpaceOf returns the room on the disk of a path.
func SpaceOf(path string) (Space, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(path, &st); err != nil {
		return Space{}, fmt.Errorf("look at the disk of %s: %w", path, err)
	}
	unit := blockSize(&st)
	return Space{Total: int64(st.Blocks) * unit, Free: int64(st.Bavail) * unit,
		Files: int64(st.Files), FreeFiles: int64(st.Ffree)}, nil
}

// DeviceOf identifies the disk of a path. It needs no right to read the path itself.
func DeviceOf(path string) (uint64, error) {
	var st syscall.Stat_t
	if err := syscall.Stat(path, &st); err != nil {
		return 0, fmt.Errorf("find the disk of %s: %w", path, err)
	}
	return uint64(st.Dev), nil
}

// IsLow reports whether the disk has less room than its reserve.
func (s Space) IsLow() bool { return s.lacksBytes() || s.lacksFiles() }

func (s Space) lacksBytes() bool { return s.Total > 0 && s.Free < protocol.DiskReserve(s.Total) }

func (s Space) lacksFiles() bool {
	return s.Files > 0 && s.FreeFiles < protocol.FileCountReserve(s.Files)
}

// IsFull reports whether the disk has so little room that storing messages may soon fail.
func (s Space) IsFull() bool {
	return s.Total > 0 && s.Free < ballastSize(s) ||
		s.Files > 0 && s.FreeFiles < min(ballastFiles, protocol.FileCountReserve(s.Files))
}

// startFiles is the number of new files that a start of the service may need.
const startFiles = 8

// LacksFilesForStart reports whether too few new files fit on the disk for a start.
func (s Space) LacksFilesForStart() bool { return s.Files > 0 && s.FreeFiles < startFiles }

// isExhausted reports whether nothing can be written any more.
func (s Space) isExhausted() bool { return s.Free == 0 || s.Files > 0 && s.FreeFiles == 0 }

// hasFallen reports whether the disk has clearly less room than at an earlier time.
func (s Space) hasFallen(earlier Space) bool {
	return s.lacksBytes() && earlier.Free-s.Free >= s.noise(false) ||
		s.lacksFiles() && earlier.FreeFiles-s.FreeFiles >= s.noise(true)
}

// noise returns the largest change of free bytes or free files that is too small to prove anything.
func (s Space) noise(files bool) int64 {
	if files {
		return max(protocol.FileCountReserve(s.Files)/64, 1)
	}
	return max(protocol.DiskReserve(s.Total)/64, 1)
}

// most returns the greater of s and o for each of their numbers.
func (s Space) most(o Space) Space {
	s.Free, s.FreeFiles = max(s.Free, o.Free), max(s.FreeFiles, o.FreeFiles)
	return s
}

// String describes the room that is scarce, for people.
func (s Space) String() string {
	if s.lacksFiles() && !s.lacksBytes() {
		return fmt.Sprintf(textFreeFiles, s.FreeFiles, s.Files)
	}
	return fmt.Sprintf(textFreeBytes, amount.BinarySize(s.Free), amount.BinarySize(s.Total))
}

// DescribeReserve describes the room that is kept free, for people.
func (s Space) DescribeReserve() string {
	if s.lacksFiles() && !s.lacksBytes() {
		return fmt.Sprintf(textReserveFiles, protocol.FileCountReserve(s.Files))
	}
	return amount.BinarySize(protocol.DiskReserve(s.Total))
}
