//go:build !linux

package program

// closeOnExec does nothing on this system. Go closes the descriptors that it has opened itself.
func closeOnExec() error { return nil }
