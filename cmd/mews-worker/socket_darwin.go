package main

import "golang.org/x/sys/unix"

// prepareProcess does nothing. macOS has no /proc through which another process could read this
// process, and no sub-reapers.
func prepareProcess() error { return nil }

// duplicate is dup2(2).
func duplicate(from, to int) error { return unix.Dup2(from, to) }
