package host

import (
	"context"
	"fmt"

	"mews/protocol"
)

// Keep stores a text whole as a blob. The supervisor drops it if the turn ends before Keep has returned.
func (t *Turn) Keep(ctx context.Context, text string) (protocol.BlobRef, error) {
	return keep(ctx, t, text)
}

// KeepBytes is Keep for what is no text.
func (t *Turn) KeepBytes(ctx context.Context, data []byte) (protocol.BlobRef, error) {
	return keep(ctx, t, data)
}

func keep[T string | []byte](ctx context.Context, t *Turn, data T) (protocol.BlobRef, error) {
	var begun protocol.BlobBegun
	var ref protocol.BlobRef
	if err := t.host.call(ctx, protocol.MethodBlobBegin, protocol.BlobBegin{Turn: t.id}, &begun); err != nil {
		return ref, err
	}
	if err := push(ctx, t, begun.Blob, data); err != nil {
		return ref, err
	}
	commit := protocol.BlobCommit{Turn: t.id, Blob: begun.Blob}
	if err := t.host.call(ctx, protocol.MethodBlobCommit, commit, &ref); err != nil {
		return ref, err
	}
	if want := hash(data); ref.SHA256 != want || ref.Size != int64(len(data)) {
		return protocol.BlobRef{}, fmt.Errorf("%s: the supervisor kept %d bytes as %.64q, want %d as %q",
			protocol.MethodBlobCommit, ref.Size, ref.SHA256, len(data), want)
	}
	return ref, nil
}

// push writes data in chunks, each when the one before it was answered: calls are served at once and not in order, so
// that two chunks under way could arrive with the wrong offset. A round trip on the socket costs less than the chunk.
func push[T string | []byte](ctx context.Context, t *Turn, blob int64, data T) error {
	for offset := 0; offset < len(data); {
		end := min(offset+protocol.BlobChunk, len(data))
		write := protocol.BlobWrite{Turn: t.id, Blob: blob, Offset: int64(offset), Data: []byte(data[offset:end])}
		if err := t.host.call(ctx, protocol.MethodBlobWrite, write, nil); err != nil {
			return fmt.Errorf("after %d of %d bytes: %w", offset, len(data), err)
		}
		offset = end
	}
	return nil
}

// ReadBlob gives at most length bytes of a blob from offset on; length is 1 to protocol.BlobChunk.
func (t *Turn) ReadBlob(ctx context.Context, sha256 string, offset int64, length int) (protocol.BlobData, error) {
	read := protocol.BlobRead{Turn: t.id, SHA256: sha256, Offset: offset, Length: length}
	var part protocol.BlobData
	if err := t.host.call(ctx, protocol.MethodBlobRead, read, &part); err != nil {
		return protocol.BlobData{}, err
	}
	if len(part.Data) > length {
		return protocol.BlobData{}, fmt.Errorf("%s: got %d bytes, asked for %d", protocol.MethodBlobRead, len(part.Data), length)
	}
	return part, nil
}
