package main_test

import "golang.org/x/sys/unix"

// mountSmall makes a disk of so many MiB.
func mountSmall(dir, mib string) error { return unix.Mount("tmpfs", dir, "tmpfs", 0, "size="+mib+"m") }

// mountPlain makes a disk in memory that takes no part in idmapped mounts.
func mountPlain(dir string) error { return unix.Mount("none", dir, "ramfs", 0, "mode=700") }

// unmount takes one away, also where somebody is still in it.
func unmount(dir string) error { return unix.Unmount(dir, unix.MNT_DETACH) }
