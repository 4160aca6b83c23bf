package main_test

import "golang.org/x/sys/unix"

// mountSmall mounts a disk in memory with a size in MiB.
func mountSmall(dir, mib string) error { return unix.Mount("tmpfs", dir, "tmpfs", 0, "size="+mib+"m") }

// mountPlain mounts a disk in memory that does not support idmapped mounts.
func mountPlain(dir string) error { return unix.Mount("none", dir, "ramfs", 0, "mode=700") }

// unmount removes a mount, even if a process still uses it.
func unmount(dir string) error { return unix.Unmount(dir, unix.MNT_DETACH) }
