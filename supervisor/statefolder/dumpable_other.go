//go:build !linux

package statefolder

// KeepPrivate does nothing here: macOS lets nobody look into another process without its user's
// consent.
func KeepPrivate() error { return nil }
