package app

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mews/config"
	"mews/supervisor/alarm"
	"mews/supervisor/backup"
	"mews/supervisor/restore"
)

const (
	// BackupLimit is how old the newest backup may be while the service makes backups by itself. There is
	// one a day at least, if there are homes.
	BackupLimit = 26 * time.Hour
	// homesLimit is how long ago the last home may have been read for a backup.
	homesLimit = 50 * time.Hour
	// upkeepGrace is how long a service must run until what it has not done yet is overdue.
	upkeepGrace = 3 * time.Hour
	// updateFaultAge is how long the failure of an update is a problem. The admins know it then.
	updateFaultAge = 7 * 24 * time.Hour
)

// backupFault says why backups do not work; "" means no problem.
func (s *service) backupFault() string {
	if !s.config.Backup.On {
		return ""
	}
	dir, status := BackupsDir(s.config), s.backups.Status()
	if status.Error != "" {
		return s.withoutPeople(textBackupFailed, status.Error)
	}
	// a restart and the next attempt do not yet mean that backups work again
	if s.alarms.Raised()[alarm.Backup] && (status.Running || status.Last.Path == "") {
		return textBackupNotYet
	}
	if c := backup.LastChecked(dir); c.Error != "" {
		return s.withoutPeople(textBackupDamaged, c.Error)
	}
	newest, err := backup.Latest(dir)
	if err != nil {
		return fmt.Sprintf(textBackupsUnread, err)
	}
	if s.now().Sub(s.since) < upkeepGrace || len(s.homesForBackup()) == 0 {
		return ""
	}
	return lateBackup(newest, s.now())
}

// lateBackup says that the newest backup or its newest home is too old; "" means no problem. newest is
// nil if there is no backup.
func lateBackup(newest *backup.Found, now time.Time) string {
	switch {
	case newest == nil:
		return textBackupNone
	case now.Sub(newest.Manifest.MadeAt) > BackupLimit:
		return fmt.Sprintf(textBackupOld, clockTime(newest.Manifest.MadeAt))
	}
	if read := newest.Manifest.HomesReadAt(); !read.IsZero() && now.Sub(read) > homesLimit {
		return fmt.Sprintf(textBackupHomesOld, clockTime(read))
	}
	return ""
}

// copyFault says how old the newest copy on another disk is, if that is too old.
func (s *service) copyFault() string {
	to := s.config.Backup.To
	if to == "" || s.now().Sub(s.since) < upkeepGrace {
		return ""
	}
	newest, err := backup.Latest(BackupsDir(s.config))
	if err != nil || newest == nil {
		return "" // the alarm about backups says so
	}
	return lateCopy(newest.Manifest.MadeAt, backup.LatestSent(to))
}

// lateCopy says that the newest copy is much older than the newest backup; "" means no problem.
func lateCopy(newest, sent time.Time) string {
	switch {
	case newest.Sub(sent) <= BackupLimit:
		return ""
	case sent.IsZero():
		return textCopyNone
	}
	return fmt.Sprintf(textCopyOld, clockTime(sent))
}

// drillFault says why the last tried backup can't be restored; "" means no problem.
func (s *service) drillFault() string {
	r, _, err := restore.ReadDrill(s.config.State)
	if err != nil || r.Failure == "" {
		return "" // without a result there is no problem yet
	}
	return s.withoutPeople(fmt.Sprintf(textDrillFailed, filepath.Base(r.Backup)), r.Failure)
}

// withoutPeople returns a text with its reason. The reason is left out if it names a user, because
// anybody may read the alarms at the URL.
func (s *service) withoutPeople(text, reason string) string {
	names := s.people.Names()
	if slices.ContainsFunc(names, func(name string) bool { return strings.Contains(reason, name) }) {
		return text
	}
	return text + ": " + strings.TrimRight(reason, ". ")
}

// updateFault says why the last update failed, if it did lately. Another part tells the admins.
func (s *service) updateFault() string {
	if u := LookUpdate(s.config); s.now().Sub(u.At) < updateFaultAge {
		return u.Failure
	}
	return ""
}

// UpdateState is what this machine knows of updates.
type UpdateState struct {
	Result  string    // the last result of mews-update; "" means none
	Failure string    // Result, if the update failed
	At      time.Time // when the result was written
	FeedAt  time.Time // when the index of releases was last read; zero means never
}

// LookUpdate returns what this machine knows of updates. It reads no feed.
func LookUpdate(cfg *config.Config) UpdateState {
	return lookUpdate(updateResult, filepath.Join(cfg.State, "private", "update", "number"))
}

// lookUpdate reads the files of mews-update and of the service. A missing file says nothing.
func lookUpdate(result, number string) (u UpdateState) {
	text, err := os.ReadFile(result)
	info, bad := os.Stat(result)
	if err == nil && bad == nil {
		u.Result, u.At = strings.TrimSpace(string(text)), info.ModTime()
		if !strings.HasSuffix(u.Result, installedEnding) {
			u.Failure = strings.TrimRight(u.Result, ". ")
		}
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		u.Failure = err.Error()
	}
	if info, err := os.Stat(number); err == nil {
		u.FeedAt = info.ModTime()
	}
	return u
}

// safeModeFault says why the service is in safe mode; "" means that it is not.
func (s *service) safeModeFault() string {
	switch {
	case !s.safe.on:
		return ""
	case s.safe.counted >= crashesToSafeMode:
		return fmt.Sprintf(textSafeModeCrashes, s.safe.counted)
	}
	return textSafeModeFlag
}
