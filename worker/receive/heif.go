package receive

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"

	"mews/worker/tool/images"
)

// readHEIC shows a phone's picture. ffmpeg before 8 reads no HEIC, or only the first of the tiles
// into which phones divide pictures. heif-convert reads the whole picture.
func readHEIC(ctx context.Context, f *reading) error {
	shown, err := f.extractFrame(ctx, 0)
	const shownEdge = 1568 // longest edge of a shown picture, in pixels, as for a film's frame
	if err != nil || shown != nil && max(shown.Width, shown.Height) < min(heicEdge(f.head), shownEdge)*9/10 {
		shown, err = f.convertHEIF(ctx)
	}
	if err != nil {
		return err
	}
	return f.showFrame(ctx, f.kind, "", shown)
}

// convertHEIF returns the first picture of a HEIC or AVIF file.
func (f *reading) convertHEIF(ctx context.Context) (*images.ShownPicture, error) {
	dir, err := os.MkdirTemp(f.Temp, "mews-heif-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir) // remaining files are deleted with the worker's /tmp
	if err := f.run(ctx, io.Discard, "heif-convert", "-q", "85", f.path, filepath.Join(dir,
		"picture.jpg")); err != nil {
		return nil, err
	}
	// with several pictures in the file, the program numbers them
	for _, name := range []string{"picture.jpg", "picture-1.jpg"} {
		file, err := os.Open(filepath.Join(dir, name))
		if err != nil {
			continue
		}
		defer file.Close() // a failed Close loses nothing, because the file was only read
		shown, err := f.Pictures.ShowPicture(ctx, file)
		if err != nil {
			return nil, errors.New(textDamaged)
		}
		return &shown, nil
	}
	return nil, errors.New(textDamaged)
}

// heicEdge returns the longest edge in a HEIC file, in pixels; 0 if unknown. It is the edge of a
// picture, of a tile or of all tiles together (the box ispe of ISO/IEC 23008-12).
func heicEdge(head []byte) (edge int) {
	for {
		_, rest, found := bytes.Cut(head, []byte("ispe"))
		if head = rest; !found || len(rest) < 12 {
			return edge
		}
		edge = max(edge, int(binary.BigEndian.Uint32(rest[4:])), int(binary.BigEndian.Uint32(rest[8:])))
	}
}
