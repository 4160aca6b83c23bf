package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/hashicorp/go-hclog"
	"golang.org/x/term"

	"mews/cmd/mews/chat"
	"mews/config"
	"mews/supervisor/control"
)

// runVerb is `mews run`.
func runVerb(ctx context.Context, con console, args []string) error {
	set := flags(con, "run")
	file := set.String("config", "", "the configuration `FILE`")
	inside := set.Bool("chat", false, "drop into the chat; leaving it stops the service")
	user := set.String("user", "", "with --chat: speak as the user of this `NAME` (admins only)")
	if err := parse(set, args); err != nil {
		return err
	}
	if *user != "" && !*inside {
		fmt.Fprintln(con.err, "mews run: --user says as whom to chat, and there is no --chat")
		return errMisuse
	}
	cfg, path, err := loadConfig(*file)
	if err != nil {
		return err
	}
	for _, hint := range append(cfg.Hints, nearby(ctx, cfg, path)...) {
		fmt.Fprintln(con.err, "mews: "+hint)
	}
	if *inside && talks(con.in) {
		return runAndChat(ctx, con, cfg, *user)
	}
	return serve(ctx, cfg, newLog(cfg, con.err, path == "" && chat.IsTerminal(con.err)), nil, func(s *service) {
		if path == "" {
			fmt.Fprint(con.out, newReporter(s).hints())
		}
	})
}

// talks tells whether there is somebody at the other end of standard input: a terminal, or lines that are piped in. A
// service started by a service manager has /dev/null there.
func talks(in *os.File) bool {
	if term.IsTerminal(int(in.Fd())) {
		return true
	}
	info, err := in.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice == 0
}

// newLog makes the log as the configuration has it. Where nothing is configured and a person looks on, it is for eyes.
func newLog(cfg *config.Config, w io.Writer, eyes bool) hclog.Logger {
	return hclog.New(&hclog.LoggerOptions{
		Name:       "mews",
		Level:      hclog.LevelFromString(cfg.Log.Level),
		Output:     w,
		JSONFormat: cfg.Log.Format == "json" && !eyes,
	})
}

// discard is the log of a verb that says all it has to say itself.
func discard() hclog.Logger { return hclog.NewNullLogger() }

// serve runs the service until ctx ends. It takes over the state folder's lock where the caller has it. ready is called
// once it takes messages.
func serve(ctx context.Context, cfg *config.Config, log hclog.Logger, lock *os.File, ready func(*service)) (err error) {
	if err := keepPrivate(); err != nil {
		return err
	}
	s, err := newService(ctx, cfg, log, lock)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	return s.run(ctx, func() {
		s.audit.routine("", "service.started", fmt.Sprintf("version %s, process %d, walls %s", version, os.Getpid(), s.chambers.spawner.Sandbox().Tier))
		log.Info("serving", "version", version, "state", cfg.State, "model", s.models.Default())
		ready(s)
	})
}

// runAndChat serves and talks in one process: leaving the chat ends both. Where a Mews serves the state folder already,
// it talks to that one and leaves it running. user is as whom; "" is the account's own.
func runAndChat(ctx context.Context, con console, cfg *config.Config, user string) error {
	if err := os.MkdirAll(cfg.State, 0o711); err != nil {
		return fmt.Errorf("make the state folder: %w", err)
	}
	logFile, err := os.OpenFile(filepath.Join(cfg.State, "mews.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("open the log: %w", err)
	}
	defer logFile.Close()
	lock, err := lockState(cfg.State)
	if running := new(inUse); errors.As(err, &running) {
		if err := await(ctx, cfg); err != nil {
			return err
		}
		return talk(ctx, con, socketPath(cfg), chat.Options{User: user, ReconnectTimeout: chat.BriefReconnectTimeout})
	}
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	ready := make(chan struct{})
	served := make(chan error, 1)
	go func() { // waited for below; when it ends by itself, the chat has nobody left to talk to
		err := serve(ctx, cfg, newLog(cfg, logFile, false), lock, func(*service) { close(ready) })
		stop(err)
		served <- err
	}()
	select {
	case <-ready:
	case err := <-served:
		return err
	}
	err = talk(ctx, con, socketPath(cfg), chat.Options{User: user, Hints: cfg.Models.Default == config.Offline})
	stop(nil)
	if failed := <-served; failed != nil {
		return failed // and whatever the chat says comes of it
	}
	return err
}

// starting is how long a service that has taken its state folder may need until it answers.
const starting = 5 * time.Second

// await waits for a service that may only just be starting.
func await(ctx context.Context, cfg *config.Config) error {
	_, err := backoff.Retry(ctx, func() (struct{}, error) {
		var status control.Status
		return struct{}{}, control.Ask(ctx, socketPath(cfg), control.MethodStatus, nil, &status)
	}, backoff.WithBackOff(backoff.NewConstantBackOff(50*time.Millisecond)), backoff.WithMaxElapsedTime(starting))
	return err
}

// companions finds the other two programs beside this one.
func companions() (spawner, worker string, err error) {
	self, err := os.Executable()
	if err != nil {
		return "", "", fmt.Errorf("find the program's own folder: %w", err)
	}
	if self, err = filepath.EvalSymlinks(self); err != nil {
		return "", "", fmt.Errorf("find the program's own folder: %w", err)
	}
	spawner = filepath.Join(filepath.Dir(self), "mews-spawner")
	worker = filepath.Join(filepath.Dir(self), "mews-worker")
	for _, path := range []string{spawner, worker} {
		if _, err := os.Stat(path); err != nil {
			return "", "", fmt.Errorf("mews needs its companion beside itself: %w; `make build` puts all three into bin/", err)
		}
	}
	return spawner, worker, nil
}
