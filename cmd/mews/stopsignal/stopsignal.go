// Package stopsignal catches the signals that stop mews. It imports almost nothing, so that it is
// initialized before most other packages: a signal that comes meanwhile is not lost.
package stopsignal

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
)

// caught gets the first signal since the start of the process.
var caught = catch()

func catch() chan os.Signal {
	c := make(chan os.Signal, 1)
	signal.Notify(c, os.Interrupt, syscall.SIGTERM)
	return c
}

// Context returns a context that ends at the first signal since the process began. Only one call is
// allowed. The function stop lets later signals end the process at once.
func Context() (ctx context.Context, stop context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(context.Background())
	go func() { // this goroutine ends with ctx
		select {
		case s := <-caught:
			cancel(errors.New(s.String() + " signal received")) // the same text as in signal.NotifyContext
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		cancel(nil)
		RestoreDefault()
	}
}

// RestoreDefault lets signals end the process at once. It is for programs, such as tests, that do
// not call Context.
func RestoreDefault() { signal.Stop(caught) }
