package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"mews/config"
	"mews/protocol/amount"
	"mews/supervisor/placement"
)

func examinePrograms(ctx context.Context, o Options) (string, error) {
	spawner, worker, err := placement.Companions()
	if err != nil {
		return "", err
	}
	bounded, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	for _, program := range []string{spawner, worker} {
		out, err := exec.CommandContext(bounded, program, "--version").Output()
		if err != nil {
			return "", fmt.Errorf("run %s --version: %w", program, err)
		}
		if !strings.HasSuffix(strings.TrimSpace(string(out)), " "+o.Version) {
			return "", fmt.Errorf(textOtherProgram, o.Version, program, strings.TrimSpace(string(out)))
		}
	}
	return fmt.Sprintf(textPrograms, o.Version), nil
}

func examineState(_ context.Context, o Options) (string, error) {
	dir := nearest(o.Config.State)
	if err := unix.Access(dir, unix.W_OK|unix.X_OK); err != nil {
		return "", fmt.Errorf(textStateClosed, dir, err)
	}
	return o.Config.State, nil
}

// lowDisk is how much room there has to be for the database to go on taking messages.
const lowDisk = 256 << 20

func examineDisk(_ context.Context, o Options) (string, error) {
	var fs unix.Statfs_t
	dir := nearest(o.Config.State)
	if err := unix.Statfs(dir, &fs); err != nil {
		return "", fmt.Errorf("look at the disk of %s: %w", dir, err)
	}
	free := int64(fs.Bavail) * int64(fs.Bsize)
	if free < lowDisk {
		return "", fmt.Errorf(textDiskLow, amount.Size(free), dir)
	}
	return fmt.Sprintf(textDiskFree, amount.Size(free), dir), nil
}

func examineHomes(ctx context.Context, o Options) (string, error) {
	cfg := o.Config
	var errs []error
	status, err := serviceStatus(ctx, cfg)
	ownAccounts := err == nil && status.Walls.Tier == "accounts" && os.Getuid() != 0
	for _, u := range cfg.Users {
		if ownAccounts && (hasOwnAccount(u) || hasOwnUID(cfg, u)) {
			continue // theirs alone: neither the service nor this looks into it
		}
		if err := unix.Access(nearest(u.Home), unix.W_OK|unix.X_OK); err != nil {
			errs = append(errs, fmt.Errorf(textHomeClosed, u.Name, u.Home, err))
		}
		if err := checkHomeOwner(ctx, cfg, u); err != nil {
			errs = append(errs, err)
		}
	}
	for _, u := range status.Users {
		if u.HandOver != "" && len(errs) == 0 {
			return "", &warning{fmt.Sprintf(textHandOver, u.Name, u.Home, u.HandOver)}
		}
	}
	return fmt.Sprintf(textHomes, amount.Of(len(cfg.Users), "person", "people, each")), errors.Join(errs...)
}

// hasOwnUID says whether somebody's home belongs to a uid that the configuration has for people without an account.
func hasOwnUID(cfg *config.Config, u config.User) bool {
	from, to := cfg.Worker.UIDRange()
	info, err := os.Stat(u.Home)
	return err == nil && placement.UIDRange{From: from, To: to}.Has(placement.UIDOf(info))
}

// hasOwnAccount says whether somebody has an OS account of their own, apart from this process's.
func hasOwnAccount(u config.User) bool {
	own, err := placement.FindAccount(u.Account)
	return u.Account != "" && err == nil && own.UID != 0 && own.UID != uint32(os.Getuid())
}

// checkHomeOwner looks whether a folder belongs to its worker's account. Only root can look into any. A folder that the service
// has made is skipped: the service gives it to the worker's account at its start.
func checkHomeOwner(ctx context.Context, cfg *config.Config, u config.User) error {
	info, err := os.Stat(u.Home)
	if os.Getuid() != 0 || err != nil || filepath.Dir(u.Home) == filepath.Join(cfg.State, "homes") {
		return nil
	}
	want, err := placement.WorkerAccount(ctx, cfg.Worker.Account, cfg.Local)
	if own, bad := placement.FindAccount(u.Account); u.Account != "" && bad == nil && own.UID != 0 {
		want = own
	}
	if err == nil && placement.UIDOf(info) != want.UID && !hasOwnUID(cfg, u) {
		err = fmt.Errorf(textHomeOwner, u.Name, u.Home, placement.UIDOf(info), want.UID, want.UID, want.GID, u.Home)
	}
	return err
}

// nearest is the path itself where it exists, else the nearest folder above it that does.
func nearest(path string) string {
	for {
		if _, err := os.Stat(path); err == nil || path == filepath.Dir(path) {
			return path
		}
		path = filepath.Dir(path)
	}
}
