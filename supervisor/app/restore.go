package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"filippo.io/age"

	"mews/config"
	"mews/supervisor"
	"mews/supervisor/admin"
	"mews/supervisor/app/policies"
	"mews/supervisor/backup"
	"mews/supervisor/command"
	"mews/supervisor/hostcall"
	"mews/supervisor/internal/timezone"
	"mews/supervisor/logging"
	"mews/supervisor/operation"
	"mews/supervisor/restore"
	"mews/supervisor/schedule"
	"mews/supervisor/sqlite"
	"mews/supervisor/statefolder"
)

// RestoreRequest says what to restore.
type RestoreRequest struct {
	Backup   string // the backup: a folder, or one file
	User     string // only the home of this user; "" means all
	To       string // the folder for that home; "" means the user's home
	Identity string // file with the age identities that open sealed archives; "" means none
	Drill    bool   // only try whether the backup can be restored
}

// Restore restores a backup, or tries one. No service may be running. It writes what it has done to
// out.
func Restore(ctx context.Context, cfg *config.Config, q RestoreRequest, out io.Writer) (err error) {
	if cfg, err = loadSecrets(cfg); err != nil {
		return err
	}
	s := &service{storage: storage{config: cfg, log: logging.Discard(), now: time.Now, idle: true, restoring: true}}
	asBefore, err := s.becomeOwner(ctx, true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close(), asBefore()) }()
	if err := statefolder.ProtectProcess(); err != nil {
		return err
	}
	r := restorer{service: s, out: out, completed: sqlite.RestoreReport{}}
	if q.Identity != "" {
		if r.identities, err = restore.ReadIdentities(q.Identity); err != nil {
			return err
		}
	}
	dir, remove, err := r.folderOf(ctx, q.Backup)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	switch {
	case q.Drill:
		return r.drill(ctx, dir)
	case q.User != "":
		return r.restoreUser(ctx, dir, q)
	}
	return r.restoreAll(ctx, dir)
}

// restorer restores a backup into the state folder of a service that does not run.
type restorer struct {
	*service
	out        io.Writer
	identities []age.Identity
	completed  sqlite.RestoreReport
}

// folderOf returns the folder of a backup. A backup of one file is read into a temporary folder
// first, which remove deletes.
func (r *restorer) folderOf(ctx context.Context, path string) (dir string, remove func() error, err error) {
	remove = func() error { return nil }
	if path, err = filepath.Abs(path); err != nil {
		return "", remove, err
	}
	info, err := os.Stat(path)
	if err != nil || info.IsDir() {
		return path, remove, err
	}
	temp, err := os.MkdirTemp("", "mews-restore-*")
	if err != nil {
		return "", remove, err
	}
	remove = func() error { return os.RemoveAll(temp) }
	file, err := os.Open(path)
	if err == nil {
		dir = filepath.Join(temp, "backup")
		err = errors.Join(backup.Extract(ctx, file, dir, r.identities...), file.Close())
	}
	if err != nil {
		return "", remove, errors.Join(&supervisor.Error{Code: supervisor.CodeInvalid, Message: err.Error(), Err: err}, remove())
	}
	return dir, remove, nil
}

// options returns the options of a restore.
func (r *restorer) options(dir string) restore.Options {
	return restore.Options{Dir: dir, State: r.config.State, Identities: r.identities,
		KeyConfigured: r.config.Access.Key.Reveal() != "", Open: r.openState, Complete: r.complete, HomeOf: r.homeOf,
		WithHomes: r.withHomes, Unpack: r.unpack, Progress: func(text string) { fmt.Fprintln(r.out, text) }}
}

func (r *restorer) restoreAll(ctx context.Context, dir string) error {
	report, err := restore.Run(ctx, r.options(dir))
	if err == nil {
		_, err = io.WriteString(r.out, report.Text())
	}
	return err
}

func (r *restorer) restoreUser(ctx context.Context, dir string, q RestoreRequest) error {
	if err := restore.RefuseUnfinished(r.config.State); err != nil {
		return err
	}
	if q.To != "" {
		to, err := filepath.Abs(q.To)
		if err == nil {
			err = os.MkdirAll(to, 0o700)
		}
		if err != nil {
			return err
		}
		r.restoreTo = to
	}
	done, err := restore.User(ctx, r.options(dir), q.User)
	if err != nil {
		return err
	}
	fmt.Fprintf(r.out, restore.TextUserDone, q.User, done.Files)
	for _, line := range done.LeftOut {
		fmt.Fprint(r.out, line)
	}
	return nil
}

func (r *restorer) drill(ctx context.Context, dir string) error {
	if err := r.openState(ctx); err != nil {
		return err
	}
	result, err := restore.Drill(ctx, dir, r.config.State, r.now(), r.identities, func(ctx context.Context, path string) error {
		db, err := r.openRestored(ctx, path)
		if err != nil {
			return err
		}
		return db.Close()
	})
	switch {
	case err != nil:
		return err
	case result.Failure != "":
		return supervisor.Errorf(supervisor.CodeInvalid, restore.TextDrillFailed, dir, result.Failure)
	}
	fmt.Fprintf(r.out, restore.TextDrill, dir, result.Homes)
	if result.Sealed > 0 {
		fmt.Fprintf(r.out, restore.TextDrillSealed, result.Sealed)
	}
	return nil
}

// openRestored opens a copy of a backup's database, and updates its schema.
func (r *restorer) openRestored(ctx context.Context, path string) (*sqlite.DB, error) {
	return sqlite.Open(ctx, path, sqlite.Options{Now: r.now, Log: r.log, EndsTurn: command.TurnEndingCommandNames(),
		Policies: policies.All(), MustExist: true, WithoutCopy: true})
}

// complete makes the restored database at a path safe to serve.
func (r *restorer) complete(ctx context.Context, path string, o sqlite.Restore, journal bool) error {
	db, err := r.openRestored(ctx, path)
	if err != nil {
		return err
	}
	o.MissedFire = schedule.MissedFire
	o.Notices = func(found sqlite.RestoreReport) []supervisor.Delivery {
		return restore.Notices(r.noticeOptions(o.MadeAt, journal, found), found)
	}
	writing, stop := context.WithCancel(context.WithoutCancel(ctx))
	written := make(chan error, 1)
	go func() { written <- db.Run(writing) }() // the code below waits for this goroutine
	r.completed, err = db.Restores().Complete(ctx, o)
	stop()
	return errors.Join(err, <-written, db.Close())
}

// noticeOptions returns the options of the messages about a restore. The users of the configuration
// are known, and the accounts that the backup has.
func (r *restorer) noticeOptions(madeAt time.Time, journal bool, found sqlite.RestoreReport) restore.NoticeOptions {
	accounts, zones, o := found.Accounts, map[string]string{}, restore.NoticeOptions{MadeAt: madeAt, Journal: journal}
	for _, u := range r.config.Users {
		if u.Telegram != 0 {
			accounts[u.Name] = strconv.FormatInt(u.Telegram, 10)
		}
		if zones[u.Name] = u.Timezone; u.Role == string(supervisor.RoleAdmin) {
			o.Admins = append(o.Admins, u.Name)
		}
	}
	o.Private = func(user string) supervisor.Conversation {
		if account := accounts[user]; account != "" {
			return supervisor.Conversation{User: user, Channel: supervisor.ChannelTelegram, Chat: account}
		}
		return supervisor.Conversation{User: user, Channel: supervisor.ChannelTerminal}
	}
	o.Due = schedule.DescribeMissed
	o.Zone = func(user string) *time.Location { return timezone.ForUser(supervisor.User{Timezone: zones[user]}) }
	return o
}

// homeOf returns the home of a user. Before the database was restored, only the users of the
// configuration are known.
func (r *restorer) homeOf(user string) (folder string, known bool) {
	if r.restoreTo != "" {
		return r.restoreTo, true
	}
	if r.settings != nil {
		u, known := r.settings.Find(user)
		return u.Home, known
	}
	for _, u := range r.config.Users {
		if u.Name == user && u.Home != "" {
			return u.Home, true
		}
	}
	return filepath.Join(r.config.State, "homes", user), true
}

// withHomes opens the restored database, makes empty homes, starts workers, and calls work. If second
// factors have ended, it then makes an invite for each user.
func (r *restorer) withHomes(ctx context.Context, work func(context.Context) error) (err error) {
	if err := r.openStore(ctx); err != nil {
		return err
	}
	writing, stop := context.WithCancel(context.WithoutCancel(ctx))
	written := make(chan error, 1)
	go func() { written <- r.db.Run(writing) }() // the deferred function waits for this goroutine's end
	defer func() {
		stop()
		err = errors.Join(err, <-written)
	}()
	for _, open := range []func(context.Context) error{r.openPeople, r.openSeal} {
		if err := open(ctx); err != nil {
			return err
		}
	}
	r.confirmations = newConfirmations(r.service)
	newGate(r.service)
	r.archives = &restoringArchives{Blobs: r.db.Blobs(), Spool: r.spool}
	return r.withWorkers(ctx, func(ctx context.Context) error {
		if err := work(ctx); err != nil || r.completed.Ended["second factor"] == 0 {
			return err
		}
		people := admin.New(r.adminOptions())
		for _, name := range r.people.Names() {
			if made, err := people.Invite(ctx, admin.Caller{}, admin.InviteRequest{User: name, Enrol: true}); err == nil {
				fmt.Fprintf(r.out, restore.TextInvite, name, made.Code)
			}
		}
		return nil
	})
}

// unpack lets a user's worker write an archive into the user's home.
func (r *restorer) unpack(ctx context.Context, user string, a restore.Archive) (operation.UnpackReport, error) {
	r.archives.user, r.archives.archive = user, a // only one home is restored at a time
	return r.operations.UnpackHome(ctx, user, a.Ref())
}

// restoringArchives gives a worker the archive of its home as a blob.
type restoringArchives struct {
	hostcall.Blobs
	hostcall.Spool
	user    string
	archive restore.Archive
}

// IsOwner knows the archive besides the user's blobs.
func (a *restoringArchives) IsOwner(ctx context.Context, user, sha256 string) (size int64, ok bool, err error) {
	if ref := a.archive.Ref(); user == a.user && sha256 == ref.SHA256 {
		return ref.Size, true, nil
	}
	return a.Blobs.IsOwner(ctx, user, sha256)
}

// ReadAt reads from the archive, or from the spool.
func (a *restoringArchives) ReadAt(sha256 string, p []byte, offset int64) (n int, size int64, err error) {
	ref := a.archive.Ref()
	if sha256 != ref.SHA256 {
		return a.Spool.ReadAt(sha256, p, offset)
	}
	n, err = a.archive.ReadAt(p, offset)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return n, ref.Size, err
}
