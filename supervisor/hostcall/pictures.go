package hostcall

import (
	"context"
	"errors"
	"fmt"

	"mews/protocol"
	"mews/supervisor/spool"
)

// typeBytes is how many bytes of a picture tell its type.
const typeBytes = 12

// checkPictures says what is wrong with pictures that a worker names: that they are not this person's, or no pictures. err is
// that it could not be looked up.
func (w *work) checkPictures(ctx context.Context, images []protocol.Image) (wrong, err error) {
	for i, image := range images {
		size, owns, err := w.o.Blobs.Owns(ctx, w.user, image.SHA256)
		switch {
		case err != nil:
			return nil, err
		case !owns:
			return fmt.Errorf("image %d: not a blob of this person's", i), nil
		case size != image.Size:
			return fmt.Errorf("image %d: it has %d bytes, not %d", i, size, image.Size), nil
		}
		head := make([]byte, typeBytes)
		n, _, err := w.o.Spool.ReadAt(image.SHA256, head, 0)
		switch {
		case errors.Is(err, spool.ErrGone): // the requests will say so
		case err != nil:
			return nil, err
		case protocol.ImageType(head[:n]) != image.MediaType:
			return fmt.Errorf("image %d: its bytes are no %s", i, image.MediaType), nil
		}
	}
	return nil, nil
}

// pictureGone says whether a picture of the transcript can't be read any more.
func (w *work) pictureGone(image protocol.Image) bool {
	_, _, err := w.o.Spool.ReadAt(image.SHA256, nil, 0)
	if err != nil && !errors.Is(err, spool.ErrGone) {
		w.log().Error("look for a picture", "error", err)
	}
	return err != nil
}

// readPicture reads a picture of the transcript, whose owner was looked up when it was committed. The spool gives a file
// whole or not at all.
func (w *work) readPicture(image protocol.Image) ([]byte, error) {
	if err := image.Check(); err != nil {
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
