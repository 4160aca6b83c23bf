//go:build !linux

package statefolder

// KeepPrivate does nothing on macOS. There no process can read another one without the user's
// consent.
func KeepPrivate() error { return nil }
