package filehistory

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"slices"
	"time"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"mews/protocol"
)

// Bounds of keeping.
const (
	maxReads = 3                     // how often a file is read that changes while it is read
	maxTick  = 20 * time.Millisecond // longer than a tick of any kernel's clock
	maxWait  = 2 * time.Second       // longest time for which the start of a program waits
)

var errStopped = errors.New("it was stopped")

func isSendable(path string) bool {
	return fs.ValidPath(path) && len(path) <= protocol.MaxReceivedPathBytes && utf8.ValidString(path)
}

// keepAll keeps the bytes of files until stop returns true. It returns the paths whose bytes are
// still not kept. If follow is set, a file that has changed meanwhile is kept with its present
// bytes.
func (s *store) keepAll(h *home, list []candidate, follow bool, stop func() bool) (left []string, err error) {
	for _, c := range list {
		if s.isFirstSeen(c.e) && s.packs.total() > s.room.limit/2 {
			c.e.why = noRoom // the other half of the room is for changes
		} else if err == nil && !stop() {
			err = s.keepFile(h, c.path, c.e, follow, stop)
		}
		if !c.e.isKept() {
			left = append(left, c.path)
		}
	}
	return left, err
}

// isFirstSeen reports whether a file is as it was when the history began.
func (s *store) isFirstSeen(e *entry) bool { return e.since == firstPoint }

// keepFile keeps the bytes of one file, and sets its digest. If they are not kept, it may set the
// reason. Its only errors are those of the history's own disk.
func (s *store) keepFile(h *home, path string, e *entry, follow bool, stop func() bool) error {
	s.goOn = func() error {
		if stop() {
			return errStopped
		}
		return nil
	}
	defer func() { s.goOn = nil }()
	for range maxReads {
		before := time.Now()
		d, changed, err := s.readFile(h, path, e)
		var own *historyError
		switch {
		case err == errStopped:
			return nil
		case errors.Is(err, errNoRoom), errors.As(err, &own) && isFullDisk(err):
			e.why = noRoom
			return nil
		case errors.As(err, &own):
			return err
		case err != nil && !changed:
			if !isPassing(err) {
				e.why = unreadable // until the next hourly scan
			}
			return nil
		case !changed:
			e.digest, e.why = d, pending
			e.racy = e.change > before.Add(-maxTick).UnixNano()
			return nil
		}
		if !follow {
			return nil
		}
		now, err := h.stat(path)
		if err != nil || now.kind != file || now.size > maxFile {
			break
		}
		now.since, now.walk = e.since, e.walk
		*e = now
	}
	e.why = keptChanging
	return nil
}

// readFile keeps the bytes of a file. If the file's stamp is not that of e before or after the
// reading, changed is set.
func (s *store) readFile(h *home, path string, e *entry) (d digest, changed bool, err error) {
	if e.size == 0 {
		d, _, err = s.keepBytes(noBytes{}, 0, func() error { return nil })
		return d, false, err
	}
	f, changed, err := h.openFile(path, e)
	if err != nil || changed {
		return digest{}, changed || errors.Is(err, fs.ErrNotExist), err
	}
	defer f.Close()
	d, size, err := s.keepBytes(f, e.size, s.goOn)
	if err == errTooMany || err == nil && size != e.size {
		return digest{}, true, nil
	}
	if err != nil {
		return digest{}, false, err
	}
	after, err := statFile(f)
	return d, err != nil || !after.hasStamp(e), err
}

type noBytes struct{}

func (noBytes) Read([]byte) (int, error) { return 0, io.EOF }

// historyError is an error of the history's own files.
type historyError struct{ err error }

func (e *historyError) Error() string { return e.err.Error() }
func (e *historyError) Unwrap() error { return e.err }

// asOwnError marks an error as one of the history's own files. An error that only says that there
// is no room or no time stays as it is.
func asOwnError(err error) error {
	if err == errStopped || errors.Is(err, errNoRoom) {
		return err
	}
	return &historyError{err}
}

// isFullDisk reports whether an error means that the disk has no room for this user.
func isFullDisk(err error) bool { return errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) }

// isPassing reports whether an error says nothing about the file. The next attempt may then read
// it.
func isPassing(err error) bool {
	return slices.ContainsFunc([]error{unix.EMFILE, unix.ENFILE, unix.ENOMEM, unix.ESTALE, unix.EAGAIN, unix.EINTR},
		func(passing error) bool { return errors.Is(err, passing) })
}

// untilDeadline returns a function that reports whether maxWait has passed or ctx has ended.
func (h *History) untilDeadline(ctx context.Context) func() bool {
	end := h.options.elapsed() + maxWait
	return func() bool { return ctx.Err() != nil || h.options.elapsed() > end }
}
