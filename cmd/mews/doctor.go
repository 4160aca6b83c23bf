package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"mews/config"
	"mews/supervisor/control"
	"mews/supervisor/pool"
)

// examination is one thing that the doctor looks at. A finding is what it saw; an error is what keeps Mews from working,
// or from working well, and says what to do.
type examination struct {
	name string
	look func(ctx context.Context, cfg *config.Config) (finding string, err error)
}

// warned is what one should know, though Mews works all the same.
type warned struct{ text string }

func (w *warned) Error() string { return w.text }

func examinations() []examination {
	return []examination{
		{"programs", lookAtPrograms},
		{"state", lookAtState},
		{"disk", lookAtDisk},
		{"homes", lookAtHomes},
		{"models", lookAtModels},
		{"service", lookAtService},
		{"walls", lookAtWalls},
	}
}

// doctorVerb is `mews doctor`.
func doctorVerb(ctx context.Context, con console, args []string) error {
	set := flags(con, "doctor")
	file := set.String("config", "", "the configuration `FILE`")
	if err := parse(set, args); err != nil {
		return err
	}
	cfg, path, err := loadConfig(*file)
	if err != nil {
		return err
	}
	if path == "" {
		path = "none, which is fine"
	}
	fmt.Fprintf(con.out, "ok    %-9s %s\n", "config", path)
	bad := 0
	for _, e := range examinations() {
		finding, err := e.look(ctx, cfg)
		if warning := new(warned); errors.As(err, &warning) {
			fmt.Fprintf(con.out, "WARN  %-9s %v\n", e.name, err)
			continue
		}
		if err != nil {
			bad++
			fmt.Fprintf(con.out, "BAD   %-9s %v\n", e.name, err)
			continue
		}
		fmt.Fprintf(con.out, "ok    %-9s %s\n", e.name, finding)
	}
	if bad > 0 {
		return fmt.Errorf("%d of these need attention", bad)
	}
	return nil
}

func lookAtPrograms(ctx context.Context, _ *config.Config) (string, error) {
	_, worker, err := companions()
	if err != nil {
		return "", err
	}
	bounded, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	out, err := exec.CommandContext(bounded, worker, "--version").Output()
	if err != nil {
		return "", fmt.Errorf("run %s --version: %w", worker, err)
	}
	if !strings.Contains(string(out), version) {
		return "", fmt.Errorf("mews is %s and %s says %q; `make build` makes all three alike", version, worker,
			strings.TrimSpace(string(out)))
	}
	return "mews, mews-spawner and mews-worker are there, " + version, nil
}

func lookAtState(_ context.Context, cfg *config.Config) (string, error) {
	dir := existing(cfg.State)
	if err := unix.Access(dir, unix.W_OK|unix.X_OK); err != nil {
		return "", fmt.Errorf("%s can't be written by this account: %w; choose another `state:` or give the account the folder", dir, err)
	}
	return cfg.State, nil
}

// lowDisk is how much room there has to be for the database to go on taking messages.
const lowDisk = 256 << 20

func lookAtDisk(_ context.Context, cfg *config.Config) (string, error) {
	var fs unix.Statfs_t
	dir := existing(cfg.State)
	if err := unix.Statfs(dir, &fs); err != nil {
		return "", fmt.Errorf("look at the disk of %s: %w", dir, err)
	}
	free := int64(fs.Bavail) * fs.Bsize
	if free < lowDisk {
		return "", fmt.Errorf("only %s are free below %s; messages are refused when it is full: make room", size(free), dir)
	}
	return size(free) + " free below " + dir, nil
}

func lookAtHomes(_ context.Context, cfg *config.Config) (string, error) {
	var errs []error
	for _, u := range cfg.Users {
		if err := unix.Access(existing(u.Home), unix.W_OK|unix.X_OK); err != nil {
			errs = append(errs, fmt.Errorf("%s's folder %s: %w", u.Name, u.Home, err))
		}
	}
	return count(len(cfg.Users), "person", "people, each") + " with a folder", errors.Join(errs...)
}

func lookAtModels(ctx context.Context, cfg *config.Config) (string, error) {
	found := []string{"default " + cfg.Models.Default}
	for name, p := range cfg.Models.Providers {
		u, err := url.Parse(p.BaseURL)
		if err != nil {
			return "", fmt.Errorf("provider %s: %w", name, err)
		}
		if err := reach(ctx, u); err != nil {
			return "", fmt.Errorf("provider %s: nothing answers at %s: %w; is it running, and is base_url right?", name, u.Host, err)
		}
		found = append(found, name+" answers at "+u.Host)
	}
	return strings.Join(found, "; "), nil
}

// reach opens a connection and closes it: it says that something listens, not that a key is right.
func reach(ctx context.Context, u *url.URL) error {
	port := u.Port()
	if port == "" {
		port = u.Scheme // net knows http and https
	}
	dialer := net.Dialer{Timeout: 3 * time.Second}
	conn, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(u.Hostname(), port))
	if err != nil {
		return err
	}
	return conn.Close()
}

func lookAtService(ctx context.Context, cfg *config.Config) (string, error) {
	var status control.Status
	err := control.Ask(ctx, socketPath(cfg), control.MethodStatus, nil, &status)
	if gone := new(control.NotRunning); errors.As(err, &gone) {
		return "not running; start it with `mews run`", nil
	}
	if err != nil {
		return "", err
	}
	if status.Version != version {
		return "", fmt.Errorf("the service runs version %s and this is %s: restart it", status.Version, version)
	}
	return fmt.Sprintf("running, process %d, %d messages given up on", status.PID, status.Waiting.Parked), nil
}

// lookAtWalls asks a spawner of its own, so that it can be told without the service.
func lookAtWalls(ctx context.Context, _ *config.Config) (string, error) {
	spawner, worker, err := companions()
	if err != nil {
		return "", err
	}
	s, err := pool.StartSpawner(ctx, spawner, worker, discard())
	if err != nil {
		return "", err
	}
	tier, why := s.Walls()
	if err := s.Close(); err != nil {
		return "", err
	}
	if tier == "off" {
		return "", &warned{"NONE. " + why}
	}
	return tier, nil
}

// existing is the nearest folder above a path that is there.
func existing(path string) string {
	for {
		if _, err := os.Stat(path); err == nil || path == filepath.Dir(path) {
			return path
		}
		path = filepath.Dir(path)
	}
}
