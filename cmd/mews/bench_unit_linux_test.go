package main_test

import (
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// asUnit calls start with timers as coarse as deploy/systemd/mews.service sets them. With the
// kernel's usual timers Go's scheduler looks for work three times as often.
func asUnit(b *testing.B, start func()) {
	b.Helper()
	unit, err := os.ReadFile("../../deploy/systemd/mews.service")
	if err != nil {
		b.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(unit), "\nTimerSlackNSec=")
	text, _, _ := strings.Cut(rest, "\n")
	slack, err := time.ParseDuration(text)
	if err != nil {
		b.Fatal(err)
	}
	runtime.LockOSThread() // a process inherits the timer slack of the thread that starts it
	defer runtime.UnlockOSThread()
	setSlack := func(d time.Duration) {
		if err := unix.Prctl(unix.PR_SET_TIMERSLACK, uintptr(d), 0, 0, 0); err != nil {
			b.Fatal(err)
		}
	}
	setSlack(slack)
	defer setSlack(0) // 0 restores the usual timer slack of the thread
	start()
}
