//go:build !linux && !darwin

package main

import (
	"fmt"
	"os"
	"runtime"
)

// takeSocket has no way yet to make the socket private on this system, and does not serve without one.
func takeSocket() (*os.File, error) {
	return nil, fmt.Errorf("a worker needs Linux; this is %s", runtime.GOOS)
}
