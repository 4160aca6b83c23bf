package serve

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"time"

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

// addHistory adds the home's file history to an archive. The user's own worker may be writing to the
// history meanwhile.
func (u *userTools) addHistory(ctx context.Context, m archive.Members) (err error) {
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
			err = addVersion(ctx, m, history, sum, now)
		}
	}
	return err
}

// addVersion adds the bytes of versions.
func addVersion(ctx context.Context, m archive.Members, history *filehistory.Reader, sum string, now time.Time) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	r, size, err := history.Open(sum)
	return m.Add(historyFiles+sum, size, now, func() (io.ReadCloser, error) { return r, err })
}
