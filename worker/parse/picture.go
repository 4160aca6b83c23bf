package parse

import (
	"bytes"
	"context"
	"io"

	"mews/protocol"
)

// ConvertPicture makes the picture for the model in a child process. The error is a *Failure, or
// the cause of ctx.
func ConvertPicture(ctx context.Context, programs Programs, file io.Reader) (p Picture, data []byte, err error) {
	var body bytes.Buffer
	err = RunParser(ctx, programs, KindPicture, file, func(h Header) (io.Writer, error) {
		p = *h.Picture
		return &body, nil
	})
	if err == nil && (body.Len() > protocol.MaxImageBytes || protocol.DetectImageType(body.Bytes()) != p.MediaType) {
		err = errHeader
	}
	return p, body.Bytes(), err
}
