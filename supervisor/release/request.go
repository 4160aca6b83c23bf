package release

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// A request is a folder in the state folder with the files request, index and archive. mews writes
// it, and mews-update reads it as root.
const (
	requestsPath = "private/update"
	requestName  = "request"
)

// RequestPath returns the path of the request in a state folder.
func RequestPath(state string) string { return filepath.Join(state, requestsPath, requestName) }

// acceptOld is the word of a request that accepts an index that is no longer valid.
const acceptOld = "accept-old"

// WriteRequest writes a request for the update to a release. The request appears at once, when all
// of it is on the disk. It replaces an earlier request.
func WriteRequest(state string, r Release, acceptsOld bool, index []byte, archive io.Reader) error {
	partial := RequestPath(state) + PartialSuffix
	if err := errors.Join(os.RemoveAll(partial), os.MkdirAll(partial, 0o700)); err != nil {
		return err
	}
	asked := r.Version.String()
	if acceptsOld {
		asked += " " + acceptOld
	}
	for name, content := range map[string]io.Reader{"request": strings.NewReader(asked),
		"index": strings.NewReader(string(index)), "archive": archive} {
		if err := writeAll(filepath.Join(partial, name), content, 0o600); err != nil {
			return fmt.Errorf("write the request for %s: %w", r.Version, err)
		}
	}
	archived, err := os.Open(filepath.Join(partial, "archive"))
	if err != nil {
		return err
	}
	defer archived.Close()
	if err := r.CheckArchive(archived); err != nil {
		return errors.Join(err, os.RemoveAll(partial))
	}
	if err := os.RemoveAll(RequestPath(state)); err != nil {
		return err
	}
	return Rename(partial, RequestPath(state))
}

// Request is an opened request. The service's account may change its files at any time, so
// mews-update believes none of them.
type Request struct{ state, folder *os.Root }

// OpenRequest opens the request in a state folder. No link leads out of that folder.
func OpenRequest(state string) (r Request, err error) {
	if r.state, err = os.OpenRoot(state); err != nil {
		return r, err
	}
	if r.folder, err = r.state.OpenRoot(filepath.Join(requestsPath, requestName)); err != nil {
		return r, errors.Join(err, r.state.Close())
	}
	return r, nil
}

// Close closes the request.
func (r Request) Close() error { return errors.Join(r.folder.Close(), r.state.Close()) }

// Remove deletes the request.
func (r Request) Remove() error { return r.state.RemoveAll(filepath.Join(requestsPath, requestName)) }

// open opens a file of the request, which must be a regular file.
func (r Request) open(name string) (*os.File, os.FileInfo, error) {
	f, err := r.folder.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is no regular file", name)
	}
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return f, info, nil
}

func (r Request) read(name string, limit int64) (text string, byRoot bool, err error) {
	f, info, err := r.open(name)
	if err != nil {
		return "", false, err
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, limit))
	owner, _ := info.Sys().(*syscall.Stat_t)
	return string(content), owner.Uid == 0, err
}

// Trust is what a program knows before it reads an index.
type Trust struct {
	Keys     Keys
	Seen     int // the highest number of an accepted index
	Platform string
	Now      time.Time
}

// Verify returns the asked release and the number of the index. It verifies the index, and that the
// release is not older than the installed version. Only root may accept an index that is no longer valid.
func (r Request) Verify(t Trust, installed Version) (found Release, number int, err error) {
	asked, byRoot, err := r.read("request", 1<<10)
	index, _, indexErr := r.read("index", MaxIndexBytes+1)
	name, options, _ := strings.Cut(strings.TrimSpace(asked), " ")
	v, parseErr := ParseVersion(name)
	if err := errors.Join(err, indexErr, parseErr); err != nil {
		return found, 0, fmt.Errorf(textBadRequest, err)
	}
	found.Version = v
	x, err := ParseIndex([]byte(index), t.Keys)
	if err == nil {
		err = x.CheckFresh(t.Seen, t.Now, options == acceptOld && byRoot)
	}
	if err != nil {
		return found, 0, err
	}
	release, err := x.Find(v, installed, t.Platform)
	if err != nil {
		return found, 0, err
	}
	return release, x.Number, nil
}

// CopyArchive copies the archive of the request to the new file at path. The copy is not verified
// yet, and is never longer than one byte more than the release.
func (r Request) CopyArchive(of Release, path string) error {
	from, _, err := r.open("archive")
	if err != nil {
		return err
	}
	defer from.Close()
	return writeAll(path, io.LimitReader(from, of.Size+1), 0o600)
}

// InstallArchive verifies the archive at path and unpacks it into the folder dir, which appears at
// once, when all of it is on the disk.
func InstallArchive(of Release, path, dir string) error {
	archive, err := os.Open(path)
	if err != nil {
		return err
	}
	defer archive.Close()
	if err := of.CheckArchive(archive); err != nil {
		return err
	}
	if _, err := archive.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if err := os.RemoveAll(dir + PartialSuffix); err != nil {
		return err
	}
	if err := Unpack(archive, dir+PartialSuffix); err != nil {
		return err
	}
	return Rename(dir+PartialSuffix, dir)
}
