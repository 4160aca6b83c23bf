//go:build !linux

package filehistory

// lowerPriority does nothing: elsewhere a priority belongs to the whole process.
func lowerPriority() {}
