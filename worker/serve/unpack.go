package serve

import (
	"context"
	"errors"
	"fmt"
	"io"

	"mews/protocol"
	"mews/worker/archive"
	"mews/worker/host"
)

// unpackHome writes the files of an archive into the empty home.
func unpackHome(ctx context.Context, u *userTools, h *host.Operation, p protocol.UnpackParameters) (any, error) {
	if err := p.Validate(); err != nil {
		return nil, invalidOperation("parameters: %v", err)
	}
	written, err := archive.Unpack(ctx, u.hello.Home, &blobReader{ctx: ctx, blobs: h, ref: p.Blob},
		archive.UnpackOptions{Name: p.Blob.SHA256, MaxNamed: protocol.MaxOmittedFiles,
			MaxText: protocol.MaxOmittedTextBytes, Without: p.Without})
	if errors.Is(err, archive.ErrNotEmpty) {
		return protocol.UnpackResult{NotEmpty: true}, nil
	}
	if err != nil {
		return nil, err
	}
	result := protocol.UnpackResult{Files: written.Files, Bytes: written.Bytes, LeftOutMore: written.More}
	for _, left := range written.LeftOut {
		result.LeftOut = append(result.LeftOut, protocol.OmittedFile(left))
	}
	return result, nil
}

// blobReader reads a blob from its beginning to its end.
type blobReader struct {
	ctx   context.Context
	blobs *host.Operation
	ref   protocol.BlobRef
	read  int64  // number of bytes that were fetched
	part  []byte // fetched bytes that were not returned yet
}

// Read implements io.Reader.
func (r *blobReader) Read(p []byte) (int, error) {
	if len(r.part) == 0 {
		if r.read == r.ref.Size {
			return 0, io.EOF
		}
		part, err := r.blobs.ReadBlob(r.ctx, r.ref.SHA256, r.read, protocol.MaxBlobChunkBytes)
		if err != nil {
			return 0, err
		}
		if len(part.Data) == 0 {
			return 0, fmt.Errorf("it ends after %d bytes of %d", r.read, r.ref.Size)
		}
		r.part, r.read = part.Data, r.read+int64(len(part.Data))
	}
	n := copy(p, r.part)
	r.part = r.part[n:]
	return n, nil
}
