//go:build !linux

package statefolder

// ProtectProcess does nothing. On macOS no process can read another one without the user's consent.
func ProtectProcess() error { return nil }
