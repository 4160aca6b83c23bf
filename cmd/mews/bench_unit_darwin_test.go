package main_test

import "testing"

// asUnit calls start. The systemd unit changes timers only on Linux.
func asUnit(_ *testing.B, start func()) { start() }
