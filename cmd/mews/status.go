package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"mews/cmd/mews/chat"
	"mews/config"
	"mews/supervisor/api"
	"mews/supervisor/control"
)

// statusVerb runs `mews status`.
func statusVerb(ctx context.Context, con console, args []string) error {
	set := flags(con, "status")
	file := set.String("config", "", flagConfig)
	asJSON := set.Bool("json", false, flagJSON)
	watch := set.Bool("watch", false, flagWatch)
	check := set.Bool("check", false, flagCheckStatus)
	_, cfg, err := parseClient(set, file, args, 0, 0)
	switch {
	case err != nil:
		return err
	case *check && (*watch || *asJSON), *watch && *asJSON:
		fmt.Fprintln(con.err, textStatusOneWay)
		return errMisuse
	case *check:
		return checkStatus(ctx, con, cfg)
	case *watch:
		return watchStatus(ctx, con, cfg)
	}
	return askAndShow(ctx, con, cfg, api.MethodStatus, nil, *asJSON,
		func(s api.Status) string { return s.Text(time.Now()) })
}

// checkTimeout is how long `mews status --check` waits for a service that may be frozen.
const checkTimeout = 5 * time.Second

// checkStatus prints whether the service is ready, for scripts.
func checkStatus(ctx context.Context, con console, cfg *config.Config) error {
	ctx, cancel := context.WithTimeoutCause(ctx, checkTimeout, errors.New(textStatusNoAnswer))
	defer cancel()
	s, err := askFor[api.Status](ctx, cfg, api.MethodStatus, nil)
	switch {
	case errors.As(err, new(*control.NotRunningError)):
		return &exitError{exitNotRunning, err.Error()}
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return context.Cause(ctx)
	case err != nil:
		return err
	case s.State == "":
		return errors.New(textStatusAdminOnly)
	}
	faults := s.Faults
	if len(s.Alarms) > 0 {
		faults = append(faults, fmt.Sprintf(textStatusAlarms, strings.Join(s.Alarms, ", ")))
	}
	if len(faults) > 0 {
		return errors.New(strings.Join(faults, "; "))
	}
	_, err = fmt.Fprintln(con.out, textStatusReady)
	return err
}

// watchInterval is the time between two pictures of `mews status --watch`.
const watchInterval = 2 * time.Second

// watchStatus shows the status again and again, until ctx ends. On a terminal each picture replaces
// the last one.
func watchStatus(ctx context.Context, con console, cfg *config.Config) error {
	before, after := "", "\n"
	if chat.IsTerminal(con.out) {
		before, after = clearScreen, ""
	}
	for {
		text := ""
		s, err := askFor[api.Status](ctx, cfg, api.MethodStatus, nil)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			text = err.Error() + "\n" // the service may stop now, and start again
		default:
			text = s.Text(time.Now())
		}
		if _, err := io.WriteString(con.out, before+text+after); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(watchInterval):
		}
	}
}

// clearScreen clears a terminal and puts the cursor into its corner (ECMA-48).
const clearScreen = "\x1b[H\x1b[2J\x1b[3J"
