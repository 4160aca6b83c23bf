package workspace

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"
	"time"

	"mews/protocol"
)

// ExpireUploads removes received files from before a date, and returns their number. The files are
// gone for good. Only names decide: files in uploads/2026-11-20/ that begin with a time and a dash,
// such as 131905-. Files with other names stay, and so do links with their targets.
func (w *Workspace) ExpireUploads(ctx context.Context, before time.Time) (removed int, err error) {
	days, err := w.listPlain(ctx, protocol.UploadsFolder, maxEntries, func(e fs.DirEntry) bool {
		_, bad := time.Parse(time.DateOnly, e.Name())
		return bad == nil && e.IsDir() && e.Name() < before.Format(time.DateOnly)
	})
	for _, day := range days {
		name := path.Join(protocol.UploadsFolder, day.Name())
		received, unread := w.listPlain(ctx, name, maxEntries, func(e fs.DirEntry) bool { return isReceivedName(e.Name()) && e.Type().IsRegular() })
		err = errors.Join(err, unread)
		for _, e := range received {
			if ctx.Err() != nil {
				return removed, context.Cause(ctx)
			}
			err = errors.Join(err, w.removeReceived(path.Join(name, e.Name())))
			removed++
		}
		w.removeIfEmpty(name)
	}
	return removed, err
}

// listPlain lists the wanted names of a folder that is not a link. It stops when it has found at
// least most names, and stores no unwanted names.
func (w *Workspace) listPlain(ctx context.Context, name string, most int, wanted func(fs.DirEntry) bool) (list []fs.DirEntry, err error) {
	info, err := w.root.Lstat(name)
	if err != nil || !info.IsDir() {
		return nil, ignoreMissing(err)
	}
	f, err := w.root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close() // the file was only read, so an error of Close loses nothing
	for err == nil && len(list) < most && ctx.Err() == nil {
		var some []fs.DirEntry
		some, err = f.ReadDir(1024)
		list = append(list, slices.DeleteFunc(some, func(e fs.DirEntry) bool { return !wanted(e) })...)
	}
	if err == io.EOF {
		err = nil
	}
	return list, err
}

// isReceivedName reports whether a file's name begins with the time of sending.
func isReceivedName(name string) bool {
	_, err := time.Parse("150405-", name[:min(len(name), 7)])
	return err == nil
}

// RemoveUpload removes a file below uploads/ for good. It also removes the file's folder if the
// folder is empty then. A missing file is no error.
func (w *Workspace) RemoveUpload(name string) error {
	err := w.removeReceived(name)
	w.removeIfEmpty(path.Dir(name))
	return err
}

// removeIfEmpty removes a folder if it is empty.
func (w *Workspace) removeIfEmpty(name string) {
	if w.root.Remove(name) == nil {
		w.recordPaths([]string{name})
	}
}

func (w *Workspace) removeReceived(name string) error {
	info, err := w.root.Lstat(name)
	if err == nil {
		err = w.change(func() error { return w.root.Remove(name) }, name)
	}
	if err == nil {
		w.quota.RecordGrowth(-diskSize(info.Size()))
	}
	return ignoreMissing(err)
}
