package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/supervisor"
)

// HomeSource is a home that a backup may hold.
type HomeSource struct {
	User    string
	Path    string
	Foreign bool  // the supervisor may not read the home
	Bytes   int64 // size of the home; 0 means unknown
}

// PackedHome is the archive of a home. Close deletes it, if there is a Reader.
type PackedHome struct {
	io.ReadCloser
	Unchanged    bool // the home is as it was, and there is no Reader
	Digest       string
	Files, Bytes int64
	LeftOut      []string
}

// Options are the dependencies of a Maker.
type Options struct {
	Dir       string   // the folder of all backups
	State     string   // the state folder
	Version   string   // of this program
	Config    string   // path of the configuration file; "" means none
	SealKey   string   // path of the key of the second factors; a missing file is none
	Recipient string   // age recipient of sealed homes and files; "" means none
	To        string   // folder on another disk for a backup a day; "" means none
	Plain     bool     // backups may leave the disk without age
	Most      int      // greatest share of the disk in percent
	Schedule  bool     // make backups without being asked
	Journal   *Journal // nil means one of this Maker in Dir

	// Database copies the database to a new file, and returns its schema's version and Changes.
	Database func(ctx context.Context, path string, progress func(done, all int64)) (schema int64, changes uint64,
		err error)
	Changes func() uint64                                // returns the number of commits
	Size    func() int64                                 // returns the size of the database in bytes
	Examine func(ctx context.Context, path string) error // reads a whole copy of the database
	// Blobs lists the files in the spool that must stay. OpenBlob opens one.
	Blobs    func(ctx context.Context) (map[string]bool, error)
	OpenBlob func(sha256 string) (io.ReadCloser, int64, error)
	Homes    func() []HomeSource
	Exists   func(user string) bool // reports whether a user exists; nil means that all do
	// PackHome lets a worker pack a home, unless it has the digest. It seals it for recipient, unless
	// recipient is "". Its errors are for people.
	PackHome func(ctx context.Context, user, digest, recipient string) (PackedHome, error)
	Space    func(dir string) (free, all int64, err error)
	Now      func() time.Time
	Log      hclog.Logger

	step func() // called before each change of the disk; for tests
}

// Maker makes backups, one at a time. Several goroutines may use it.
type Maker struct {
	o       Options
	making  sync.Mutex // held while a backup is made
	mu      sync.Mutex // guards the fields below
	status  Status
	changes uint64 // Changes of the last backup of this process
	made    bool   // whether this process has made a backup
	// when this process last began a backup with homes
	triedHomes time.Time

	wanted chan struct{} // holds a token if Begin wants a backup
}

// New makes a Maker.
func New(o Options) *Maker {
	if o.step == nil {
		o.step = func() {}
	}
	if o.Exists == nil {
		o.Exists = func(string) bool { return true }
	}
	if o.Journal == nil {
		o.Journal = &Journal{Dir: o.Dir}
	}
	if o.Log == nil {
		o.Log = hclog.NewNullLogger()
	}
	return &Maker{o: o, wanted: make(chan struct{}, 1)}
}

// Status returns how far the running backup is, and the result of the last one.
func (m *Maker) Status() Status {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.status
}

func (m *Maker) set(change func(s *Status)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	change(&m.status)
}

func (m *Maker) doing(what string) {
	m.set(func(s *Status) { s.Doing, s.Done, s.All = what, 0, 0 })
}

// job says what a backup is to do.
type job struct {
	homes bool // read the homes again
	asked bool // a person has asked for the backup, so it is sent too
}

// Make makes a backup for a person and waits for its end. With homes, each changed home is read again;
// otherwise the backup has the homes of the former one. If a backup is being made, Make is refused. The
// error is for people. A kill at any time leaves a whole backup or none.
func (m *Maker) Make(ctx context.Context, homes bool) (Result, error) {
	return m.makeAlone(ctx, job{homes: homes, asked: true})
}

func (m *Maker) makeAlone(ctx context.Context, j job) (Result, error) {
	if !m.making.TryLock() {
		return Result{}, supervisor.Errorf(supervisor.CodeUnavailable, textBusy)
	}
	defer m.making.Unlock()
	return m.makeLocked(ctx, j)
}

// makeLocked is makeAlone for a caller that holds making.
func (m *Maker) makeLocked(ctx context.Context, j job) (Result, error) {
	m.set(func(s *Status) { *s = Status{Running: true, Last: s.Last} })
	if j.homes {
		m.mu.Lock()
		m.triedHomes = m.o.Now()
		m.mu.Unlock()
	}
	r, err := m.make(ctx, j)
	m.set(func(s *Status) {
		s.Running, s.Error = false, ""
		if err != nil {
			s.Error = userText(err)
			return
		}
		s.Last = r
	})
	if err != nil {
		m.o.Log.Warn("a backup failed", "error", err)
		return r, &supervisor.Error{Code: supervisor.ErrorCodeOf(err), Message: userText(err), Err: err}
	}
	m.o.Log.Info("made a backup", "folder", r.Path, "bytes", r.Manifest.Bytes(), "left_out", len(r.Manifest.LeftOut))
	return r, nil
}

func (m *Maker) make(ctx context.Context, j job) (r Result, err error) {
	if err := m.prepare(); err != nil {
		return r, err
	}
	former, err := m.former()
	if err != nil {
		return r, err
	}
	if err := m.checkRoom(ctx, former, j.homes); err != nil {
		return r, err
	}
	at := m.o.Now().UTC().Truncate(time.Second)
	for exists(filepath.Join(m.o.Dir, nameOf(at))) || exists(filepath.Join(m.o.Dir, nameOf(at)+databaseSuffix)) {
		at = at.Add(time.Second)
	}
	b := &builder{Maker: m, ctx: ctx, dir: filepath.Join(m.o.Dir, unfinishedPrefix+nameOf(at)), former: former,
		manifest: &Manifest{Format: Format, MadeAt: at, Version: m.o.Version, State: m.o.State, Files: []File{},
			Homes: []Home{}, LeftOut: slices.Clone(alwaysLeftOut)}}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(b.dir))
		}
	}()
	changes, err := b.build(j.homes)
	if err != nil {
		return r, err
	}
	name := nameOf(at)
	if len(b.manifest.Homes) == 0 {
		name += databaseSuffix
	}
	r = Result{Path: filepath.Join(m.o.Dir, name), Manifest: b.manifest}
	m.o.step()
	if err := errors.Join(os.Rename(b.dir, r.Path), syncFolder(m.o.Dir)); err != nil {
		return r, err
	}
	m.mu.Lock()
	m.changes, m.made = changes, true
	m.mu.Unlock()
	m.conclude(ctx, &r, j)
	return r, nil
}

// conclude deletes old backups and sends the new one. Its failures become notes, because the backup is
// made.
func (m *Maker) conclude(ctx context.Context, r *Result, j job) {
	note, err := m.thin(ctx, filepath.Base(r.Path))
	if r.Note = note; err != nil {
		r.Note += fmt.Sprintf(textNotThinned, userText(err))
		m.o.Log.Warn("could not delete old backups", "error", err)
	} else if note != "" {
		m.o.Log.Warn("the backups take more than their share of the disk", "most_percent", m.o.Most)
	}
	if r.Sent, err = m.send(ctx, *r, j); err != nil {
		r.Note += fmt.Sprintf(textNotSent, m.o.To, userText(err))
		m.o.Log.Warn("could not copy a backup to the other disk", "error", err)
	}
	if oldest, known := m.oldest(); known {
		if err := m.o.Journal.DropBefore(oldest); err != nil {
			m.o.Log.Warn("could not shorten the journal of backups", "error", err)
		}
	}
}

// prepare makes the folder of backups, and deletes what a kill has left.
func (m *Maker) prepare() error {
	if err := os.MkdirAll(m.o.Dir, 0o700); err != nil {
		return fmt.Errorf("make the folder of backups: %w", err)
	}
	if err := m.o.Journal.Begin(); err != nil {
		return fmt.Errorf("make the journal of backups: %w", err)
	}
	entries, err := os.ReadDir(m.o.Dir)
	for _, e := range entries {
		if err == nil && isLeftover(e.Name()) {
			m.o.step()
			err = os.RemoveAll(filepath.Join(m.o.Dir, e.Name()))
		}
	}
	return err
}

// former returns the newest backup that can be read; nil means none.
func (m *Maker) former() (*Found, error) {
	list, err := m.list()
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return &list[len(list)-1], nil
}
