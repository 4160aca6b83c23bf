package hostcall

import (
	"context"
	"errors"
	"fmt"

	"mews/protocol"
	"mews/supervisor/feature"
	"mews/supervisor/spool"
)

// typeBytes is how many bytes at the beginning of a picture show its type.
const typeBytes = 12

// checkPicture returns an error if a blob is not a picture, or does not belong to the user.
func (w *work) checkPicture(ctx context.Context, image protocol.Image) error {
	if err := image.Validate(); err != nil {
		return feature.WorkerOffence{Err: err}
	}
	if err := w.checkBlob(ctx, image.SHA256, image.Size); err != nil {
		return err
	}
	head := make([]byte, typeBytes)
	n, _, err := w.o.Spool.ReadAt(image.SHA256, head, 0)
	switch {
	case errors.Is(err, spool.ErrBlobGone): // requests will mention that the picture is missing
		return nil
	case err == nil && protocol.DetectImageType(head[:n]) != image.MediaType:
		return feature.WorkerOffence{Err: fmt.Errorf("its bytes are no %s", image.MediaType)}
	}
	return err
}

// pictureGone reports whether a picture of the transcript can no longer be read.
func (w *work) pictureGone(image protocol.Image) bool {
	_, _, err := w.o.Spool.ReadAt(image.SHA256, nil, 0)
	if err != nil && !errors.Is(err, spool.ErrBlobGone) {
		w.log().Error("look for a picture", "error", err)
	}
	return err != nil
}

// readPicture reads a picture of the transcript. Its owner was checked at the commit. The spool
// returns the whole file or an error.
func (w *work) readPicture(image protocol.Image) ([]byte, error) {
	if err := image.Validate(); err != nil {
		return nil, fmt.Errorf("read a picture: %w", err)
	}
	data := make([]byte, image.Size)
	n, size, err := w.o.Spool.ReadAt(image.SHA256, data, 0)
	if err == nil && (size != image.Size || n != len(data)) {
		err = fmt.Errorf("it has %d bytes, not %d", size, image.Size)
	}
	if err != nil {
		return nil, fmt.Errorf("read a picture: %w", err)
	}
	return data, nil
}
