package main_test

import "testing"

// asUnit starts something: what the unit says of timers is Linux's.
func asUnit(_ *testing.B, start func()) { start() }
