//go:build !linux

package statefolder

// KeepPrivate does nothing here. On macOS nobody can read another process without its user's
// consent.
func KeepPrivate() error { return nil }
