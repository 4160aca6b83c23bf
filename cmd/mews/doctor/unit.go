package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"mews/config"
	"mews/supervisor/placement"
	"mews/supervisor/unit"
)

func examineUnit(_ context.Context, o Options) (string, error) {
	s, ok := unit.FindService(o.Config.State)
	if !ok {
		return textNoUnit, nil
	}
	return fmt.Sprintf(textUnit, s.Name), unitFaults(o.Config)
}

// FindServiceFaults returns an error if the settings of Mews's unit keep it from serving. Without a
// unit it returns nil.
func FindServiceFaults(ctx context.Context, cfg *config.Config) error {
	err := unitFaults(cfg)
	if _, ok := unit.FindService(cfg.State); !ok || !seesHomes(cfg) {
		return err
	}
	for _, u := range cfg.Users {
		err = errors.Join(err, homeFault(ctx, cfg, u))
	}
	return err
}

// unitFaults returns the faults in the settings of Mews's unit. The doctor can't find them by
// trying, because as root it sees more files than the service.
func unitFaults(cfg *config.Config) error {
	s, ok := unit.FindService(cfg.State)
	if !ok {
		return nil
	}
	errs := []error{unreadableSecrets(s, cfg)}
	for _, u := range cfg.Users {
		errs = append(errs, homeHiddenByUnit(s, cfg, u))
	}
	return errors.Join(errs...)
}

// unreadableSecrets names files with secrets that the service's account can't read. It skips files
// that systemd passes to the service.
func unreadableSecrets(s unit.Service, cfg *config.Config) error {
	all, err := readAccounts("/etc")
	if err != nil {
		return fmt.Errorf("look who can read the secrets: %w", err)
	}
	i := slices.IndexFunc(all, func(a account) bool { return a.name == lastValue(s.SettingValues("User")) })
	if i < 0 {
		return fmt.Errorf(textUnitAccount, s.Name, lastValue(s.SettingValues("User")))
	}
	handed := map[string]bool{}
	for _, value := range s.SettingValues("LoadCredential") {
		name, _, _ := strings.Cut(value, ":")
		handed[name] = true
	}
	var errs []error
	for _, path := range append([]string{cfg.File}, cfg.SecretFiles...) {
		var file syscall.Stat_t
		if syscall.Stat(path, &file) != nil || all[i].hasRight(path, file, 0o4) && all[i].canReach(path) {
			continue
		}
		if base := filepath.Base(path); !handed[base] || path == cfg.File {
			errs = append(errs, fmt.Errorf(textUnreadable, path, all[i].name, uint32(file.Mode)&0o777, groupName(file.Gid), base))
		}
	}
	return errors.Join(errs...)
}

// lastValue returns the last value of a setting, because only the last one is in force.
func lastValue(values []string) string {
	if len(values) == 0 {
		return ""
	}
	return values[len(values)-1]
}

// homeHiddenByUnit names the setting that keeps the service from a user's home.
func homeHiddenByUnit(s unit.Service, cfg *config.Config, u config.User) error {
	hides := lastValue(s.SettingValues("ProtectHome"))
	for _, hidden := range []string{"/home", "/root", "/run/user"} {
		if inside(u.Home, hidden) && hides != "" && hides != "no" && hides != "false" {
			return fmt.Errorf(textUnitHides, u.Name, u.Home, hides, s.Name, u.Home)
		}
	}
	writable := []string{cfg.State}
	for _, value := range s.SettingValues("ReadWritePaths") {
		for _, path := range strings.Fields(value) {
			writable = append(writable, strings.TrimLeft(path, "-+"))
		}
	}
	if lastValue(s.SettingValues("ProtectSystem")) == "strict" && !slices.ContainsFunc(writable,
		func(dir string) bool { return inside(u.Home, dir) }) {
		return fmt.Errorf(textUnitReadOnly, u.Name, u.Home, s.Name, filepath.Dir(u.Home))
	}
	policy, roots, persons := readPolicy(lastValue(s.SettingValues("ExecStart")))
	if own, err := placement.FindAccount(u.Account); u.Account != "" && err == nil && persons != nil &&
		!slices.Contains(persons, fmt.Sprintf("%d:%d", own.UID, own.GID)) {
		return fmt.Errorf(textNotInPolicy, u.Name, u.Account, policy, own.UID, own.GID, s.Name)
	}
	if len(roots) > 0 && !slices.Contains(roots, filepath.Dir(u.Home)) {
		return fmt.Errorf(textOutsidePolicy, u.Name, u.Home, policy, filepath.Dir(u.Home), s.Name)
	}
	return nil
}

func inside(path, dir string) bool { return strings.HasPrefix(path+"/", dir+"/") }

// readPolicy returns the roots and the persons of a spawner's policy, and the policy's file. nil
// persons means a range of accounts. command is the command of the spawner's unit.
func readPolicy(command string) (file string, roots, persons []string) {
	words := strings.Fields(command)
	i := slices.Index(words, "--policy")
	if i < 0 || i+1 >= len(words) {
		return "", nil, nil
	}
	text, _ := os.ReadFile(words[i+1]) // the spawner itself reports errors of this file
	for line := range strings.Lines(string(text)) {
		switch fields := strings.Fields(line); {
		case len(fields) != 2:
		case fields[0] == "root":
			roots = append(roots, fields[1])
		case fields[0] == "person":
			persons = append(persons, fields[1])
		case fields[0] == "uids" && fields[1] == "none":
			persons = append(persons, "")
		}
	}
	return words[i+1], roots, persons
}
