//go:build !linux

package program

import "errors"

// ForbidWrites fails: this system has no such limit for another process.
func ForbidWrites(int) error { return errors.ErrUnsupported }
