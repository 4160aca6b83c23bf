package protocol

// MethodDiskGrowth asks a worker how much its programs have written since they started. It has no
// parameters, and its result is a DiskGrowth. The worker answers within a second, at any time after
// hello.
const MethodDiskGrowth = "disk.growth"

// DiskGrowth is the result of disk.growth. Without running programs it is zero.
type DiskGrowth struct {
	Programs int   `json:"programs"`          // number of running programs
	Bytes    int64 `json:"bytes,omitempty"`   // growth of the home; negative if it has shrunk
	Files    int64 `json:"files,omitempty"`   // growth of the number of files and folders in the home
	Written  int64 `json:"written,omitempty"` // bytes that were written to any folder, as the kernel counts
	Partial  bool  `json:"partial,omitempty"` // the count of the home is not complete
}

// MethodDiskThin tells a worker that a disk is nearly full. The worker deletes all versions in the
// file history that were replaced over 48 hours ago, and then answers. It has no parameters and no
// result. The supervisor may call it at any time after hello.
const MethodDiskThin = "disk.thin"

// MethodDiskHold tells a worker that its programs filled the disk and were ended. Until the disk
// has its reserve again, new programs may delete files, but not write to any. It has no parameters
// and no result. The supervisor may call it at any time after hello.
const MethodDiskHold = "disk.hold"

// MethodDiskExceeded reports that the home holds more than hello allows. The home has grown since
// its programs started. It is a notification, at any time after hello.
//
//	{"bytes":10737422336,"files":1200}
const MethodDiskExceeded = "disk.exceeded"

// DiskExceeded has the size of the home.
type DiskExceeded struct {
	Bytes int64 `json:"bytes"`
	Files int64 `json:"files"` // number of files and folders in the home
}

// Reserve of a disk. If less is free, file tools refuse to write, and the programs of the user who
// has written most are ended.
const (
	maxDiskReserve = 1 << 30 // largest reserve of a disk, in bytes
	reserveShare   = 20      // the reserve is 1/20 of a disk
)

// DiskReserve returns the bytes to keep free of a disk's total bytes: 5 %, at most 1 GiB.
func DiskReserve(total int64) int64 { return min(total/reserveShare, maxDiskReserve) }

// FileCountReserve returns the number of files to keep free: 5 % of a disk's total. The total is
// the number of files that the disk can have.
func FileCountReserve(total int64) int64 { return total / reserveShare }
