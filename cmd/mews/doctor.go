package main

import (
	"context"
	"errors"
	"fmt"
	"mews/supervisor/app"
	"mews/supervisor/placement"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"mews/config"
	"mews/protocol"
	"mews/protocol/amount"
	"mews/supervisor/control"
	"mews/supervisor/pool"
	"mews/supervisor/telegram"
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
		{"telegram", lookAtTelegram},
		{"service", lookAtService},
		{"gate", lookAtGate},
		{"seal", lookAtSeal},
		{"budget", lookAtBudget},
		{"walls", lookAtWalls},
		{"limits", lookAtLimits},
	}
}

// doctorVerb is `mews doctor`.
func doctorVerb(ctx context.Context, con console, args []string) error {
	set := flags(con, "doctor")
	file := set.String("config", "", "the configuration `FILE`")
	escapes := set.Bool("escapes", false, "have a worker try everything to get out of its walls, and show the table")
	if err := parse(set, args); err != nil {
		return err
	}
	cfg, path, err := loadConfig(*file)
	if err != nil {
		return err
	}
	if *escapes {
		return tryEverything(ctx, con, cfg)
	}
	if path == "" {
		path = "none, which is fine"
	}
	fmt.Fprintf(con.out, "ok    %-9s %s\n", "config", path)
	bad := 0
	for _, e := range examinations() {
		finding, err := e.look(ctx, cfg)
		if warning := new(warned); errors.As(err, &warning) {
			fmt.Fprintf(con.out, "WARN  %-9s %s\n", e.name, hanging(err.Error()))
			continue
		}
		if err != nil {
			bad++
			fmt.Fprintf(con.out, "BAD   %-9s %s\n", e.name, hanging(err.Error()))
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
	_, worker, err := placement.Companions()
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
	free := int64(fs.Bavail) * int64(fs.Bsize)
	if free < lowDisk {
		return "", fmt.Errorf("only %s are free below %s; messages are refused when it is full: make room", amount.Size(free), dir)
	}
	return amount.Size(free) + " free below " + dir, nil
}

func lookAtHomes(ctx context.Context, cfg *config.Config) (string, error) {
	var errs []error
	walls, runs := wallsOfService(ctx, cfg)
	ownAccounts := runs && walls.Tier == "accounts" && os.Getuid() != 0
	for _, u := range cfg.Users {
		if ownAccounts && hasOwn(u) {
			continue // theirs alone: neither the service nor this looks into it
		}
		if err := unix.Access(existing(u.Home), unix.W_OK|unix.X_OK); err != nil {
			errs = append(errs, fmt.Errorf("%s's folder %s: %w", u.Name, u.Home, err))
		}
		if err := ownedByWorker(ctx, cfg, u); err != nil {
			errs = append(errs, err)
		}
	}
	return amount.Of(len(cfg.Users), "person", "people, each") + " with a folder", errors.Join(errs...)
}

// hasOwn says whether somebody has an OS account of their own, apart from this process's.
func hasOwn(u config.User) bool {
	own, err := placement.FindAccount(u.Account)
	return u.Account != "" && err == nil && own.UID != 0 && own.UID != uint32(os.Getuid())
}

// ownedByWorker looks whose a folder is, where the service is root and may go into any. One that the service has made is given
// to its worker's account when it starts.
func ownedByWorker(ctx context.Context, cfg *config.Config, u config.User) error {
	info, err := os.Stat(u.Home)
	if os.Getuid() != 0 || err != nil || filepath.Dir(u.Home) == filepath.Join(cfg.State, "homes") {
		return nil
	}
	want, err := placement.WorkerAccount(ctx, cfg.Worker.Account, cfg.Local)
	if own, bad := placement.FindAccount(u.Account); u.Account != "" && bad == nil && own.UID != 0 {
		want = own
	}
	if err == nil && placement.UIDOf(info) != want.UID {
		err = fmt.Errorf("%s's folder %s belongs to uid %d, and their worker is uid %d: chown -R %d:%d %s", u.Name, u.Home,
			placement.UIDOf(info), want.UID, want.UID, want.GID, u.Home)
	}
	return err
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

// lookAtTelegram asks who the bot is. It does not poll: what waits for the service is the service's.
func lookAtTelegram(ctx context.Context, cfg *config.Config) (string, error) {
	t := cfg.Telegram
	if t.Token.Reveal() == "" {
		return "not configured; with telegram.token, or TELEGRAM_TOKEN and MEWS_TELEGRAM_ID, people can talk there", nil
	}
	client, err := telegram.New(telegram.Options{Token: t.Token.Reveal(), APIURL: t.APIURL})
	if err != nil {
		return "", err
	}
	defer client.Close()
	bounded, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	bot, err := client.Me(bounded)
	if err != nil {
		return "", fmt.Errorf("ask Telegram at %s who the bot is: %w; is the token right (@BotFather has it), and the network there?", t.APIURL, err)
	}
	people := 0
	for _, u := range cfg.Users {
		if u.Telegram != 0 {
			people++
		}
	}
	way := "polling"
	if t.Webhook.URL != "" {
		way = "called at " + t.Webhook.URL
	}
	return fmt.Sprintf("@%s, %s, for %s", bot.Username, way, amount.Of(people, "person", "people")), nil
}

func lookAtService(ctx context.Context, cfg *config.Config) (string, error) {
	var status control.Status
	err := control.Ask(ctx, app.SocketPath(cfg), control.MethodStatus, nil, &status)
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

// lookAtWalls asks the service, or a spawner of its own where none runs.
func lookAtWalls(ctx context.Context, cfg *config.Config) (string, error) {
	walls, err := wallsHere(ctx, cfg)
	if err != nil {
		return "", placement.SandboxFault(err)
	}
	if control.Walls(walls).Weak() {
		return "", &warned{strings.ToUpper(walls.Tier) + ". " + wallsLines(walls.Why)}
	}
	return walls.Tier + ". " + walls.Why + sharing(cfg, walls.Tier), nil
}

func lookAtLimits(ctx context.Context, cfg *config.Config) (string, error) {
	if walls, runs := wallsOfService(ctx, cfg); runs {
		return walls.Limits, nil
	}
	walls, err := wallsHere(ctx, cfg)
	if err != nil {
		return "", wallsUnknown(err)
	}
	return fmt.Sprintf("%s of memory and %d processes for each worker. %s", cfg.Worker.Memory, cfg.Worker.PIDs, walls.Limits), nil
}

func wallsHere(ctx context.Context, cfg *config.Config) (pool.Sandbox, error) {
	if walls, runs := wallsOfService(ctx, cfg); runs {
		return pool.Sandbox(walls), nil
	}
	s, _, err := ownSpawner(ctx, cfg, nil)
	if err != nil {
		return pool.Sandbox{}, err
	}
	walls := s.Sandbox()
	return walls, s.Close()
}

// ownSpawner starts a spawner as the service would, or takes the one that has started this process.
func ownSpawner(ctx context.Context, cfg *config.Config, started *os.File) (*pool.Spawner, placement.Account, error) {
	workers, err := placement.WorkerAccount(ctx, cfg.Worker.Account, cfg.Local)
	if err != nil {
		return nil, workers, err
	}
	o, err := app.PlacementOptions(cfg, app.Discard()).SpawnerOptions(workers)
	if err != nil {
		return nil, workers, err
	}
	o.Log, o.Started = app.Discard(), started
	s, err := pool.StartSpawner(ctx, o)
	return s, workers, err
}

// tryEverything is `mews doctor --escapes`.
func tryEverything(ctx context.Context, con console, cfg *config.Config) error {
	started, err := placement.StartedBy()
	if err != nil {
		return err
	}
	s, workers, err := ownSpawner(ctx, cfg, started)
	if err != nil {
		return err
	}
	bad, err := tryAll(ctx, con, cfg, s, workers)
	if err := errors.Join(err, s.Close()); err != nil { // it is closed already unless something was wrong before
		return err
	}
	if bad > 0 {
		return fmt.Errorf("%d attempts got out of the walls %q", bad, s.Sandbox().Tier)
	}
	return nil
}

func tryAll(ctx context.Context, con console, cfg *config.Config, s *pool.Spawner, workers placement.Account) (bad int, err error) {
	err = errors.Join(os.MkdirAll(cfg.State, 0o711), os.MkdirAll(filepath.Join(cfg.State, "private"), 0o700))
	if err != nil {
		return 0, fmt.Errorf("make the state folder: %w", err)
	}
	if err := placement.CheckState(cfg.State); err != nil {
		return 0, err
	}
	place, err := placement.SelfTestPlace(cfg.State, workers)
	if err != nil {
		return 0, err
	}
	walls := s.Sandbox()
	fmt.Fprintf(con.out, "walls   %s. %s\nlimits  %s\n\n", walls.Tier, walls.Why, walls.Limits)
	marker := filepath.Join(place.Root, place.Path, protocol.DaemonMarker)
	defer os.Remove(marker)
	var findings []protocol.Finding
	err = placement.WithSelfTestWorker(ctx, s, place, func(worker *pool.Worker[placement.NoHost]) (err error) {
		findings, err = placement.Escapes(ctx, worker, cfg.State, workers, true)
		return err
	})
	app.AfterTheEnd(findings, marker)
	return app.WriteEscapes(con.out, walls.Tier, findings), err
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
