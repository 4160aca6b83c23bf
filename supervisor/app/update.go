package app

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/config"
	"mews/supervisor/internal/retry"
	"mews/supervisor/release"
	"mews/supervisor/update"
)

// UpdateOptions are the flags of `mews update`.
type UpdateOptions struct {
	CheckOnly bool // only look
	AcceptOld bool // accept an index that is no longer valid
}

// updateResult is where mews-update writes the result of the last request. A success ends with
// installedEnding.
const (
	updaterFolder   = "/opt/mews/update"
	updateResult    = updaterFolder + "/result"
	installedEnding = " is installed"
)

// updateMove is the move of an instance to another version by mews-update. The file about it exists
// until the move is over.
type updateMove struct {
	from, to  string
	migration time.Duration // how long the migration took on a copy
}

// findMove finds the move of an instance to or from a version. folder is that of mews-update. Another
// service's move counts too, because only one update runs at a time.
func findMove(folder, version string) (m updateMove, found bool) {
	files, _ := filepath.Glob(filepath.Join(folder, "trial*")) // the pattern is right
	for _, file := range files {
		text, _ := os.ReadFile(file) // the move may have just ended
		var seconds int64
		_, _ = fmt.Sscan(string(text), &m.from, &m.to, &seconds) // what is missing stays empty
		m.migration = time.Duration(seconds) * time.Second
		if version != "" && (m.from == version || m.to == version) {
			return m, true
		}
	}
	return updateMove{}, false
}

// isOnTrial reports whether mews-update moves an instance to or from a version.
func isOnTrial(folder, version string) bool {
	_, found := findMove(folder, version)
	return found
}

// RequestUpdate looks for a newer release and asks mews-update to install it. It returns a text for
// people. Root acts as the owner of the state folder, because root trusts no file in it.
func RequestUpdate(ctx context.Context, cfg *config.Config, version string, o UpdateOptions) (text string, err error) {
	u := newUpdater(cfg, version, o.AcceptOld, hclog.NewNullLogger())
	found, err := asOwner(ctx, cfg, func() (update.Found, error) { return u.Check(ctx) })
	if err != nil {
		return "", err
	}
	if !found.Newer {
		return fmt.Sprintf(textNewestRuns, version), nil
	}
	text = fmt.Sprintf(textUpdateFound, found.Version, version, found.Notes)
	if o.CheckOnly {
		return text, nil
	}
	if _, err := os.Lstat(release.UpdaterLink); err != nil {
		return text, fmt.Errorf(textNotInstalledByRelease, err)
	}
	if o.AcceptOld {
		file := filepath.Join(updaterFolder, release.AcceptOldName)
		err := os.MkdirAll(updaterFolder, 0o755)
		if err == nil {
			err = release.Replace(file, found.Version.String())
		}
		if err != nil {
			return text, fmt.Errorf(textAcceptOldByRoot, err)
		}
	}
	_, err = asOwner(ctx, cfg, func() (update.Found, error) { return found, u.Request(ctx, found) })
	if err != nil {
		return text, err
	}
	return text + fmt.Sprintf(textUpdateAsked, found.Version), nil
}

// asOwner calls f as the owner of the state folder.
func asOwner(ctx context.Context, cfg *config.Config, f func() (update.Found, error)) (found update.Found, err error) {
	s := service{storage: storage{config: cfg}}
	asBefore, err := s.becomeOwner(ctx, false)
	if err != nil {
		return found, err
	}
	found, err = f()
	return found, errors.Join(err, asBefore())
}

// keepUpdated looks for releases daily, if that is configured, until ctx ends. It tells admins of
// finished and failed updates.
func (s *service) keepUpdated(ctx context.Context) error {
	var watching sync.WaitGroup
	defer watching.Wait()
	watching.Go(func() { s.watchUpdates(ctx, updateResult) })
	if !s.config.Update.Daily {
		<-ctx.Done()
		return nil
	}
	return newUpdater(s.config, s.version, false, s.log.Named("update")).Run(ctx)
}

// resultInterval is how often the result of mews-update is looked at. A refused update does not
// restart the service.
const resultInterval = time.Minute

// watchUpdates tells admins that this version has replaced another one, and of each failed update whose
// result comes into the file, until ctx ends.
func (s *service) watchUpdates(ctx context.Context, file string) {
	if s.updatedFrom != "" {
		s.tellAdminsOnce(ctx, "updated to "+s.version, fmt.Sprintf(textUpdated, s.version, s.updatedFrom,
			release.ReadNotes(s.config.State, s.version)))
	}
	for seen := ""; ; {
		result, _ := os.ReadFile(file) // without mews-update there is none
		failed := strings.TrimSpace(string(result))
		if failed != seen && failed != "" && !strings.HasSuffix(failed, installedEnding) {
			sum := sha256.Sum256(result)
			s.tellAdminsOnce(ctx, "update failed "+hex.EncodeToString(sum[:4]), fmt.Sprintf(textUpdateFailed, failed))
		}
		seen = failed
		if !retry.Sleep(ctx, resultInterval) {
			return
		}
	}
}

// tellAdminsOnce tells each admin something, unless something of that name was told before.
func (s *service) tellAdminsOnce(ctx context.Context, name, text string) {
	for _, u := range s.people.Admins() {
		s.notices().TellOnce(ctx, u.PrivateChat(), name, text)
	}
}

func newUpdater(cfg *config.Config, version string, acceptOld bool, log hclog.Logger) *update.Updater {
	return update.New(update.Options{State: cfg.State, Feed: cfg.Update.Feed, Version: version,
		Keys: release.CompiledKeys, Platform: release.Platform(), Now: time.Now, AcceptOld: acceptOld,
		FailedFile: filepath.Join(updaterFolder, release.FailedName),
		Log:        log})
}
