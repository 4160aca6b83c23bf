package hostcall

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"mews/protocol"
	"mews/supervisor/spool"
)

const (
	maxBlob      = 64 << 20  // bytes of one blob
	maxKept      = 256 << 20 // bytes of a person's blobs that are kept at one time
	maxOpenBlobs = 8         // of one turn
)

// uploads are the blobs that a turn is writing.
type uploads struct {
	mu   sync.Mutex
	open map[int64]*upload
	next int64
}

// upload is one of them; its mutex keeps the chunks in order.
type upload struct {
	mu   sync.Mutex
	file *spool.Writer
	most int64 // bytes
}

func beginBlob(ctx context.Context, d *Conn, t *turn, _ *protocol.BlobBegin) (any, error) {
	room, err := d.room(ctx)
	switch {
	case err != nil:
		return nil, d.failed("begin a blob", t, err)
	case room <= 0:
		return nil, errNoRoom
	}
	t.uploads.mu.Lock()
	defer t.uploads.mu.Unlock()
	if len(t.uploads.open) >= maxOpenBlobs {
		return nil, refused("more than %d blobs open", maxOpenBlobs)
	}
	file, err := d.o.Spool.Create()
	if err != nil {
		return nil, d.spoolFailed("begin a blob", t, err)
	}
	if t.uploads.open == nil {
		t.uploads.open = map[int64]*upload{}
	}
	t.uploads.next++
	t.uploads.open[t.uploads.next] = &upload{file: file, most: min(maxBlob, room)}
	return protocol.BlobBegun{Blob: t.uploads.next}, nil
}

func writeBlob(_ context.Context, d *Conn, t *turn, p *protocol.BlobWrite) (any, error) {
	u := t.uploads.find(p.Blob, false)
	if u == nil {
		return nil, refused("blob %d is not open", p.Blob)
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	switch {
	case p.Offset != u.file.Size():
		return nil, refused("blob %d: offset %d, want %d", p.Blob, p.Offset, u.file.Size())
	case len(p.Data) > protocol.BlobChunk:
		return nil, refused("blob %d: a chunk of %d bytes, at most %d", p.Blob, len(p.Data), protocol.BlobChunk)
	case u.file.Size()+int64(len(p.Data)) > maxBlob:
		return nil, refused("blob %d: over %d MiB", p.Blob, maxBlob>>20)
	case u.file.Size()+int64(len(p.Data)) > u.most:
		return nil, errNoRoom
	}
	if _, err := u.file.Write(p.Data); err != nil {
		return nil, d.spoolFailed("write a blob", t, err)
	}
	return struct{}{}, nil
}

func commitBlob(ctx context.Context, d *Conn, t *turn, p *protocol.BlobCommit) (any, error) {
	u := t.uploads.find(p.Blob, true)
	if u == nil {
		return nil, refused("blob %d is not open", p.Blob)
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if room, err := d.room(ctx); err != nil || room < u.file.Size() { // others were committed meanwhile
		err = errors.Join(err, u.file.Discard())
		if err != nil {
			return nil, d.failed("keep a blob", t, err)
		}
		return nil, errNoRoom
	}
	ref, err := u.file.Commit()
	if err != nil {
		return nil, d.failed("keep a blob", t, err)
	}
	if err := d.o.Blobs.Put(ctx, d.user, ref, t.ID); err != nil {
		return nil, d.failed("keep a blob", t, err)
	}
	return ref, nil
}

func readBlob(ctx context.Context, d *Conn, t *turn, p *protocol.BlobRead) (any, error) {
	if p.Length < 1 || p.Length > protocol.BlobChunk || p.Offset < 0 {
		return nil, refused("length: want 1 to %d, and an offset of 0 or more", protocol.BlobChunk)
	}
	_, owns, err := d.o.Blobs.Owns(ctx, d.user, p.SHA256)
	if err != nil {
		return nil, d.failed("read a blob", t, err)
	}
	if !owns {
		return nil, refused("no output of that name is kept")
	}
	data := make([]byte, p.Length)
	n, size, err := d.o.Spool.ReadAt(p.SHA256, data, p.Offset)
	if errors.Is(err, spool.ErrGone) {
		return nil, refused("that output is not kept any more")
	}
	if err != nil {
		return nil, d.failed("read a blob", t, err)
	}
	return protocol.BlobData{Data: data[:n], Size: size}, nil
}

// room is how many bytes more the person may have kept.
func (d *Conn) room(ctx context.Context) (int64, error) {
	kept, err := d.o.Blobs.Kept(ctx, d.user, d.now().Add(-spool.Retention))
	return maxKept - kept, err
}

// errNoRoom is what a worker is told whose person has no room left.
var errNoRoom = refused("this person's kept outputs are %d MiB, the most there is room for; each goes %d days after it was kept",
	maxKept>>20, spool.Retention/(24*time.Hour))

// spoolFailed is failed for what may be the disk's fault.
func (d *Conn) spoolFailed(attempt string, t *turn, err error) error {
	if errors.Is(err, spool.ErrFull) {
		d.o.Log.Warn(attempt, "user", d.user, "turn", t.ID, "error", err)
		return refused("the disk of this Mews is nearly full, so no more outputs are kept")
	}
	return d.failed(attempt, t, err)
}

// find looks up an open blob; with take it is the caller's from then on.
func (u *uploads) find(id int64, take bool) *upload {
	u.mu.Lock()
	defer u.mu.Unlock()
	up := u.open[id]
	if take {
		delete(u.open, id)
	}
	return up
}

// discardBlobs drops what the turn began and did not finish. Nothing of the turn runs any more.
func (t *turn) discardBlobs() error {
	var errs []error
	for id := range t.uploads.open {
		errs = append(errs, t.uploads.find(id, true).file.Discard())
	}
	return errors.Join(errs...)
}

// refused is an answer to a worker that asked for what can't be; it says why.
func refused(format string, args ...any) error {
	return &protocol.Error{Code: protocol.CodeFailed, Message: fmt.Sprintf(format, args...)}
}
