//go:build !linux

package program

// closeOnExec does nothing here: Go closes what it has opened itself.
func closeOnExec() error { return nil }
