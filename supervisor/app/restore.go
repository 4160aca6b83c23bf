package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"time"

	"filippo.io/age"
	"golang.org/x/sys/unix"

	"mews/config"
	"mews/protocol/amount"
	"mews/supervisor"
	"mews/supervisor/admin"
	"mews/supervisor/backup"
	"mews/supervisor/hostcall"
	"mews/supervisor/internal/timezone"
	"mews/supervisor/logging"
	"mews/supervisor/operation"
	"mews/supervisor/printable"
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
	r := restorer{out: printable.NewWriter(out)}
	if q.Identity != "" { // only the person who calls may be able to read it
		if r.identities, err = restore.ReadIdentities(q.Identity); err != nil {
			return err
		}
	}
	if err := r.openBackup(q.Backup); err != nil {
		return err
	}
	if r.file != nil {
		defer r.file.Close() // it is only read, so an error of Close loses nothing
	}
	if _, there, err := stateOwner(cfg.State); err == nil && !there && os.Getuid() == 0 {
		// root's folder would be no use to the account of the service
		return supervisor.Errorf(supervisor.CodeInvalid, restore.TextNoState, cfg.State)
	}
	s := &service{storage: storage{config: cfg, log: logging.Discard(), now: time.Now, idle: true, restoring: true,
		newHomes: q.User == "" && !q.Drill}} // the database of the backup knows homes that are not there yet
	asBefore, err := s.becomeOwner(ctx, true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close(), asBefore()) }()
	if err := statefolder.ProtectProcess(); err != nil {
		return err
	}
	r.service = s
	work, end, err := r.openWork()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	dir, err := r.folderOf(ctx, work)
	if err != nil {
		return err
	}
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
	named      string   // absolute path of the backup that the person named
	file       *os.File // a backup of one file; nil means that it is a folder
	journal    restore.Journal
}

// openBackup opens a backup of one file, and reads the journal beside a backup. It does so as the person
// who calls, because the account of the service may not read them.
func (r *restorer) openBackup(path string) (err error) {
	if r.named, err = filepath.Abs(path); err != nil {
		return err
	}
	info, err := os.Stat(r.named)
	if err != nil {
		return err
	}
	if r.journal, err = restore.ReadJournal(r.named); err != nil || info.IsDir() {
		return err
	}
	r.file, err = os.Open(r.named)
	return err
}

// openWork makes the folder for copies. It makes the state folder if necessary.
func (r *restorer) openWork() (folder string, end func() error, err error) {
	if err := os.MkdirAll(r.config.State, 0o711); err != nil {
		return "", nil, fmt.Errorf("make the state folder: %w", err)
	}
	return restore.OpenWork(r.config.State)
}

// folderOf returns the folder of the backup. A backup of one file is read into the folder work first.
func (r *restorer) folderOf(ctx context.Context, work string) (dir string, err error) {
	if r.file == nil {
		if _, err := os.ReadDir(r.named); errors.Is(err, fs.ErrPermission) {
			return "", supervisor.Errorf(supervisor.CodeForbidden, restore.TextUnreadable, r.named,
				os.Geteuid(), r.config.State, os.Geteuid(), r.named)
		}
		return r.named, nil
	}
	info, err := r.file.Stat()
	if err != nil {
		return "", err
	}
	identities, err := r.identitiesFor(r.file)
	if err != nil {
		return "", err
	}
	if free, err := freeBytes(work); err == nil && free < info.Size() {
		return "", supervisor.Errorf(supervisor.CodeInvalid, restore.TextNoRoom, work, amount.BinarySize(free),
			amount.BinarySize(info.Size()))
	}
	dir = filepath.Join(work, "backup")
	if err := backup.Extract(ctx, r.file, dir, identities...); err != nil {
		return "", &supervisor.Error{Code: supervisor.CodeInvalid, Message: err.Error(), Err: err}
	}
	return dir, nil
}

// sealedBegin begins a file that age has sealed.
const sealedBegin = "age-encryption.org/v1\n"

// identitiesFor returns the identities that open a backup of one file. A file that is not sealed needs
// none, although its homes may be sealed.
func (r *restorer) identitiesFor(file *os.File) ([]age.Identity, error) {
	begin := make([]byte, len(sealedBegin))
	if _, err := file.ReadAt(begin, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	switch {
	case string(begin) != sealedBegin:
		return nil, nil
	case len(r.identities) == 0:
		return nil, supervisor.Errorf(supervisor.CodeInvalid, restore.TextNoIdentity, file.Name())
	}
	return r.identities, nil
}

// freeBytes returns how many bytes may still be written to the disk of a folder.
func freeBytes(folder string) (int64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(folder, &s); err != nil {
		return 0, err
	}
	return int64(s.Bavail) * int64(s.Bsize), nil
}

// options returns the options of a restore.
func (r *restorer) options(dir string) restore.Options {
	return restore.Options{Dir: dir, Named: r.named, Journal: &r.journal,
		State: r.config.State, Identities: r.identities,
		KeyConfigured: r.config.Access.Key.Reveal() != "", Open: r.openState, Complete: r.complete, HomeOf: r.homeOf,
		WithHomes: r.withHomes, Invite: r.invite, Unpack: r.unpack,
		Progress: func(text string) { fmt.Fprintln(r.out, text) }}
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
		fmt.Fprintln(r.out, printable.DropControls(line))
	}
	return nil
}

func (r *restorer) drill(ctx context.Context, dir string) error {
	if err := os.MkdirAll(r.private(""), 0o700); err != nil { // without the lock: the service may run
		return err
	}
	result, err := restore.Drill(ctx, dir, r.config.State, r.now(), r.identities, r.tryRestored)
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

// complete makes the restored database at a path safe to serve.
func (r *restorer) complete(ctx context.Context, path string, o sqlite.Restore,
	journal bool) (factorsEnded bool, err error) {
	db, err := r.openRestored(ctx, path)
	if err != nil {
		return false, err
	}
	o.MissedFire = schedule.MissedFire
	o.Notices = func(found sqlite.RestoreReport) []supervisor.Delivery {
		return restore.Notices(r.noticeOptions(o.MadeAt, journal, found), found)
	}
	writing, stop := context.WithCancel(context.WithoutCancel(ctx))
	written := make(chan error, 1)
	go func() { written <- db.Run(writing) }() // the code below waits for this goroutine
	done, err := db.Restores().Complete(ctx, o)
	if err == nil { // the backup's version was not updated to this one
		err = db.Openings().Forget(ctx)
	}
	stop()
	return done.Ended["second factor"] > 0, errors.Join(err, <-written, db.Close())
}

// noticeOptions returns the options of the messages about a restore. The users of the configuration
// are known, and the accounts that the backup has.
func (r *restorer) noticeOptions(madeAt time.Time, journal bool, found sqlite.RestoreReport) restore.NoticeOptions {
	o := restore.NoticeOptions{MadeAt: madeAt, Journal: journal}
	known := map[string]supervisor.User{}
	for _, u := range usersOf(r.config) {
		known[u.Name] = u
		if u.Role == supervisor.RoleAdmin {
			o.Admins = append(o.Admins, u.Name)
		}
	}
	o.Private = func(user string) supervisor.Conversation {
		accounts := map[supervisor.Channel]string{}
		maps.Copy(accounts, found.Accounts[user])
		maps.Copy(accounts, known[user].Accounts)
		return supervisor.User{Name: user, Accounts: accounts}.PrivateChat()
	}
	o.Due = schedule.DescribeMissed
	o.Zone = func(user string) *time.Location { return timezone.ForUser(known[user]) }
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

// withHomes opens the restored database, makes empty homes, starts workers, and calls work.
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
	for _, open := range []func(context.Context) error{r.openPeople, r.makeNewHomes, r.openSeal} {
		if err := open(ctx); err != nil {
			return err
		}
	}
	r.confirmations = newConfirmations(r.service)
	newGate(r.service)
	r.archives = &restoringArchives{Blobs: r.db.Blobs(), Spool: r.spool}
	return r.withWorkers(ctx, work)
}

// makeNewHomes makes the missing homes in the state folder, if new ones may be made. They belong to the
// service's account, so that a worker of this process can write them.
func (s *service) makeNewHomes(context.Context) (err error) {
	for _, name := range s.people.Names() {
		u, _ := s.people.Find(name)
		if !s.newHomes || filepath.Dir(u.Home) != filepath.Join(s.config.State, "homes") {
			continue
		}
		if bad := os.Mkdir(u.Home, 0o700); !errors.Is(bad, fs.ErrExist) {
			err = errors.Join(err, bad)
		}
	}
	return err
}

// invite makes an invite for each user, after second factors have ended.
func (r *restorer) invite(ctx context.Context) {
	people := admin.New(r.adminOptions())
	for _, name := range r.people.Names() {
		made, err := people.Invite(ctx, admin.Caller{}, admin.InviteRequest{User: name, Enrol: true})
		if err != nil {
			fmt.Fprintf(r.out, restore.TextNoInvite, name, err, name)
			continue
		}
		fmt.Fprintf(r.out, restore.TextInvite, name, made.Code)
	}
}

// unpack lets a user's worker write an archive into the user's home, without some files.
func (r *restorer) unpack(ctx context.Context, user string, a restore.Archive,
	without []string) (operation.UnpackReport, error) {
	r.archives.user, r.archives.archive = user, a // only one home is restored at a time
	return r.operations.UnpackHome(ctx, user, a.Ref(), without)
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
