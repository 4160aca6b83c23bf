package app

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"mews/config"
	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/backup"
	"mews/supervisor/control"
	"mews/supervisor/disk"
	"mews/supervisor/feature"
	"mews/supervisor/internal/retry"
	"mews/supervisor/operation"
	"mews/supervisor/placement"
	"mews/supervisor/sqlite"
)

// BackupsDir returns the folder of all backups.
func BackupsDir(cfg *config.Config) string {
	return cmp.Or(cfg.Backup.Dir, filepath.Join(cfg.State, "backups"))
}

// newBackups makes the maker of backups.
func (s *service) newBackups() *backup.Maker {
	path := s.private("mews.db")
	return backup.New(backup.Options{
		Dir: BackupsDir(s.config), State: s.config.State, Version: s.version, Config: s.config.File,
		SealKey: s.private("seal.key"), Recipient: s.config.Backup.Recipient, To: s.config.Backup.To,
		Journal: s.backupJournal, Plain: s.config.Backup.Plain,
		Most: s.config.Backup.Most, Schedule: s.config.Backup.On,
		Database: s.db.BackUp, Changes: s.db.Changes,
		Size: func() (sum int64) {
			for _, suffix := range []string{"", "-wal"} {
				if info, err := os.Stat(path + suffix); err == nil {
					sum += info.Size()
				}
			}
			return sum
		},
		Examine: func(ctx context.Context, path string) error {
			_, err := sqlite.ExamineDatabase(ctx, path)
			return err
		},
		Blobs: s.db.Blobs().ListNeeded, OpenBlob: s.spool.OpenBlob, Homes: s.homesForBackup,
		Exists: func(user string) bool { _, known := s.people.Find(user); return known }, PackHome: s.packHome,
		Space: func(dir string) (free, all int64, err error) {
			space, err := disk.SpaceOf(dir)
			return space.Free, space.Total, err
		},
		Now: s.now, Log: s.log.Named("backup"),
	})
}

// homesForBackup lists the homes of all users that exist.
func (s *service) homesForBackup() (list []backup.HomeSource) {
	for _, name := range s.people.Names() {
		u, known := s.people.Find(name)
		info, err := os.Lstat(u.Home)
		if !known || errors.Is(err, os.ErrNotExist) {
			continue // a user who has never written may have no home
		}
		// only root may read the homes of other accounts
		foreign := os.Getuid() != 0 && (err != nil || placement.OwnerUID(info) != uint32(os.Getuid()))
		h := backup.HomeSource{User: name, Path: u.Home, Foreign: foreign}
		h.Bytes, _ = s.locations.Disk.HomeSize(name)
		list = append(list, h)
	}
	return list
}

// packHome lets a worker pack a home for a backup.
func (s *service) packHome(ctx context.Context, user, digest, recipient string) (packed backup.PackedHome, err error) {
	most, err := s.maxArchiveSize(user, s.hasHistory(), 2) // the worker's archive, and the copy in the backup
	if err != nil {
		return packed, err
	}
	a, r, err := s.operations.BackUpHome(ctx, user, protocol.ArchiveParameters{MaxBytes: most,
		History: s.hasHistory(), Unless: digest, Recipient: recipient})
	if a.ReadCloser != nil {
		packed.ReadCloser = a
	}
	packed.Unchanged, packed.Digest, packed.Files, packed.Bytes = r.Unchanged, r.Digest, r.Files, r.Bytes
	packed.LeftOut = a.LeftOut
	return packed, err
}

// hasHistory reports whether homes have a file history.
func (s *service) hasHistory() bool { return s.config.Worker.History > 0 }

// maxArchiveSize returns the largest size of an archive of a home, if the disk gets some copies of it.
func (s *service) maxArchiveSize(user string, history bool, copies int64) (int64, error) {
	room, err := s.spool.FreeSpace()
	if err != nil {
		return 0, fmt.Errorf("look for room for an archive: %w", err)
	}
	holds, more := s.locations.Disk.HomeSize(user)
	quota := int64(s.config.Worker.Disk)
	if history && quota > 0 {
		quota += int64(s.config.Worker.History)
	}
	return operation.MaxArchiveSize(user, room/copies, quota, holds, more)
}

// openBackups makes the maker of backups.
func (s *service) openBackups(context.Context) error {
	s.backups = s.newBackups()
	return nil
}

// Methods of the control socket for backups.
const (
	methodBackupMake   = "backup.make"
	methodBackupStatus = "backup.status"
)

// backupCalls are the calls of `mews backup`.
func (s *service) backupCalls() []feature.ControlCall {
	begin := feature.NewControlCall(methodBackupMake, func(context.Context, feature.Caller, struct{}) (backup.Status,
		error) {
		if s.safe.on {
			return backup.Status{}, supervisor.Errorf(supervisor.CodeUnavailable, textNoBackupInSafeMode)
		}
		return s.backups.Begin()
	})
	status := feature.NewControlCall(methodBackupStatus, func(context.Context, feature.Caller, struct{}) (backup.Status,
		error) {
		return s.backups.Status(), nil
	})
	begin.AdminsOnly, status.AdminsOnly = true, true
	return []feature.ControlCall{begin, status}
}

// BackUp makes a backup, and waits for its end. The service makes it; if none runs, this process does.
// It calls progress from time to time. version is that of this program. The errors are for people.
func BackUp(ctx context.Context, cfg *config.Config, version string, progress func(backup.Status)) (r backup.Result,
	err error) {
	var status backup.Status
	err = control.CallOnce(ctx, SocketPath(cfg), methodBackupMake, struct{}{}, &status)
	if gone := new(control.NotRunningError); errors.As(err, &gone) {
		err = withStoppedService(ctx, cfg, true, func(ctx context.Context, s *service) error {
			return s.withWorkers(ctx, func(ctx context.Context) (err error) {
				s.version = version
				m := s.newBackups()
				watched, stop := context.WithCancel(ctx)
				shown := make(chan struct{})
				go func() { // the code below waits for this goroutine
					defer close(shown)
					for retry.Sleep(watched, progressInterval) {
						progress(m.Status())
					}
				}()
				r, err = m.Make(ctx, true)
				stop()
				<-shown
				return err
			})
		})
		return r, err
	}
	for status.Running = true; err == nil && status.Running; {
		if !retry.Sleep(ctx, progressInterval) {
			return r, context.Cause(ctx)
		}
		status = backup.Status{}
		if err = control.CallOnce(ctx, SocketPath(cfg), methodBackupStatus, struct{}{}, &status); err == nil {
			progress(status)
		}
	}
	if err == nil && status.Error != "" {
		err = &supervisor.Error{Code: supervisor.CodeUnavailable, Message: status.Error}
	}
	return status.Last, err
}

// progressInterval is the time between two reports of progress.
const progressInterval = 200 * time.Millisecond

// recordForgetting writes a request to forget into the journal beside the backups.
func (s *service) recordForgetting(f supervisor.ForgetRequest) {
	s.recordAct(backup.Act{Kind: backup.ActForgotten, User: f.User, What: "span", Conversation: f.Conversation,
		Since: f.Since, Until: f.Until})
}

// recordForgottenFact writes the digest of a forgotten fact into the journal beside the backups.
func (s *service) recordForgottenFact(user, digest string) {
	s.recordAct(backup.Act{Kind: backup.ActForgotten, User: user, What: "fact", Digest: digest})
}

// recordDeletedFile writes the digest of a deleted file's path into the journal beside the backups.
func (s *service) recordDeletedFile(user, path string) {
	sum := sha256.Sum256([]byte(path))
	s.recordAct(backup.Act{Kind: backup.ActForgotten, User: user, What: "file", Digest: hex.EncodeToString(sum[:])})
}

// recordGroup writes into the journal beside the backups whether a group may speak.
func (s *service) recordGroup(c supervisor.Conversation, allowed bool) {
	kind := map[bool]backup.ActKind{true: backup.ActAllowed, false: backup.ActDisallowed}[allowed]
	s.recordAct(backup.Act{Kind: kind, What: fmt.Sprintf("chat %s of %s", c.Chat, c.Channel)})
}

// recordAct writes an act into the journal beside the backups. The act holds even if this fails.
func (s *service) recordAct(a backup.Act) {
	a.At = s.now()
	if err := s.backupJournal.Append(a); err != nil {
		s.log.Error("an act is missing in the journal of backups; a restore will not know it", "act", string(a.Kind),
			"user", a.User, "error", err)
	}
}
