//go:build !linux

package idle

// lowerPriority does nothing: elsewhere a priority belongs to the whole process.
func lowerPriority() {}
