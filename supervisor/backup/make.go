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

	"mews/protocol/amount"
	"mews/supervisor"
)

// HomeSource is a home that a backup may hold.
type HomeSource struct {
	User    string
	Path    string
	Foreign bool // the supervisor may not read the home
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
	Dir       string // the folder of all backups
	State     string // the state folder
	Version   string // of this program
	Config    string // path of the configuration file; "" means none
	SealKey   string // path of the key of the second factors; a missing file is none
	Recipient string // age recipient of sealed homes and files; "" means none
	To        string // folder on another disk for finished backups; "" means none
	Plain     bool   // backups may leave the disk without age
	Most      int    // greatest share of the disk in percent
	Schedule  bool   // make backups without being asked

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

// Status says how far a backup is.
type Status struct {
	Running bool   `json:"running"`
	Doing   string `json:"doing,omitempty"` // what is being saved
	Done    int64  `json:"done"`            // bytes that are saved of it
	All     int64  `json:"all"`             // all its bytes; 0 means that they are not known
	Last    Result `json:"last"`            // the last backup of this process
	Error   string `json:"error,omitempty"` // why the last backup failed; for people
}

// Result describes a finished backup.
type Result struct {
	Path     string    `json:"path"`
	Manifest *Manifest `json:"manifest,omitempty"`
	Sent     string    `json:"sent,omitempty"` // the file on the other disk
	Note     string    `json:"note,omitempty"` // what could not be done besides
}

// New makes a Maker.
func New(o Options) *Maker {
	if o.step == nil {
		o.step = func() {}
	}
	if o.Exists == nil {
		o.Exists = func(string) bool { return true }
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

// Make makes a backup and waits for its end. With homes, each changed home is read again; otherwise
// the backup has the homes of the former one. If a backup is being made, Make is refused. The error
// is for people. A kill at any time leaves a whole backup or none.
func (m *Maker) Make(ctx context.Context, homes bool) (Result, error) {
	if !m.making.TryLock() {
		return Result{}, supervisor.Errorf(supervisor.CodeUnavailable, textBusy)
	}
	defer m.making.Unlock()
	return m.makeLocked(ctx, homes)
}

// makeLocked is Make for a caller that holds making.
func (m *Maker) makeLocked(ctx context.Context, homes bool) (Result, error) {
	m.set(func(s *Status) { *s = Status{Running: true, Last: s.Last} })
	if homes {
		m.mu.Lock()
		m.triedHomes = m.o.Now()
		m.mu.Unlock()
	}
	r, err := m.make(ctx, homes)
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

func (m *Maker) make(ctx context.Context, homes bool) (r Result, err error) {
	if err := m.prepare(); err != nil {
		return r, err
	}
	former, err := m.former()
	if err != nil {
		return r, err
	}
	if err := m.checkRoom(former, homes); err != nil {
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
	changes, err := b.build(homes)
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
	if r.Note, err = m.thin(ctx, name); err != nil {
		r.Note += fmt.Sprintf(textNotThinned, userText(err))
		m.o.Log.Warn("could not delete old backups", "error", err)
		err = nil
	} else if r.Note != "" {
		m.o.Log.Warn("the backups take more than their share of the disk", "most_percent", m.o.Most)
	}
	if m.o.To != "" {
		m.doing(textSending)
		if r.Sent, err = Deliver(ctx, r.Path, m.o.To, m.o.Recipient, m.o.Plain); err != nil {
			r.Note += fmt.Sprintf(textNotSent, m.o.To, userText(err))
			m.o.Log.Warn("could not copy a backup to the other disk", "error", err)
			err = nil
		}
	}
	return r, err
}

// prepare makes the folder of backups, and deletes what a kill has left.
func (m *Maker) prepare() error {
	if err := os.MkdirAll(m.o.Dir, 0o700); err != nil {
		return fmt.Errorf("make the folder of backups: %w", err)
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

// checkRoom refuses a backup if the disk has less than 2.2 times its size free.
func (m *Maker) checkRoom(former *Found, homes bool) error {
	free, _, err := m.o.Space(m.o.Dir)
	if err != nil {
		return fmt.Errorf("ask how much room the backups have: %w", err)
	}
	size := m.o.Size()
	if former != nil && homes {
		size = max(size, former.Manifest.Bytes())
	}
	if need := size*22/10 + spare; free < need {
		return supervisor.Errorf(supervisor.CodeUnavailable, textNoRoom, m.o.Dir, amount.BinarySize(need),
			amount.BinarySize(max(0, free)))
	}
	return nil
}

// spare is free room that a backup needs besides, in bytes.
const spare = 16 << 20
