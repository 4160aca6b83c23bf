package engine

import "golang.org/x/sys/unix"

// networkFilesystems lists the refused file systems by their number in statfs(2). FUSE is missing,
// since it often serves a local disk.
var networkFilesystems = map[uint32]string{
	unix.NFS_SUPER_MAGIC:   "NFS",
	unix.SMB_SUPER_MAGIC:   "SMB",
	unix.SMB2_SUPER_MAGIC:  "SMB",
	unix.CIFS_SUPER_MAGIC:  "CIFS",
	unix.V9FS_MAGIC:        "9P",
	unix.AFS_SUPER_MAGIC:   "AFS",
	unix.AFS_FS_MAGIC:      "AFS",
	unix.CEPH_SUPER_MAGIC:  "Ceph",
	unix.CODA_SUPER_MAGIC:  "Coda",
	unix.NCP_SUPER_MAGIC:   "NCP",
	unix.OCFS2_SUPER_MAGIC: "OCFS2",
	// linux/magic.h lacks the number of GFS2; statfs(2) lists it
	0x01161970: "GFS2",
	0x0bd00bd0: "Lustre", // the number is from Lustre's own headers
	0x786f4256: "vboxsf", // a folder of the computer on which this virtual machine runs
}

// filesystem asks the kernel for the file system of dir.
func filesystem(dir string) (Filesystem, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return Filesystem{}, err
	}
	// The number has 32 bits, but the field Type is signed and wider on some machines.
	name, network := networkFilesystems[uint32(s.Type)]
	return Filesystem{Name: name, Network: network, Free: int64(s.Bavail) * int64(s.Bsize)}, nil
}
