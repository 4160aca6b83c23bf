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

// pictures is the pictures of a connection's person.
type pictures struct{ *Conn }

// check says what is wrong with pictures that a worker names: that they are not this person's, or no pictures. err is
// that it could not be looked up.
func (a pictures) check(ctx context.Context, images []protocol.Image) (wrong, err error) {
	for i, image := range images {
		size, owns, err := a.o.Blobs.Owns(ctx, a.user, image.SHA256)
		switch {
		case err != nil:
			return nil, err
		case !owns:
			return fmt.Errorf("image %d: not a blob of this person's", i), nil
		case size != image.Size:
			return fmt.Errorf("image %d: it has %d bytes, not %d", i, size, image.Size), nil
		}
		head := make([]byte, typeBytes)
		n, _, err := a.o.Spool.ReadAt(image.SHA256, head, 0)
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

// gone says whether a picture of the transcript can't be read any more.
func (a pictures) gone(image protocol.Image) bool {
	_, _, err := a.o.Spool.ReadAt(image.SHA256, nil, 0)
	if err != nil && !errors.Is(err, spool.ErrGone) {
		a.o.Log.Error("look for a picture", "user", a.user, "error", err)
	}
	return err != nil
}

// read reads a picture of the transcript, whose owner was looked up when it was committed. The spool gives a file
// whole or not at all.
func (a pictures) read(image protocol.Image) ([]byte, error) {
	if err := image.Check(); err != nil {
		return nil, fmt.Errorf("read a picture: %w", err)
	}
	data := make([]byte, image.Size)
	n, size, err := a.o.Spool.ReadAt(image.SHA256, data, 0)
	if err == nil && (size != image.Size || n != len(data)) {
		err = fmt.Errorf("it has %d bytes, not %d", size, image.Size)
	}
	if err != nil {
		return nil, fmt.Errorf("read a picture: %w", err)
	}
	return data, nil
}
