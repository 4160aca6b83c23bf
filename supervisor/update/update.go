// Package update looks for a newer release and asks mews-update to install it. It verifies the
// release with the keys of the running version. mews-update, which runs as root, does so again with
// its own copy.
package update

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/supervisor/release"
)

// Options configure an Updater.
type Options struct {
	State    string // the state folder
	Feed     string // an https address, or an absolute path of a folder
	Version  string // the running version
	Keys     func() (release.Keys, error)
	Platform string
	Now      func() time.Time
	// accepts an index that is no longer valid
	AcceptOld bool
	// the file with the version that failed on this machine; Run does not ask for it again
	FailedFile string
	Transport  http.RoundTripper // nil means the standard one
	Log        hclog.Logger      // for Run
}

// Updater looks for releases.
type Updater struct {
	o    Options
	feed feed
}

// New makes an updater. It reads nothing.
func New(o Options) *Updater { return &Updater{o, newFeed(o.Feed, o.Transport)} }

// Found is the result of a check.
type Found struct {
	release.Release
	Newer bool // whether the release is newer than the running version

	index []byte
}

// Check fetches the index and finds the newest release for this machine.
func (u *Updater) Check(ctx context.Context) (found Found, err error) {
	keys, err := u.o.Keys()
	if err != nil {
		return found, err
	}
	if u.o.Feed == "" {
		return found, errors.New(textNotConfigured)
	}
	running, err := release.ParseVersion(u.o.Version)
	if err != nil {
		return found, err
	}
	if found.index, err = u.fetchIndex(ctx); err != nil {
		return found, err
	}
	x, err := release.ParseIndex(found.index, keys)
	if err != nil {
		return found, err
	}
	seen, err := u.seenNumber()
	if err == nil {
		err = x.CheckFresh(seen, u.o.Now(), u.o.AcceptOld)
	}
	if err == nil {
		err = release.Replace(u.path("number"), strconv.Itoa(x.Number))
	}
	if err != nil {
		return found, err
	}
	found.Release, found.Newer = x.FindNewest(running, u.o.Platform)
	return found, nil
}

func (u *Updater) fetchIndex(ctx context.Context) ([]byte, error) {
	r, err := u.feed.open(ctx, release.IndexName, release.MaxIndexBytes+1)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}

// Request fetches a found release, verifies it, and writes the request for mews-update.
func (u *Updater) Request(ctx context.Context, found Found) error {
	archive, err := u.feed.open(ctx, found.File, found.Size+1)
	if err != nil {
		return err
	}
	defer archive.Close()
	if err := release.WriteNotes(u.o.State, found.Release); err != nil {
		return err
	}
	return release.WriteRequest(u.o.State, found.Release, found.index, archive)
}

// path returns the path of one of the updater's files.
func (u *Updater) path(name string) string {
	return filepath.Join(u.o.State, "private", "update", name)
}

// seenNumber returns the highest number of an index, or 0. It makes the updater's folder.
func (u *Updater) seenNumber() (int, error) {
	if err := os.MkdirAll(u.path(""), 0o700); err != nil {
		return 0, err
	}
	text, err := os.ReadFile(u.path("number"))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		err = fmt.Errorf(textBadNumber, u.path("number"), err)
	}
	return n, err
}

// Run looks for a release once a day, at a random minute, and asks for its installation. It runs
// until ctx ends.
func (u *Updater) Run(ctx context.Context) error {
	for {
		wait := time.NewTimer(untilMinute(u.o.Now(), rand.IntN(24*60)))
		select {
		case <-ctx.Done():
			wait.Stop()
			return nil
		case <-wait.C:
		}
		found, err := u.Check(ctx)
		failed, _ := os.ReadFile(u.o.FailedFile) // mostly none has failed
		if err == nil && found.Newer && strings.TrimSpace(string(failed)) != found.Version.String() {
			err = u.Request(ctx, found)
		}
		if err != nil && ctx.Err() == nil {
			u.o.Log.Warn("look for an update", "error", err)
		}
	}
}

// untilMinute returns the time from now to a minute of the next day, in UTC.
func untilMinute(now time.Time, minute int) time.Duration {
	day := now.UTC().Truncate(24 * time.Hour).Add(24 * time.Hour)
	return day.Add(time.Duration(minute) * time.Minute).Sub(now)
}
