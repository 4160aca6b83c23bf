package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/term"

	"mews/cmd/mews/chat"
	"mews/config"
	"mews/supervisor"
	"mews/supervisor/app"
	"mews/supervisor/logging"
	"mews/supervisor/statefolder"
)

// runVerb runs `mews run`.
func runVerb(ctx context.Context, con console, args []string) error {
	set := flags(con, "run")
	file := set.String("config", "", flagConfig)
	inside := set.Bool("chat", false, flagRunChat)
	user := set.String("user", "", flagRunUser)
	fresh := set.Bool("new-database", false, flagRunNew)
	homes := set.Bool("new-homes", false, flagRunHomes)
	noCopy := set.Bool("migrate-without-copy", false, flagRunNoCopy)
	differs := set.Bool("database-differs", false, flagRunDiffers)
	safe := set.Bool("safe-mode", false, flagRunSafe)
	if err := parse(set, args); err != nil {
		return err
	}
	if *user != "" && !*inside {
		fmt.Fprintln(con.err, textUserWithoutChat)
		return errMisuse
	}
	if err := statefolder.ProtectProcess(); err != nil { // the configuration holds secrets
		return err
	}
	cfg, path, err := loadConfig(*file)
	if err != nil && *inside && hasInput(con.in) {
		if running := findRunning(ctx, *file); running != nil {
			return chatWithRunning(ctx, con, running, *user)
		}
	}
	if err != nil {
		return &configurationError{err}
	}
	for _, hint := range append(cfg.Hints, nearbyModels(ctx, cfg, path)...) {
		fmt.Fprintln(con.err, "mews: "+hint)
	}
	o := app.Options{Config: cfg, Version: version, Now: time.Now, Manual: chatPages,
		NewDatabase: *fresh, NewHomes: *homes, WithoutCopy: *noCopy, AllowDifferences: *differs,
		SafeMode: *safe}
	if *inside && hasInput(con.in) {
		if cfg.Warnings != nil { // print warnings here: the log goes to a file
			fmt.Fprintf(con.err, textStartedWithout, cfg.Warnings)
		}
		return runAndChat(ctx, con, o, *user)
	}
	o.Log = logging.New(cfg.Log.Level, cfg.Log.Format == "json" && (path != "" || !chat.IsTerminal(con.err)), con.err)
	o.Ready = func(hints string) {
		if path == "" {
			fmt.Fprint(con.out, hints)
		}
	}
	o.OwnsProcess = true
	err = app.Run(ctx, o)
	if supervisor.ErrorCodeOf(err) == supervisor.CodeInvalid { // it stays until somebody mends it
		err = &configurationError{err}
	}
	return err
}

// hasInput reports whether standard input is a terminal or a pipe. A service manager gives a
// service /dev/null.
func hasInput(in *os.File) bool {
	if term.IsTerminal(int(in.Fd())) {
		return true
	}
	info, err := in.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice == 0
}

// runAndChat serves and chats in one process, and leaving the chat ends both. If a service already
// runs on the state folder, the chat uses that service and leaves it running. The user speaks as
// user; "" means the account's own user.
func runAndChat(ctx context.Context, con console, o app.Options, user string) error {
	cfg := o.Config
	if err := os.MkdirAll(cfg.State, 0o711); err != nil {
		return fmt.Errorf("make the state folder: %w", err)
	}
	logFile, err := os.OpenFile(filepath.Join(cfg.State, "mews.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("open the log: %w", err)
	}
	defer logFile.Close()
	lock, err := statefolder.LockFolder(cfg.State)
	if running := new(statefolder.InUseError); errors.As(err, &running) {
		return chatWithRunning(ctx, con, cfg, user)
	}
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	ready := make(chan struct{})
	served := make(chan error, 1)
	o.Log, o.Lock = logging.New(cfg.Log.Level, cfg.Log.Format == "json", logFile), lock
	o.Ready = func(string) { close(ready) }
	go func() { // the code below waits for this goroutine; if the service ends by itself, stop ends the chat
		err := app.Run(ctx, o)
		stop(err)
		served <- err
	}()
	select {
	case <-ready:
	case err := <-served:
		return err
	}
	err = chatWith(ctx, con, app.SocketPath(cfg), chat.Options{User: user,
		Hints: cfg.Models.Default == config.OfflineModel, ConfigFile: cfg.File})
	if err == nil && ctx.Err() == nil && term.IsTerminal(int(con.in.Fd())) {
		sayWhatStops(ctx, con, cfg)
	}
	stop(nil)
	failed := <-served
	if errors.Is(err, failed) { // also true if both errors are nil
		return err
	}
	return errors.Join(failed, err)
}

// chatWithRunning chats with the service that already runs, and leaves it running.
func chatWithRunning(ctx context.Context, con console, cfg *config.Config, user string) error {
	if err := app.AwaitService(ctx, cfg); err != nil {
		return err
	}
	sayWhoseService(ctx, con, cfg)
	return chatWith(ctx, con, app.SocketPath(cfg), chat.Options{User: user, ReconnectTimeout: chat.BriefReconnectTimeout})
}
