package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"mews/config"
	"mews/protocol/amount"
	"mews/supervisor/disk"
	"mews/supervisor/placement"
	"mews/supervisor/unit"
)

func examinePrograms(ctx context.Context, o Options) (string, error) {
	spawner, worker, err := placement.FindSpawnerAndWorker()
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
	dir := nearestExisting(o.Config.State)
	if err := unix.Access(dir, unix.W_OK|unix.X_OK); err != nil {
		return "", fmt.Errorf(textStateClosed, dir, err)
	}
	return o.Config.State, nil
}

// lowDisk is the free space that the database needs to accept messages.
const lowDisk = 256 << 20

// examineDisk examines the disks of the state folder and of the homes, each once.
func examineDisk(_ context.Context, o Options) (string, error) {
	paths := []string{o.Config.State}
	for _, u := range o.Config.Users {
		paths = append(paths, u.Home)
	}
	var findings []string
	var low error
	seen := map[uint64]bool{}
	for i, path := range paths {
		dir := nearestExisting(path)
		device, err := disk.DeviceOf(dir)
		if err != nil {
			return "", err
		}
		if seen[device] {
			continue
		}
		seen[device] = true
		room, err := disk.SpaceOf(dir)
		if err != nil {
			return "", err
		}
		switch {
		case room.IsFull() || i == 0 && room.Free < lowDisk:
			return "", fmt.Errorf(textDiskFull, dir, room)
		case room.IsLow():
			low = errors.Join(low, fmt.Errorf(textDiskLow, dir, room, room.DescribeReserve()))
		}
		findings = append(findings, fmt.Sprintf(textDiskFree, amount.BinarySize(room.Free), dir))
	}
	if low != nil {
		return "", &warning{low.Error()}
	}
	return strings.Join(findings, "; "), nil
}

func examineHomes(ctx context.Context, o Options) (string, error) {
	cfg := o.Config
	var errs []error
	status, err := serviceStatus(ctx, cfg)
	ownAccounts := err == nil && status.Walls.Tier == "accounts" && os.Getuid() != 0
	for _, u := range cfg.Users {
		if ownAccounts && (hasOwnAccount(u) || hasOwnUID(cfg, u)) {
			continue // only the owner may enter this home: neither the service nor the doctor may
		}
		if bad := homeFault(ctx, cfg, u); bad != nil {
			errs = append(errs, bad)
		} else if err := unix.Access(nearestExisting(u.Home), unix.W_OK|unix.X_OK); err != nil {
			errs = append(errs, fmt.Errorf(textHomeClosed, u.Name, u.Home, err))
		}
	}
	var shared []string
	for _, u := range status.Users {
		if u.HandOver != "" {
			shared = append(shared, fmt.Sprintf(textHandOver, u.Name, u.Home, u.HandOver))
		}
	}
	if len(shared) > 0 && len(errs) == 0 {
		return "", &warning{strings.Join(shared, "\n")}
	}
	homes := configuredHomes(cfg)
	if status.Users != nil {
		homes = nil
		for _, u := range status.Users {
			homes = append(homes, u.Home)
		}
	}
	return homesText(homes), errors.Join(errs...)
}

// configuredHomes returns the homes of the configured users.
func configuredHomes(cfg *config.Config) (homes []string) {
	for _, u := range cfg.Users {
		homes = append(homes, u.Home)
	}
	return homes
}

// homesText counts people and their homes. The service makes a home when its person first needs it.
func homesText(homes []string) string {
	there := 0
	for _, home := range homes {
		if _, err := os.Stat(home); !errors.Is(err, fs.ErrNotExist) {
			there++
		}
	}
	people := amount.Plural(len(homes), "person", "people")
	if there == len(homes) {
		return fmt.Sprintf(textHomes, people)
	}
	return fmt.Sprintf(textHomesNotYet, people, there)
}

// homeFault says why a user's home does not work for their worker.
func homeFault(ctx context.Context, cfg *config.Config, u config.User) error {
	if _, err := placement.FindAccount(u.Account); u.Account != "" && err != nil {
		return fmt.Errorf(textUnknownAccount, u.Name, u.Account)
	}
	if _, err := os.Stat(u.Home); errors.Is(err, fs.ErrNotExist) && !serviceMakesHome(cfg, u) {
		return fmt.Errorf(textHomeMissing, u.Name, u.Home, cmp.Or(u.Account, "ACCOUNT"))
	}
	return checkHomeOwner(ctx, cfg, u)
}

// serviceMakesHome reports whether the service makes a user's home itself.
func serviceMakesHome(cfg *config.Config, u config.User) bool {
	return filepath.Dir(u.Home) == filepath.Join(cfg.State, "homes")
}

// serviceUID returns the owner of the state folder; 0 means root or unknown.
func serviceUID(cfg *config.Config) uint32 {
	info, err := os.Stat(filepath.Join(cfg.State, "private"))
	if err != nil {
		return 0
	}
	return placement.OwnerUID(info)
}

// hasOwnUID reports whether a home belongs to a uid that the configuration reserves for users
// without an account.
func hasOwnUID(cfg *config.Config, u config.User) bool {
	from, to := cfg.Worker.UIDRange()
	info, err := os.Stat(u.Home)
	return err == nil && placement.UIDRange{From: from, To: to}.Contains(placement.OwnerUID(info))
}

// hasOwnAccount reports whether a user has an OS account other than this process's.
func hasOwnAccount(u config.User) bool {
	own, err := placement.FindAccount(u.Account)
	return u.Account != "" && err == nil && own.UID != 0 && own.UID != uint32(os.Getuid())
}

// checkHomeOwner checks that a home belongs to its worker's account. Only root can check every
// home. Homes that the service makes are skipped, because the service gives them to the worker's
// account when it starts.
func checkHomeOwner(ctx context.Context, cfg *config.Config, u config.User) error {
	info, err := os.Stat(u.Home)
	if !seesHomes(cfg) || err != nil || serviceMakesHome(cfg, u) {
		return nil
	}
	want, err := placement.WorkerAccount(ctx, cfg.Worker.Account, cfg.Local)
	switch own, bad := placement.FindAccount(u.Account); {
	case bad == nil && u.Account != "" && own.UID != 0:
		want = own
	case serviceUID(cfg) != 0:
		want.UID = serviceUID(cfg)
	}
	if err == nil && placement.OwnerUID(info) != want.UID && !hasOwnUID(cfg, u) {
		err = ownerFault(u, placement.OwnerUID(info), want.UID)
	}
	return err
}

// seesHomes reports whether this account can see the owners of homes. Root can see them, and so can
// the account of a service without a unit.
func seesHomes(cfg *config.Config) bool {
	_, ok := unit.FindService(cfg.State)
	return os.Getuid() == 0 || ok && uint32(os.Getuid()) == serviceUID(cfg)
}

// ownerFault names the owner of a home. It never advises to change the owner, because the folder
// belongs to a person.
func ownerFault(u config.User, owner, worker uint32) error {
	whose, err := user.LookupId(fmt.Sprint(owner))
	if err != nil || owner == 0 {
		return fmt.Errorf(textHomeOwner, u.Name, u.Home, owner, worker)
	}
	return fmt.Errorf(textHomeOfAccount, u.Name, u.Home, whose.Username, worker, u.Name, whose.Username)
}

// nearestExisting returns the path if it exists, otherwise the nearest existing folder above it.
func nearestExisting(path string) string {
	for {
		if _, err := os.Stat(path); err == nil || path == filepath.Dir(path) {
			return path
		}
		path = filepath.Dir(path)
	}
}
