package main

import (
	"context"
	"errors"
	"io"
	"time"

	"mews/config"
)

// RunInside serves by a configuration's file in the test's own process, and by the test's clock, until ctx ends. started is
// called once it takes messages.
func RunInside(ctx context.Context, file string, log io.Writer, now func() time.Time, started func()) (err error) {
	env, err := config.OS()
	if err != nil {
		return err
	}
	cfg, err := config.Load(file, env)
	if err != nil {
		return err
	}
	s := &service{ground: ground{config: cfg, log: newLog(cfg, log, true), since: time.Now(), now: now}}
	if err := s.open(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	return s.run(ctx, started)
}
