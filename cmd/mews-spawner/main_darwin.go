package main

import "errors"

// modes maps the program's only argument to the function that runs. macOS has no walls to build.
var modes = map[string]func() error{"--version": printVersion}

// supervise returns an error: macOS has no accounts for each user.
func supervise([]string) error { return errors.New(textNotOnMacOS) }

// exitStatus returns this program's exit status after err.
func exitStatus(error) int { return 1 }
