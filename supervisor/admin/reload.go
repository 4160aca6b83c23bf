package admin

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"mews/supervisor"
	"mews/supervisor/printable"
)

// ReloadRequest are the parameters of reload.
type ReloadRequest struct {
	File string `json:"file,omitempty"` // the path of the caller's configuration file; "" accepts any
}

// ConfigurationChanges are the changes that a reload applied.
type ConfigurationChanges struct {
	Changes []ConfigurationChange `json:"changes"`
	Note    string                `json:"note,omitempty"` // warnings, and settings that only a restart applies
}

// ConfigurationChange is config.KeyChange as JSON.
type ConfigurationChange struct {
	Key     string `json:"key"`
	Old     string `json:"old,omitempty"`
	New     string `json:"new,omitempty"`
	Restart bool   `json:"restart,omitempty"`
}

// String describes the change in one line for people.
func (c ConfigurationChange) String() string {
	switch {
	case c.Old == "":
		return fmt.Sprintf("%s: %s", c.Key, printable.DropControls(c.New))
	case c.New == "":
		return fmt.Sprintf("%s: none any more, it was %s", c.Key, printable.DropControls(c.Old))
	case c.Restart: // this change waits for a restart; other changes that need a restart prevent the reload
		return c.Key + ": " + textAfterRestart
	case c.Old == c.New: // a secret has changed, and both values are hidden
		return c.Key + ": another one"
	}
	return fmt.Sprintf("%s: %s, it was %s", c.Key, printable.DropControls(c.New), printable.DropControls(c.Old))
}

// reload reads the configuration again, and applies either all changes or none. The entry of the
// audit log is stored before anything changes. It refuses a caller with another configuration file.
func (o *Service) reload(ctx context.Context, by Caller, q ReloadRequest) (ConfigurationChanges, error) {
	if o.Running == nil {
		return ConfigurationChanges{}, supervisor.Errorf(supervisor.CodeUnavailable, textNotRunning)
	}
	if file := o.Configuration.Summary().File; file != "" && q.File != "" && !isSameFile(file, q.File) {
		return ConfigurationChanges{}, supervisor.Errorf(supervisor.CodeInvalid, textOtherFile, file, q.File, file)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	changes, use, err := o.Configuration.ReadChanges(ctx)
	if err != nil {
		return ConfigurationChanges{}, err
	}
	keys := []string{"nothing"}
	if len(changes) > 0 {
		keys = nil
	}
	for _, c := range changes {
		keys = append(keys, c.Key)
	}
	if err := o.note(ctx, by, by.name, "config.reloading", strings.Join(keys, ", ")); err != nil {
		return ConfigurationChanges{}, err
	}
	if err := use(ctx); err != nil {
		return ConfigurationChanges{}, err
	}
	return ConfigurationChanges{Changes: changes, Note: o.Configuration.Summary().Note}, o.note(ctx, by, by.name,
		"config.reloaded", strings.Join(keys, ", "))
}

// isSameFile reports whether two paths lead to the same file. An unreadable path counts by its
// name.
func isSameFile(a, b string) bool {
	one, oneErr := os.Stat(a)
	other, otherErr := os.Stat(b)
	if oneErr != nil || otherErr != nil {
		return a == b
	}
	return os.SameFile(one, other)
}

// cleanEvery is the time between two checks for expired files of terminals.
const cleanEvery = time.Minute

// Run serves exports, reloads on SIGHUP, and deletes expired files, until ctx ends. The files of
// messages that terminals have sent expire after a limited time.
func (o *Service) Run(ctx context.Context) error {
	o.exports.open(ctx)
	defer o.exports.close()
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGHUP)
	defer signal.Stop(signals)
	tick := time.NewTicker(cleanEvery)
	defer tick.Stop()
	for {
		if err := o.Running.Clean(ctx, o.Now()); err != nil && ctx.Err() == nil {
			o.Logger.Warn("could not drop old files of terminals", "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			continue
		case <-signals:
		}
		list, err := o.reload(ctx, o.Caller(uint32(os.Getuid())), ReloadRequest{})
		if err != nil {
			o.Logger.Error("could not read the configuration again", "error", err)
			continue
		}
		o.Logger.Info("the configuration was read again", "changes", list.Changes, "note", list.Note)
	}
}
