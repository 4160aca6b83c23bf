package main

import "errors"

// modes are what this program is when it is executed with one argument. macOS has no walls to
// build.
var modes = map[string]func() error{"--version": printVersion}

// supervise is for a service manager that gives people accounts of their own.
func supervise([]string) error { return errors.New(textNotOnMacOS) }

// exitStatus is this program's exit status after err.
func exitStatus(error) int { return 1 }
