package host

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"mews/protocol"
)

// KeepFrom is Keep for what is read to its end, without ever being in memory whole. Where it is longer than most bytes
// the error is ErrBlobTooLong, and no more than that was sent.
func (t *Turn) KeepFrom(ctx context.Context, r io.Reader, most int64) (protocol.BlobRef, error) {
	var begun protocol.BlobBegun
	if err := t.host.call(ctx, protocol.MethodBlobBegin, protocol.BlobBegin{Turn: t.id}, &begun); err != nil {
		return protocol.BlobRef{}, err
	}
	want, err := t.pump(ctx, begun.Blob, r, most)
	if err != nil {
		return protocol.BlobRef{}, err
	}
	var ref protocol.BlobRef
	commit := protocol.BlobCommit{Turn: t.id, Blob: begun.Blob}
	if err := t.host.call(ctx, protocol.MethodBlobCommit, commit, &ref); err != nil {
		return protocol.BlobRef{}, err
	}
	if ref != want {
		return protocol.BlobRef{}, fmt.Errorf("%s: the supervisor kept %d bytes as %.64q, want %d as %q",
			protocol.MethodBlobCommit, ref.Size, ref.SHA256, want.Size, want.SHA256)
	}
	return ref, nil
}

// ErrBlobTooLong is what KeepFrom returns for what is longer than it may be.
var ErrBlobTooLong = errors.New("it is longer than it may be")

// pump writes what r holds to an open blob, and says what it was.
func (t *Turn) pump(ctx context.Context, blob int64, r io.Reader, most int64) (ref protocol.BlobRef, err error) {
	sum, chunk := sha256.New(), make([]byte, protocol.BlobChunk)
	for err == nil {
		var n int
		if n, err = io.ReadFull(r, chunk); n == 0 {
			break
		}
		if ref.Size+int64(n) > most {
			return ref, ErrBlobTooLong
		}
		sum.Write(chunk[:n])
		write := protocol.BlobWrite{Turn: t.id, Blob: blob, Offset: ref.Size, Data: chunk[:n]}
		if err := t.host.call(ctx, protocol.MethodBlobWrite, write, nil); err != nil {
			return ref, fmt.Errorf("after %d bytes: %w", ref.Size, err)
		}
		ref.Size += int64(n)
	}
	if err != io.EOF && err != io.ErrUnexpectedEOF {
		return ref, fmt.Errorf("read on from byte %d: %w", ref.Size, err)
	}
	ref.SHA256 = hex.EncodeToString(sum.Sum(nil))
	return ref, nil
}

// SendFile has a blob sent to the turn's chat as a file. Turn is set by it. It waits as long as the person needs to allow
// it; what ends that is ctx.
func (t *Turn) SendFile(ctx context.Context, file protocol.ChatSend) error {
	file.Turn = t.id
	return t.host.conn.Call(ctx, protocol.MethodChatSend, file, &protocol.ChatSent{})
}
