//go:build !linux && !darwin

package main

import (
	"fmt"
	"os"
	"runtime"
)

// takeSocket fails: there is no way yet to make the socket private on this system.
func takeSocket() (*os.File, error) {
	return nil, fmt.Errorf("a worker needs Linux; this is %s", runtime.GOOS)
}
