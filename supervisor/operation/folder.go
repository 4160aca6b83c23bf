package operation

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"mews/supervisor/spool"
)

func (o *Operations[H]) folder(id int64) string {
	return filepath.Join(o.o.Folder, strconv.FormatInt(id, 10))
}

// openFolder makes an empty folder for the blobs of an operation. It deletes the blobs of an
// earlier attempt.
func (o *Operations[H]) openFolder(id int64) (*spool.Spool, error) {
	if err := os.RemoveAll(o.folder(id)); err != nil {
		return nil, fmt.Errorf("empty the folder of operation %d: %w", id, err)
	}
	return spool.Open(o.folder(id))
}

// OpenBlob opens a blob that an operation has committed, and returns its size. The caller closes
// the blob. If the blob was deleted, the error is spool.ErrGone.
func (o *Operations[H]) OpenBlob(id int64, sha256 string) (io.ReadCloser, int64, error) {
	if _, err := os.Stat(o.folder(id)); errors.Is(err, fs.ErrNotExist) {
		return nil, 0, spool.ErrBlobGone
	}
	s, err := spool.Open(o.folder(id))
	if err != nil {
		return nil, 0, err
	}
	defer s.Close() // the opened blob stays open after the folder is closed
	return s.OpenBlob(sha256)
}

// DeleteBlobs deletes the committed blobs of an operation.
func (o *Operations[H]) DeleteBlobs(id int64) {
	if err := os.RemoveAll(o.folder(id)); err != nil {
		o.o.Log.Error("could not delete the blobs of an operation", "operation", id, "error", err)
	}
}

// sweep deletes the blobs of operations that ended some time ago or are not stored.
func (o *Operations[H]) sweep(ctx context.Context) {
	entries, err := os.ReadDir(o.o.Folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		o.o.Log.Error("could not list the blobs of operations", "error", err)
	}
	for _, e := range entries {
		id, err := strconv.ParseInt(e.Name(), 10, 64)
		// an indexing operation deletes its own blobs at its end
		if err != nil || id > firstIndex && id <= firstIndex+o.homes.lastID.Load() {
			continue
		}
		op, ok, err := o.o.Store.Find(ctx, id)
		if err == nil && (!ok || ended(op) && o.o.Now().Sub(op.UpdatedAt) >= kinds[op.Kind].keep) {
			o.DeleteBlobs(id)
		}
	}
}
