//go:build !linux

package workspace

import "errors"

// renameNoReplace has no common form on these systems.
func renameNoReplace(int, string, int, string) error { return errors.ErrUnsupported }
