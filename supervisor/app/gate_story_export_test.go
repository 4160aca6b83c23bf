package app

import (
	"context"
	"io"
	"time"
)

// RunInside serves by a configuration's file in the test's own process, and by the test's clock, until ctx ends. started is
// called once it takes messages.
func RunInside(ctx context.Context, file string, log io.Writer, now func() time.Time, started func()) (err error) {
	cfg, err := readConfig(file)
	if err != nil {
		return err
	}
	return Run(ctx, Options{Config: cfg, Log: NewLog(cfg, log, true), Now: now, Ready: func(string) { started() }})
}
