//go:build !linux

package app

// keepPrivate does nothing here: macOS lets nobody look into another process without its user's consent.
func keepPrivate() error { return nil }
