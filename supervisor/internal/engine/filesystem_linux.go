package engine

import "golang.org/x/sys/unix"

// networkFilesystems are the file systems that are refused, by the number that statfs(2) gives.
// FUSE is not among them: it is as often a local disk as not.
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
	// linux/magic.h does not list this one and the next; statfs(2) does
	0x01161970: "GFS2",
	0x0bd00bd0: "Lustre", // from Lustre's own headers
	0x786f4256: "vboxsf", // a folder of the machine that hosts this one
}

// filesystem asks the kernel what dir lies on.
func filesystem(dir string) (Filesystem, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return Filesystem{}, err
	}
	// the number has 32 bits; Type is signed and wider on some machines
	name, network := networkFilesystems[uint32(s.Type)]
	return Filesystem{Name: name, Network: network, Free: int64(s.Bavail) * int64(s.Bsize)}, nil
}
