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

// AcceptOldName is the name of the file, in the folder of mews-update, with the version that root
// installs although the index is no longer valid.
const AcceptOldName = "accept-old"

// FailedName is the name of the file, in the folder of mews-update, with the last version that failed
// on this machine.
const FailedName = "failed"

// ExitNotOpened is the exit status of `mews preflight --opened` if the version has not opened.
const ExitNotOpened = 5

// RequestPath returns the path of the request in a state folder.
func RequestPath(state string) string { return filepath.Join(state, requestsPath, requestName) }

// WriteRequest writes a request for the update to a release. The request appears at once, when all
// of it is on the disk. It replaces an earlier request.
func WriteRequest(state string, r Release, index []byte, archive io.Reader) error {
	partial := RequestPath(state) + PartialSuffix
	if err := errors.Join(os.RemoveAll(partial), os.MkdirAll(partial, 0o700)); err != nil {
		return err
	}
	for name, content := range map[string]io.Reader{"request": strings.NewReader(r.Version.String()),
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

// RemoveRequest deletes whatever stands in the place of a request. It deletes nothing outside of
// state.
func RemoveRequest(state string) error {
	root, err := os.OpenRoot(state)
	if err != nil {
		return err
	}
	return errors.Join(Request{state: root}.Remove(), root.Close())
}

// open opens a file of the request, which must be a regular file.
func (r Request) open(name string) (*os.File, error) {
	f, err := r.folder.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is no regular file", name)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

func (r Request) read(name string, limit int64) (string, error) {
	f, err := r.open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, limit))
	return string(content), err
}

// Trust is what a program knows before it reads an index.
type Trust struct {
	Keys     Keys
	Seen     int // the highest number of an accepted index
	Platform string
	Now      time.Time
	// AcceptOld is the version that root installs although the index is no longer valid; "" means none
	AcceptOld string
}

// Verify returns the asked release and the number of the index. It verifies the index, and that the
// release is not older than the installed version.
func (r Request) Verify(t Trust, installed Version) (found Release, number int, err error) {
	asked, err := r.read("request", 1<<10)
	index, indexErr := r.read("index", MaxIndexBytes+1)
	v, parseErr := ParseVersion(asked)
	if err := errors.Join(err, indexErr, parseErr); err != nil {
		return found, 0, fmt.Errorf(textBadRequest, err)
	}
	found.Version = v
	x, err := ParseIndex([]byte(index), t.Keys)
	if err == nil {
		err = x.CheckFresh(t.Seen, t.Now, asked == t.AcceptOld)
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
	from, err := r.open("archive")
	if err != nil {
		return err
	}
	defer from.Close()
	return writeAll(path, io.LimitReader(from, of.Size+1), 0o600)
}

// InstallArchive verifies the archive at path and unpacks it into the folder dir. The folder appears
// at once, when all of it is on the disk.
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

// notesPath returns the path of the notes of the release that was asked for last.
func notesPath(state string) string { return filepath.Join(state, requestsPath, "notes") }

// WriteNotes keeps the notes of a release, for the admins to read after the update.
func WriteNotes(state string, r Release) error {
	if err := os.MkdirAll(filepath.Dir(notesPath(state)), 0o700); err != nil {
		return err
	}
	return Replace(notesPath(state), r.Version.String()+"\n"+r.Notes)
}

// ReadNotes returns the notes of a version, or "".
func ReadNotes(state, version string) string {
	text, _ := os.ReadFile(notesPath(state)) // a release may have no notes
	named, notes, _ := strings.Cut(string(text), "\n")
	if named != version {
		return ""
	}
	return notes
}
