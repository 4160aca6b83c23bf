//go:build !linux

package app

import (
	"fmt"

	"mews/supervisor"
	"mews/supervisor/placement"
)

// actAs fails, because only Linux has a saved user id that the caller can set.
func actAs(a placement.Account) (asBefore func() error, err error) {
	return nil, &supervisor.Error{Code: supervisor.CodeForbidden, Message: fmt.Sprintf(textOnlyOwner, a.UID, a.UID)}
}
