//go:build !linux

package workspace

import "errors"

// renameNoReplace is not supported on these systems.
func renameNoReplace(int, string, int, string) error { return errors.ErrUnsupported }
