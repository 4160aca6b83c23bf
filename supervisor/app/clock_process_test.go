package app_test

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"mews/supervisor/app"
)

// clockFile is the environment variable with the file of the test's time, in milliseconds. A
// supervisor in the test's own program uses that time.
const clockFile = "MEWS_TEST_CLOCK"

// serveByClock runs a supervisor with the time in clockFile, with arguments like `mews run --config
// FILE`. It returns when the supervisor is told to stop.
func serveByClock(clock string) (code int) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	now := func() time.Time {
		text, err := os.ReadFile(clock)
		if err != nil {
			panic(err)
		}
		at, err := strconv.ParseInt(string(text), 10, 64)
		if err != nil {
			panic(err)
		}
		return time.UnixMilli(at)
	}
	if err := app.RunServiceInTest(ctx, os.Args[len(os.Args)-1], os.Stderr, now, func() {}, nil, false); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// clockedService is a service whose supervisor is a separate process. Its clock moves only when the
// test moves it.
type clockedService struct{ *gatedService }

// newClockedService makes a clockedService from a service, and does not start it.
func newClockedService(l *gatedService) *clockedService {
	l.T.Helper()
	c := &clockedService{l}
	self, err := os.Executable()
	if err != nil {
		l.T.Fatal(err)
	}
	program := filepath.Join(l.Bin, "mews")
	if err := os.Remove(program); err != nil {
		l.T.Fatal(err)
	}
	if err := os.Link(self, program); err != nil {
		l.T.Fatal(err)
	}
	l.Env = append(l.Env, clockFile+"="+filepath.Join(l.Dir, "clock"))
	c.move(0)
	return c
}

// move moves the clock forward.
func (c *clockedService) move(d time.Duration) {
	c.T.Helper()
	c.gatedService.move(d)
	c.write("clock.new", strconv.FormatInt(c.now().UnixMilli(), 10))
	if err := os.Rename(filepath.Join(c.Dir, "clock.new"), filepath.Join(c.Dir, "clock")); err != nil {
		c.T.Fatal(err)
	}
}
