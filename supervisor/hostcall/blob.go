package hostcall

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"mews/protocol"
	"mews/supervisor/spool"
)

const (
	maxBlob      = 64 << 20 // bytes of one blob
	maxOpenBlobs = 8        // of one turn
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
	file *spool.File
}

func beginBlob(_ context.Context, d *Desk, t *turn, _ *protocol.BlobBegin) (any, error) {
	t.uploads.mu.Lock()
	defer t.uploads.mu.Unlock()
	if len(t.uploads.open) >= maxOpenBlobs {
		return nil, refused("more than %d blobs open", maxOpenBlobs)
	}
	file, err := d.o.Spool.Create()
	if err != nil {
		return nil, d.failed("begin a blob", t, err)
	}
	if t.uploads.open == nil {
		t.uploads.open = map[int64]*upload{}
	}
	t.uploads.next++
	t.uploads.open[t.uploads.next] = &upload{file: file}
	return protocol.BlobBegun{Blob: t.uploads.next}, nil
}

func writeBlob(_ context.Context, d *Desk, t *turn, p *protocol.BlobWrite) (any, error) {
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
	}
	if _, err := u.file.Write(p.Data); err != nil {
		return nil, d.failed("write a blob", t, err)
	}
	return struct{}{}, nil
}

func commitBlob(ctx context.Context, d *Desk, t *turn, p *protocol.BlobCommit) (any, error) {
	u := t.uploads.find(p.Blob, true)
	if u == nil {
		return nil, refused("blob %d is not open", p.Blob)
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	ref, err := u.file.Commit()
	if err != nil {
		return nil, d.failed("keep a blob", t, err)
	}
	if err := d.o.Blobs.Put(ctx, d.user, ref, t.ID); err != nil {
		return nil, d.failed("keep a blob", t, err)
	}
	return ref, nil
}

func readBlob(ctx context.Context, d *Desk, t *turn, p *protocol.BlobRead) (any, error) {
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
