package main_test

import "testing"

// asUnit calls start. Only on Linux does the unit change timers.
func asUnit(_ *testing.B, start func()) { start() }
