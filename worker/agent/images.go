package agent

import (
	"bytes"
	"errors"
	"fmt"

	"mews/protocol"
	"mews/worker"
)

// keepImages asks the supervisor to store a result's pictures as blobs. If a picture cannot be
// stored, the result fails and names the reason, because the model must not believe that it saw
// that picture.
func (t *turn) keepImages(result *toolOutcome) []protocol.Image {
	var kept []protocol.Image
	for n, picture := range result.Images {
		image, err := t.keepImage(n, picture)
		if err != nil {
			t.report(fmt.Errorf("turn %d: keep picture %d of %d bytes: %w", t.id, n+1, len(picture.Data), err))
			line := fmt.Sprintf("picture %d could not be kept, so you do not see it: %v", n+1, err)
			result.Text += "\n[" + line + "]"
			result.failed, result.Brief = true, line
			continue
		}
		kept = append(kept, image)
	}
	result.Images = nil // frees the memory of the pictures, which the supervisor has stored
	return kept
}

// keepImage asks the supervisor to store a picture of an allowed type and size.
func (t *turn) keepImage(n int, p worker.Picture) (protocol.Image, error) {
	image := protocol.Image{
		BlobRef: protocol.BlobRef{Size: int64(len(p.Data))}, MediaType: p.MediaType, Width: p.Width, Height: p.Height,
	}
	if err := image.Validate(); err != nil {
		return image, err
	}
	if n >= protocol.MaxResultImages || protocol.DetectImageType(p.Data) != p.MediaType {
		return image, errors.New("there are too many, or its bytes are of another type")
	}
	var err error
	image.BlobRef, err = t.host.StoreBlob(t.commitCtx, bytes.NewReader(p.Data), protocol.MaxImageBytes)
	return image, err
}
