package host

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"

	"mews/protocol"
)

// ErrBlobTooLong is the error of StoreBlob if there are more bytes than it may store.
var ErrBlobTooLong = errors.New("it is longer than it may be")

// blobStore stores and reads the blobs of one turn or operation. Only one of the two ids is set;
// the other one is 0.
type blobStore struct {
	host            *Host
	turn, operation int64
}

// StoreBlob stores the bytes of r as a blob. It never holds all of r in memory. If r holds more
// than most bytes, the error is ErrBlobTooLong, and at most that many bytes were sent. The
// supervisor drops the bytes if StoreBlob fails.
func (b blobStore) StoreBlob(ctx context.Context, r io.Reader, most int64) (protocol.BlobRef, error) {
	return b.keep(ctx, r, most, false)
}

// StoreUndoBlob stores the bytes of a file before a change, as StoreBlob does.
func (b blobStore) StoreUndoBlob(ctx context.Context, r io.Reader, most int64) (protocol.BlobRef, error) {
	return b.keep(ctx, r, most, true)
}

func (b blobStore) keep(ctx context.Context, r io.Reader, most int64, before bool) (protocol.BlobRef, error) {
	w, err := b.create(ctx, before)
	if err != nil {
		return protocol.BlobRef{}, err
	}
	n, err := io.Copy(w, io.LimitReader(r, most+1))
	switch {
	case n > most:
		return protocol.BlobRef{}, ErrBlobTooLong
	case err != nil:
		return protocol.BlobRef{}, fmt.Errorf("after %d bytes: %w", n, err)
	}
	return w.Commit()
}

// CreateBlob opens a blob for writing piece by piece. ctx bounds all writes.
func (b blobStore) CreateBlob(ctx context.Context) (*BlobWriter, error) { return b.create(ctx, false) }

func (b blobStore) create(ctx context.Context, before bool) (*BlobWriter, error) {
	var begun protocol.BlobBeginResult
	begin := protocol.BlobBeginParams{Turn: b.turn, Operation: b.operation, Before: before}
	if err := b.host.call(ctx, protocol.MethodBlobBegin, begin, &begun); err != nil {
		return nil, err
	}
	return &BlobWriter{blobStore: b, ctx: ctx, id: begun.Blob, sum: sha256.New()}, nil
}

// ReadBlob reads at most length bytes of a blob from offset on. length is 1 to
// protocol.MaxBlobChunkBytes.
func (b blobStore) ReadBlob(ctx context.Context, sha256 string, offset int64, length int) (protocol.BlobReadResult,
	error) {
	read := protocol.BlobReadParams{Turn: b.turn, Operation: b.operation, SHA256: sha256, Offset: offset,
		Length: length}
	var part protocol.BlobReadResult
	if err := b.host.call(ctx, protocol.MethodBlobRead, read, &part); err != nil {
		return protocol.BlobReadResult{}, err
	}
	if len(part.Data) > length {
		return protocol.BlobReadResult{}, fmt.Errorf("%s: got %d bytes, asked for %d", protocol.MethodBlobRead,
			len(part.Data), length)
	}
	return part, nil
}

// ReadWholeBlob reads all bytes of a blob.
func (b blobStore) ReadWholeBlob(ctx context.Context, ref protocol.BlobRef) ([]byte, error) {
	data := make([]byte, 0, ref.Size)
	for int64(len(data)) < ref.Size {
		part, err := b.ReadBlob(ctx, ref.SHA256, int64(len(data)), protocol.MaxBlobChunkBytes)
		if err != nil {
			return nil, err
		}
		if len(part.Data) == 0 {
			return nil, fmt.Errorf("it ends after %d bytes of %d", len(data), ref.Size)
		}
		data = append(data, part.Data...)
	}
	return data, nil
}

// BlobWriter writes one blob, from one goroutine. Without Commit the supervisor drops the blob when
// its turn or operation ends.
type BlobWriter struct {
	blobStore
	ctx   context.Context
	id    int64
	sum   hash.Hash
	size  int64  // number of bytes sent
	chunk []byte // bytes not yet sent
}

// Write collects bytes in chunks, and sends a full chunk when further bytes come. Before it sends a
// chunk, it waits for the answer to the previous chunk. This wait takes less time than sending a
// chunk.
func (w *BlobWriter) Write(p []byte) (n int, err error) {
	for n < len(p) {
		if len(w.chunk) == protocol.MaxBlobChunkBytes {
			if err := w.flush(); err != nil {
				return n, err
			}
		}
		took := min(len(p)-n, protocol.MaxBlobChunkBytes-len(w.chunk))
		w.chunk = append(w.chunk, p[n:n+took]...)
		n += took
	}
	return n, nil
}

// flush sends the chunk.
func (w *BlobWriter) flush() error {
	if len(w.chunk) == 0 {
		return nil
	}
	write := protocol.BlobWriteParams{Turn: w.turn, Operation: w.operation, Blob: w.id, Offset: w.size, Data: w.chunk}
	if err := w.host.call(w.ctx, protocol.MethodBlobWrite, write, nil); err != nil {
		return err
	}
	w.sum.Write(w.chunk)
	w.size += int64(len(w.chunk))
	w.chunk = w.chunk[:0]
	return nil
}

// Commit sends the rest and asks the supervisor to keep the blob. It fails if the supervisor kept
// other bytes.
func (w *BlobWriter) Commit() (protocol.BlobRef, error) {
	if err := w.flush(); err != nil {
		return protocol.BlobRef{}, fmt.Errorf("after %d bytes: %w", w.size, err)
	}
	var ref protocol.BlobRef
	commit := protocol.BlobCommitParams{Turn: w.turn, Operation: w.operation, Blob: w.id}
	if err := w.host.call(w.ctx, protocol.MethodBlobCommit, commit, &ref); err != nil {
		return protocol.BlobRef{}, err
	}
	if want := (protocol.BlobRef{SHA256: hex.EncodeToString(w.sum.Sum(nil)), Size: w.size}); ref != want {
		return protocol.BlobRef{}, fmt.Errorf("%s: the supervisor kept %d bytes as %.64q, want %d as %q",
			protocol.MethodBlobCommit, ref.Size, ref.SHA256, want.Size, want.SHA256)
	}
	return ref, nil
}
