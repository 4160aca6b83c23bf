// Package images has the tool with which a model looks at a picture in the person's folder.
//
// Go's own readers and golang.org/x/image's decode a picture, within the worker's walls. It takes memory for the file (20 MiB
// at most), its pixels (512 MiB at most, counted from the header before anything is decoded; a photograph of 12 megapixels
// takes 36 MB, or 180 MB if it is progressive), and the picture that is shown (10 MB). One picture is decoded at a time.
package images

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"runtime/debug"

	"mews/protocol"
	"mews/worker"
	"mews/worker/workspace"
)

const (
	maxFile   = 20 << 20   // bytes
	maxPixels = 50_000_000 // of the picture in the file
	maxMemory = 512 << 20  // bytes that its pixels may take
	freeAbove = 64 << 20   // bytes of pixels from which the memory is given back at once
	// maxEdge is the longest edge of a shown picture, in pixels. Anthropic's API makes larger pictures smaller by itself, so a
	// larger one would cost time and show no more (its page on vision, "Evaluate image size").
	maxEdge = 1568
)

var viewSpec = worker.Spec{
	Name:        "view_image",
	Description: "Look at a picture: PNG, JPEG, GIF or WebP.",
	Effect:      protocol.EffectNone,
	Properties:  `{"path":{"type":"string"}}`,
	Required:    `["path"]`,
}

type viewArgs struct {
	Path string `json:"path"`
}

// Tools makes the family over a workspace, which stays the caller's to close.
func Tools(ws *workspace.Workspace) []worker.Tool {
	v := &viewer{ws: ws, decoding: make(chan struct{}, 1)}
	return []worker.Tool{worker.Define(viewSpec, viewArgs{}, v.view)}
}

type viewer struct {
	ws       *workspace.Workspace
	decoding chan struct{} // holds a token while a picture is being decoded
}

func (v *viewer) view(ctx context.Context, _ worker.Call, args viewArgs) (worker.Result, error) {
	select {
	case v.decoding <- struct{}{}:
		defer func() { <-v.decoding }()
	case <-ctx.Done():
		return worker.Result{}, context.Cause(ctx)
	}
	result, err := v.load(ctx, args.Path)
	if err != nil && ctx.Err() != nil {
		return worker.Result{}, context.Cause(ctx)
	}
	return result, err
}

func (v *viewer) load(ctx context.Context, path string) (worker.Result, error) {
	name := workspace.Show(path)
	data, err := v.read(path)
	if err != nil {
		return worker.Result{}, err
	}
	o, err := readInfo(data)
	if err != nil {
		return worker.Result{}, fmt.Errorf("view %s: %w", name, err)
	}
	if o.memory() > freeAbove {
		defer debug.FreeOSMemory() // what was unpacked goes before the next is
	}
	picture, err := o.convert(ctx, data)
	if err != nil {
		return worker.Result{}, fmt.Errorf("view %s: %w", name, err)
	}
	size := fmt.Sprintf("%d x %d", o.config.Width, o.config.Height)
	text := fmt.Sprintf("%s: a %s image, %s pixels", name, o.format.name, size)
	if shown := fmt.Sprintf("%d x %d", picture.Width, picture.Height); shown != size {
		text += ", shown as " + shown
	}
	return worker.Result{Text: text, Brief: size, Images: []worker.Picture{picture}}, nil
}

// read reads a whole file of at most maxFile bytes.
func (v *viewer) read(path string) ([]byte, error) {
	f, err := v.ws.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() // it was only read
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("view %s: %w", workspace.Show(path), err)
	case len(data) > maxFile:
		return nil, fmt.Errorf("view %s: the file is over %d MiB, the most that can be opened; make a smaller copy of it",
			workspace.Show(path), maxFile>>20)
	}
	return data, nil
}

// imageInfo is what the head of a file says about its picture.
type imageInfo struct {
	kind string // the media type
	format
	config     image.Config
	pixelBytes int64 // of memory for a pixel
}

// memory is how many bytes the pixels take while they are decoded.
func (o imageInfo) memory() int64 {
	return int64(o.config.Width) * int64(o.config.Height) * o.pixelBytes
}

// readInfo reads the head and refuses a picture that would take too much memory.
func readInfo(data []byte) (imageInfo, error) {
	o := imageInfo{kind: protocol.ImageType(data)}
	f, known := formats[o.kind]
	if !known {
		return o, errors.New("it is no PNG, JPEG, GIF or WebP image; convert it to one of these")
	}
	o.format = f
	var err error
	if o.config, err = f.config(bytes.NewReader(data)); err != nil {
		return o, fmt.Errorf("it begins as a %s image and is damaged: %w", f.name, err)
	}
	o.pixelBytes = int64(f.bytesPerPixel(o.config, data))
	switch w, h := int64(o.config.Width), int64(o.config.Height); {
	case w < 1 || h < 1:
		return o, fmt.Errorf("it is a %s image of %d x %d pixels, which is nothing", f.name, w, h)
	case w > maxPixels || h > maxPixels || w*h > maxPixels:
		return o, fmt.Errorf("it has %d x %d pixels, and at most %d million can be opened; make a smaller copy of it",
			w, h, maxPixels/1_000_000)
	case o.memory() > maxMemory:
		return o, fmt.Errorf("its %d x %d pixels would take %d MB of memory, and at most %d can be used; make a smaller copy of it",
			w, h, o.memory()/1_000_000, maxMemory/1_000_000)
	}
	return o, nil
}

// convert makes the picture that the model sees. It decodes the file also when it passes it on unchanged, because the provider
// would refuse every later request with a damaged picture.
func (o imageInfo) convert(ctx context.Context, data []byte) (worker.Picture, error) {
	src, err := o.decode(bytes.NewReader(data))
	if err != nil {
		return worker.Picture{}, fmt.Errorf("it begins as a %s image and is damaged, or of a kind that can't be opened: %w",
			o.format.name, err)
	}
	at := src.Bounds()
	w, h := shownSize(at.Dx(), at.Dy())
	if w == at.Dx() && h == at.Dy() && len(data) <= protocol.MaxImageSize && o.universal(o.config, data) {
		return worker.Picture{MediaType: o.kind, Data: data, Width: w, Height: h}, nil
	}
	small, err := scale(ctx, src, w, h)
	if err != nil {
		return worker.Picture{}, err
	}
	if o.kind == "image/jpeg" {
		small = rotate(small, orientation(data))
	}
	out, kind, err := encode(small, o.photo, protocol.MaxImageSize)
	if err != nil {
		return worker.Picture{}, fmt.Errorf("make a smaller picture of it: %w", err)
	}
	return worker.Picture{MediaType: kind, Data: out, Width: small.Rect.Dx(), Height: small.Rect.Dy()}, nil
}
