package hostcall

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"mews/protocol"
	"mews/supervisor/feature"
	"mews/supervisor/spool"
)

// BlobDependencies holds the stores of blobs.
type BlobDependencies struct {
	Blobs Blobs
	Spool Spool
}

// Blobs knows the owner of each blob in the spool.
type Blobs interface {
	AddOwner(ctx context.Context, user string, ref protocol.BlobRef, turn int64) error
	IsOwner(ctx context.Context, user, sha256 string) (size int64, ok bool, err error)
	SumTurnBytes(ctx context.Context, user string, since time.Time) (bytes int64, err error)
	PutFileBackup(ctx context.Context, user string, ref protocol.BlobRef, turn int64) error
	SumFileBackups(ctx context.Context, user string, turn int64, since time.Time) (ofTurn, ofUser int64, err error)
}

// Spool stores blobs on disk.
type Spool interface {
	NewWriter() (*spool.Writer, error)
	ReadAt(sha256 string, p []byte, offset int64) (n int, size int64, err error)
	OpenBlob(sha256 string) (file io.ReadCloser, size int64, err error)
}

// blobRows allow a turn or operation to write 1 GiB, and to read as much.
var blobRows = []row{
	{method: protocol.MethodBlobBegin, phase: inTurn | inOperation, kinds: withHome, bytes: shortParams, limit: 5_000, handler: workCall((*work).beginBlob)},
	{method: protocol.MethodBlobWrite, phase: inTurn | inOperation, kinds: withHome, bytes: chunkParams, limit: 16_384, handler: workCall((*work).writeBlob)},
	{method: protocol.MethodBlobCommit, phase: inTurn | inOperation, kinds: withHome, bytes: shortParams, limit: 5_000, handler: workCall((*work).commitBlob)},
	{method: protocol.MethodBlobRead, phase: inTurn | inOperation, kinds: anyKind, bytes: shortParams, limit: 16_384, handler: workCall((*work).readBlob)},
}

const (
	maxBlob      = 64 << 20  // maximum bytes of one blob that a turn writes
	maxBefore    = 512 << 20 // maximum bytes of a user's old file contents, stored before turns changed the files
	maxOpenBlobs = 8         // maximum of blobs that a turn or operation writes at the same time
)

// blobStore stores the committed blobs of a turn or an operation.
type blobStore interface {
	create() (*spool.Writer, error)
	room(ctx context.Context) (bytes int64, err error) // returns the maximum size of the next blob, in bytes
	keep(ctx context.Context, ref protocol.BlobRef) error
	full() error // returns the error for the worker if there is no room for another blob
}

// turnBlobs stores a turn's blobs for its user, for a limited time.
type turnBlobs struct {
	*Conn
	turn int64
}

func (b *turnBlobs) create() (*spool.Writer, error) { return b.o.Spool.NewWriter() }

func (b *turnBlobs) room(ctx context.Context) (int64, error) {
	kept, err := b.o.Blobs.SumTurnBytes(ctx, b.user, b.now().Add(-spool.Retention))
	return min(maxBlob, spool.MaxTurnBytes-kept), err
}

func (b *turnBlobs) keep(ctx context.Context, ref protocol.BlobRef) error {
	return b.o.Blobs.AddOwner(ctx, b.user, ref, b.turn)
}

func (b *turnBlobs) full() error {
	return feature.NewRefusal("there is room for %d MiB in one blob and for %d MiB of a person's outputs; "+
		"each goes %d "+
		"days after it was kept",
		maxBlob>>20, spool.MaxTurnBytes>>20, spool.Retention/(24*time.Hour))
}

// beforeBlobs stores the bytes of files from before a turn changes them. They belong to the user,
// and are kept for a limited time.
type beforeBlobs struct{ turnBlobs }

func (b *beforeBlobs) room(ctx context.Context) (int64, error) {
	ofTurn, ofUser, err := b.o.Blobs.SumFileBackups(ctx, b.user, b.turn, b.now().Add(-spool.Retention))
	return min(protocol.MaxUndoFileBytes, protocol.MaxUndoBytesPerTurn-ofTurn, maxBefore-ofUser), err
}

func (b *beforeBlobs) keep(ctx context.Context, ref protocol.BlobRef) error {
	return b.o.Blobs.PutFileBackup(ctx, b.user, ref, b.turn)
}

func (b *beforeBlobs) full() error { return feature.NewRefusal(textBeforeFull, maxBefore>>20) }

// uploads holds the blobs that a turn or operation is writing.
type uploads struct {
	// guards the fields below, and the files; the wire delivers calls about blobs one by one
	mu   sync.Mutex
	open map[int64]*upload
	last int64
}

type upload struct {
	file     *spool.Writer
	store    blobStore
	maxBytes int64
}

func (w *work) beginBlob(ctx context.Context, p *protocol.BlobBeginParams) (*protocol.BlobBeginResult, error) {
	u, store := &w.uploads, w.blobs
	if p.Before {
		store = w.before
	}
	if store == nil {
		return nil, feature.WorkerOffence{Err: errors.New("the operation keeps no bytes from before")}
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	room, err := store.room(ctx)
	switch {
	case err != nil:
		return nil, fmt.Errorf("begin a blob: %w", err)
	case room <= 0:
		return nil, store.full()
	case len(u.open) >= maxOpenBlobs:
		return nil, feature.NewRefusal("more than %d blobs open", maxOpenBlobs)
	}
	file, err := store.create()
	if err != nil {
		return nil, w.spoolFailed("begin a blob", err)
	}
	if u.open == nil {
		u.open = map[int64]*upload{}
	}
	u.last++
	u.open[u.last] = &upload{file, store, room}
	return &protocol.BlobBeginResult{Blob: u.last}, nil
}

func (w *work) writeBlob(_ context.Context, p *protocol.BlobWriteParams) (*struct{}, error) {
	w.uploads.mu.Lock()
	defer w.uploads.mu.Unlock()
	u := w.uploads.open[p.Blob]
	if u == nil {
		return nil, feature.NewRefusal("blob %d is not open", p.Blob)
	}
	switch {
	case p.Offset != u.file.Size():
		return nil, feature.NewRefusal("blob %d: offset %d, want %d", p.Blob, p.Offset, u.file.Size())
	case len(p.Data) > protocol.MaxBlobChunkBytes:
		return nil, feature.NewRefusal("blob %d: a chunk of %d bytes, at most %d", p.Blob, len(p.Data),
			protocol.MaxBlobChunkBytes)
	case u.file.Size()+int64(len(p.Data)) > u.maxBytes:
		return nil, u.store.full()
	}
	if _, err := u.file.Write(p.Data); err != nil {
		return nil, w.spoolFailed("write a blob", err)
	}
	return &struct{}{}, nil
}

func (w *work) commitBlob(ctx context.Context, p *protocol.BlobCommitParams) (*protocol.BlobRef, error) {
	w.uploads.mu.Lock()
	defer w.uploads.mu.Unlock()
	u := w.uploads.open[p.Blob]
	if u == nil {
		return nil, feature.NewRefusal("blob %d is not open", p.Blob)
	}
	delete(w.uploads.open, p.Blob)
	// check again, because other blobs may have been committed meanwhile
	if room, err := u.store.room(ctx); err != nil || room < u.file.Size() {
		return nil, cmp.Or(errors.Join(err, u.file.Discard()), u.store.full())
	}
	ref, err := u.file.Commit()
	if err == nil {
		err = u.store.keep(ctx, ref)
	}
	return &ref, err
}

func (w *work) readBlob(ctx context.Context, p *protocol.BlobReadParams) (*protocol.BlobReadResult, error) {
	if p.Length < 1 || p.Length > protocol.MaxBlobChunkBytes || p.Offset < 0 {
		return nil, feature.NewRefusal("length: want 1 to %d, and an offset of 0 or more", protocol.MaxBlobChunkBytes)
	}
	owns, err := w.mayRead(ctx, p.SHA256)
	switch {
	case err != nil:
		return nil, fmt.Errorf("read a blob: %w", err)
	case !owns:
		return nil, feature.NewRefusal("no output of that name is kept")
	}
	data := make([]byte, p.Length)
	n, size, err := w.o.Spool.ReadAt(p.SHA256, data, p.Offset)
	if errors.Is(err, spool.ErrBlobGone) {
		err = &protocol.Error{Code: protocol.CodeBlobExpired, Message: "that output is not kept any more"}
	}
	return &protocol.BlobReadResult{Data: data[:n], Size: size}, err
}

// mayRead reports whether a blob exists and may be read. A worker with a user may read all blobs of
// the user. A one-shot worker may read only its material.
func (w *work) mayRead(ctx context.Context, sha256 string) (bool, error) {
	if w.turn != nil && w.turn.Kind.IsOneShot() {
		if w.turn.Material != sha256 {
			return false, feature.WorkerOffence{Err: errors.New("not the turn's material")}
		}
		return true, nil
	}
	_, owns, err := w.o.Blobs.IsOwner(ctx, w.user, sha256)
	return owns, err
}

// spoolFailed returns the error for a failed attempt to write. A full disk has its own error.
func (w *work) spoolFailed(attempt string, err error) error {
	if errors.Is(err, spool.ErrFull) {
		w.log().Warn(attempt, "error", err)
		return feature.NewRefusal("the disk of this Mews is nearly full, so no more outputs are kept")
	}
	return fmt.Errorf("%s: %w", attempt, err)
}

// checkBlob returns an error unless the user owns the blob and its size is right.
func (w *work) checkBlob(ctx context.Context, sha256 string, size int64) error {
	kept, owns, err := w.o.Blobs.IsOwner(ctx, w.user, sha256)
	switch {
	case err != nil:
		return fmt.Errorf("look for a blob: %w", err)
	case !owns:
		return feature.WorkerOffence{Err: errors.New("not a blob of this person's")}
	case kept != size:
		return feature.WorkerOffence{Err: fmt.Errorf("a blob of %d bytes, not %d", kept, size)}
	}
	return nil
}

// discard deletes uncommitted blobs. Call it after all calls of the turn or operation have ended.
func (u *uploads) discard() (err error) {
	for _, up := range u.open {
		err = errors.Join(err, up.file.Discard())
	}
	return err
}
