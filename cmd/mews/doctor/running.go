package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"
	"syscall"
	"time"

	"mews/config"
	"mews/protocol/amount"
	"mews/supervisor/api"
	"mews/supervisor/app"
	"mews/supervisor/monitor"
	"mews/supervisor/unit"
)

// examineCredentials checks the files that systemd passes to the service. systemd keeps their
// content for the run.
func examineCredentials(ctx context.Context, o Options) (string, error) {
	s, ok := unit.FindService(o.Config.State)
	if !ok {
		return "", nil
	}
	status, notRunning := serviceStatus(ctx, o.Config)
	var since time.Time
	if notRunning == nil {
		since = status.Since
	}
	return credentialFinding(s, since)
}

// credentialFinding checks the credentials of a unit. since is when its service started; the zero
// time means that it does not run.
func credentialFinding(s unit.Service, since time.Time) (string, error) {
	var errs []error
	changed, n := "", 0
	for _, value := range s.SettingValues("LoadCredential") {
		name, path, _ := strings.Cut(value, ":")
		if path == "" {
			continue // systemd passes it on from its own manager
		}
		n++
		info, err := os.Stat(path)
		switch {
		case err != nil:
			errs = append(errs, fmt.Errorf(textCredentialMissing, s.Name, name, path))
		case info.Mode().Perm()&0o077 != 0:
			errs = append(errs, fmt.Errorf(textCredentialOpen, path, s.Name, info.Mode().Perm(), path))
		case !since.IsZero() && info.ModTime().After(since):
			changed = fmt.Sprintf(textCredentialChanged, path, s.Name)
		}
	}
	switch {
	case n == 0:
		return "", nil
	case len(errs) == 0 && changed != "":
		return "", &warning{changed}
	}
	return fmt.Sprintf(textCredentials, amount.Plural(n, "credential", "credentials")), errors.Join(errs...)
}

// examinePoll says when Telegram last answered the running service.
func examinePoll(ctx context.Context, o Options) (string, error) {
	status, err := serviceStatus(ctx, o.Config)
	if err != nil {
		return "", nil // the examination of the service says so
	}
	for _, c := range status.Channels {
		age := time.Since(c.Completed).Round(time.Second)
		switch {
		case c.Mode != "polling":
		case c.Completed.IsZero():
			return "", &warning{textPollNever}
		case age > app.PollLimit:
			return "", fmt.Errorf(textPollOld, age)
		default:
			return fmt.Sprintf(textPolled, age), nil
		}
	}
	return "", nil
}

// examineListeners checks the addresses of the configuration: that the running service answers
// there, or that a service can use them.
func examineListeners(ctx context.Context, o Options) (string, error) {
	status, notRunning := serviceStatus(ctx, o.Config)
	var found []string
	for _, l := range []struct{ key, address string }{
		{"listen", o.Config.Listen}, {"webhooks.listen", o.Config.Webhooks.Listen},
	} {
		switch {
		case l.address == "":
		case notRunning == nil && l.key == "listen" && strings.HasPrefix(status.Listen, "off"):
			return "", &warning{fmt.Sprintf(textListenOff, status.Listen)}
		case notRunning == nil:
			if err := dial(ctx, &url.URL{Host: l.address}); err != nil && hasRoutes(o.Config, l.key) {
				return "", fmt.Errorf(textListensNot, l.key, l.address, err)
			}
			found = append(found, fmt.Sprintf(textListensAt, l.address))
		default:
			port, err := net.Listen("tcp", l.address)
			if errors.Is(err, syscall.EADDRINUSE) {
				return "", &warning{fmt.Sprintf(textListenTaken, l.key, l.address)}
			}
			if err != nil {
				return "", fmt.Errorf("%s: %w", l.key, err)
			}
			port.Close()
			found = append(found, fmt.Sprintf(textListenFree, l.address))
		}
	}
	return strings.Join(found, "; "), nil
}

// hasRoutes reports whether the service listens at the address of a key. Without a path to serve,
// there is no public listener.
func hasRoutes(cfg *config.Config, key string) bool {
	return key == "listen" || cfg.Telegram.Webhook.URL != "" || len(cfg.Hooks) > 0 || len(cfg.GitHub.Repos) > 0
}

// examineAlarms says where alarms go, and which are raised now.
func examineAlarms(ctx context.Context, o Options) (string, error) {
	finding := textAlarmsChats
	if to := app.AlarmTarget(o.Config); to != "" {
		finding = fmt.Sprintf(textAlarmsTo, to)
	}
	if o.Config.Alarms.Heartbeat.Reveal() != "" {
		finding += textHeartbeat
	}
	if status, err := serviceStatus(ctx, o.Config); err == nil {
		if wrong := raised(status); wrong != "" {
			return "", errors.New(wrong + "; " + finding)
		}
	}
	return finding, nil
}

// raised describes why the service is not ready, and the raised alarms; "" means neither.
func raised(s api.Status) string {
	var all []string
	if len(s.Faults) > 0 {
		all = append(all, fmt.Sprintf(textNotReadyNow, strings.Join(s.Faults, ", ")))
	}
	if len(s.Alarms) > 0 {
		all = append(all, fmt.Sprintf(textRaisedAlarms, strings.Join(s.Alarms, ", ")))
	}
	return strings.Join(all, "; ")
}

// examineMemory compares the machine's memory with what turns may take.
func examineMemory(_ context.Context, o Options) (string, error) {
	turns := min(o.Config.Limits.Turns, max(len(o.Config.Users), 1))
	return memoryFinding(monitor.ReadMachineMemory(), turns, int64(o.Config.Worker.Memory))
}

// memoryFinding compares a machine's memory with what turns may take at once; each may take limit.
func memoryFinding(m monitor.MachineMemory, turns int, limit int64) (string, error) {
	if m.Total == 0 {
		return "", nil // the system does not tell
	}
	swap := textNoSwap
	if m.Swap > 0 {
		swap = fmt.Sprintf(textSwap, amount.BinarySize(m.Swap))
	}
	all, left := amount.BinarySize(m.Total), amount.BinarySize(m.Available)
	most := int64(turns) * limit
	switch {
	case m.IsLow():
		return "", &warning{fmt.Sprintf(textMemoryLow, left, all, swap)}
	case most > m.Total:
		return "", &warning{fmt.Sprintf(textMemoryMore, turns, amount.BinarySize(most), all, swap)}
	}
	return fmt.Sprintf(textMemory, left, all, swap), nil
}

// Files that the service may need: some of its own, and some for each person with a worker, a chat
// and calls of models.
const (
	ownFiles    = 200
	filesPerson = 20
)

// examineOpenFiles compares the limit of open files with what the people may need. The running
// service has the limit of its unit, otherwise that of this process counts.
func examineOpenFiles(ctx context.Context, o Options) (string, error) {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return "", fmt.Errorf("read the limit of open files: %w", err)
	}
	most := limit.Cur
	if status, err := serviceStatus(ctx, o.Config); err == nil {
		most = cmp.Or(fileLimitOf(status.PID), most)
	}
	return openFilesFinding(most, len(o.Config.Users))
}

// openFilesFinding compares a limit of open files with what people may need.
func openFilesFinding(most uint64, people int) (string, error) {
	if wanted := uint64(ownFiles + filesPerson*people); most < wanted {
		return "", &warning{fmt.Sprintf(textOpenFilesFew, most, people, wanted)}
	}
	return fmt.Sprintf(textOpenFiles, most), nil
}

// fileLimitOf returns the limit of open files of a process; 0 means not known (proc_pid_limits(5)).
func fileLimitOf(pid int) (most uint64) {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/limits", pid)) // the result is then 0
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "Max open files"); ok {
			_, _ = fmt.Sscan(rest, &most) // "unlimited" is no number, and then the result is 0
		}
	}
	return most
}
