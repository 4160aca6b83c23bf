package workspace

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"time"

	"mews/protocol"
)

// ExpireReceived removes for good what was received before the date of a time, and returns how many files. It goes by names
// alone: of files in uploads/2026-11-20/ that begin with a time and a dash, such as 131905-. What is named otherwise stays, and
// so does a link with what it leads to.
func (w *Workspace) ExpireReceived(ctx context.Context, before time.Time) (removed int, err error) {
	days, err := w.plainFolder(protocol.UploadsFolder)
	for _, day := range days {
		name := path.Join(protocol.UploadsFolder, day.Name())
		if _, bad := time.Parse(time.DateOnly, day.Name()); bad != nil || !day.IsDir() || day.Name() >= before.Format(time.DateOnly) {
			continue
		}
		received, unread := w.plainFolder(name)
		err = errors.Join(err, unread)
		for _, e := range received {
			if ctx.Err() != nil {
				return removed, context.Cause(ctx)
			}
			if isReceivedName(e.Name()) && e.Type().IsRegular() {
				err = errors.Join(err, w.removeReceived(path.Join(name, e.Name())))
				removed++
			}
		}
		_ = w.root.Remove(name) // it stays where something is left in it
	}
	return removed, err
}

// plainFolder lists a folder, if there is one that is no link.
func (w *Workspace) plainFolder(name string) ([]fs.DirEntry, error) {
	info, err := w.root.Lstat(name)
	if err != nil || !info.IsDir() {
		return nil, ignoreMissing(err)
	}
	f, err := w.root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close() // it was only read
	return f.ReadDir(maxEntries)
}

// isReceivedName says whether a file's name begins with the time at which it was sent.
func isReceivedName(name string) bool {
	_, err := time.Parse("150405-", name[:min(len(name), 7)])
	return err == nil
}

func (w *Workspace) removeReceived(name string) error {
	info, err := w.root.Lstat(name)
	if err == nil {
		err = w.root.Remove(name)
	}
	if err == nil {
		w.quota.Grew(-diskSize(info.Size()))
	}
	return ignoreMissing(err)
}
