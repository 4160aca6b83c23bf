package serve

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"mews/protocol"
	"mews/worker/archive"
	"mews/worker/filehistory"
)

// Names of the file history in an archive.
const (
	historyFolder   = "history"
	historyVersions = historyFolder + "/versions.jsonl" // a line for each version
	historyFiles    = historyFolder + "/files/"         // the bytes of all versions, each named by their SHA-256
)

// textHistoryNotHere is why an archive has no file history.
const textHistoryNotHere = "no file history is kept here, or its folder belongs to another account"

// addHistory adds the home's file history to an archive. The user's own worker may be writing to
// the history meanwhile. If textOnly is true, versions that are no text are only listed.
func (u *userTools) addHistory(ctx context.Context, m archive.Members, textOnly bool) (err error) {
	if u.options.History == nil {
		m.LeaveOut(historyFolder, textHistoryNotHere)
		return nil
	}
	history, err := filehistory.NewReader(u.options.History, u.options.Report)
	if err != nil {
		m.LeaveOut(historyFolder, err.Error())
		return nil
	}
	defer func() { err = errors.Join(err, history.Close()) }()
	list, err := os.CreateTemp(cmp.Or(u.options.Temp, "/tmp"), "versions-*")
	if err != nil {
		return err
	}
	defer list.Close()
	if err := os.Remove(list.Name()); err != nil {
		return err
	}
	sums, err := history.WriteVersions(ctx, list)
	if err != nil {
		return err
	}
	size, err := list.Seek(0, io.SeekCurrent)
	if err == nil {
		_, err = list.Seek(0, io.SeekStart)
	}
	if err != nil {
		return err
	}
	now := u.options.Now()
	err = m.Add(historyVersions, size, now, func() (io.ReadCloser, error) { return io.NopCloser(list), nil })
	for _, sum := range sums {
		if err == nil {
			err = addVersion(ctx, m, history, sum, now, textOnly)
		}
	}
	return err
}

// addVersion adds the bytes of a version.
func addVersion(ctx context.Context, m archive.Members, history *filehistory.Reader, sum string, now time.Time,
	textOnly bool) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	r, size, err := history.Open(sum)
	if err == nil && textOnly {
		begin := bufio.NewReaderSize(r, textBeginning)
		if head, _ := begin.Peek(textBeginning); bytes.IndexByte(head, 0) >= 0 {
			return r.Close()
		}
		r = readCloser{begin, r}
	}
	return m.Add(historyFiles+sum, size, now, func() (io.ReadCloser, error) { return r, err })
}

// textBeginning is how many bytes of a version are searched for a zero, which no text has.
const textBeginning = 4 << 10

// readCloser reads from one source and closes another.
type readCloser struct {
	io.Reader
	io.Closer
}

// unpacked is the writer of an archive that is not compressed.
type unpacked struct{ io.Writer }

// Close does nothing.
func (unpacked) Close() error { return nil }

// compareHome sets the digest of the home and its history. If the digest is that of an earlier
// backup, it marks the home as unchanged.
func (u *userTools) compareHome(ctx context.Context, p protocol.ArchiveParameters, to *protocol.ArchiveResult) error {
	history, err := "", error(nil)
	if p.History && u.options.History != nil {
		if history, err = filehistory.Stamp(u.options.History); err != nil {
			return err
		}
	}
	// An archive for another recipient is another one.
	if to.Digest, err = archive.Digest(ctx, u.hello.Home, fmt.Sprint(p.Recipient, history)); err != nil {
		return err
	}
	to.Unchanged = to.Digest != "" && (p.Unless == to.Digest || p.Unless == archive.FullDigest(to.Digest, p.MaxBytes))
	if to.Unchanged {
		to.Digest = p.Unless
	}
	return nil
}
