//go:build !linux

package program

// hasChild reports false: without sub-reapers, orphans do not become children of this process.
func hasChild() bool { return false }
