// Package images has the tool that shows a model a picture in the user's folder.
package images

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"io"

	"mews/protocol"
	"mews/worker"
	"mews/worker/parse"
	"mews/worker/workspace"
)

const (
	maxFile   = 20 << 20   // most bytes of a picture's file
	maxPixels = 50_000_000 // most pixels of the picture in a file
	maxMemory = 512 << 20  // most bytes of memory that the pixels may take
	// maxEdge is the longest edge of a shown picture, in pixels. Anthropic's API makes larger
	// pictures smaller, so a larger picture would cost time and show no more (its page on vision,
	// "Evaluate image size").
	maxEdge = 1568
)

var viewSpec = worker.ToolSpec{
	Name:        "view_image",
	Description: "Look at a picture: PNG, JPEG, GIF, WebP, BMP or TIFF.",
	Effect:      protocol.EffectNone,
	Arguments: []worker.Argument{
		{Name: "path", Type: worker.StringArgument, Required: true},
	},
}

type viewArgs struct {
	Path string `json:"path"`
}

// Converter makes the picture for the model from a file's bytes. It is Convert, or a process that
// calls Convert.
type Converter func(ctx context.Context, file io.Reader) (parse.Picture, []byte, error)

// Viewer shows pictures, one at a time. Its methods may be called from any goroutine.
type Viewer struct {
	ws       *workspace.Workspace
	convert  Converter
	decoding chan struct{} // holds a token while a picture is decoded
}

// New makes the tools for the pictures of a workspace, which the caller closes. A file may be
// hostile, so convert uses a process of its own.
func New(ws *workspace.Workspace, convert Converter) *Viewer {
	return &Viewer{ws: ws, convert: convert, decoding: make(chan struct{}, 1)}
}

// Tools returns the tools of the family.
func (v *Viewer) Tools() []worker.Tool {
	return []worker.Tool{worker.DefineTool(viewSpec, viewArgs{}, v.view)}
}

// ShownPicture is a picture as the model sees it, without the file's metadata.
type ShownPicture struct {
	worker.Picture
	Format string // format of the file, such as PNG
	Size   string // size of the picture in the file, such as 2560 x 1920
}

// ShowPicture turns the bytes of a file into the picture for the model. An error explains to people
// why this fails.
func (v *Viewer) ShowPicture(ctx context.Context, file io.Reader) (ShownPicture, error) {
	select {
	case v.decoding <- struct{}{}:
		defer func() { <-v.decoding }()
	case <-ctx.Done():
		return ShownPicture{}, context.Cause(ctx)
	}
	p, data, err := v.convert(ctx, file)
	if err != nil && ctx.Err() != nil {
		return ShownPicture{}, context.Cause(ctx)
	}
	return ShownPicture{Format: p.Format, Size: fmt.Sprintf("%d x %d", p.FileWidth, p.FileHeight),
		Picture: worker.Picture{
			MediaType: p.MediaType, Data: data, Width: p.Width, Height: p.Height,
		}}, err
}

func (v *Viewer) view(ctx context.Context, _ worker.Call, args viewArgs) (worker.Result, error) {
	taken, note := v.ws.SimilarPath(args.Path)
	args.Path = taken
	name := workspace.QuotePath(args.Path)
	f, err := v.ws.Open(args.Path)
	if err != nil {
		return worker.Result{}, err
	}
	defer f.Close() // the file was only read, so an error of Close loses nothing
	shown, err := v.ShowPicture(ctx, f)
	if ctx.Err() != nil {
		return worker.Result{}, context.Cause(ctx)
	}
	if err != nil {
		return worker.Result{}, fmt.Errorf("view %s: %w", name, err)
	}
	text := fmt.Sprintf("%s: a %s image, %s pixels", name, shown.Format, shown.Size)
	if small := fmt.Sprintf("%d x %d", shown.Width, shown.Height); small != shown.Size {
		text += ", shown as " + small
	}
	if note != "" {
		text = note + "\n" + text
	}
	return worker.Result{Text: text, Brief: shown.Size, Images: []worker.Picture{shown.Picture},
		World: v.ws.LeadsToUploads(args.Path)}, nil
}

// Convert makes the picture for the model. An error that is not the context's is a *parse.Failure.
func Convert(ctx context.Context, file io.Reader) (p parse.Picture, data []byte, err error) {
	if data, err = read(file); err != nil {
		return p, nil, err
	}
	o, err := readInfo(data)
	if err != nil {
		return p, nil, err
	}
	shown, err := o.convert(ctx, data)
	return parse.Picture{MediaType: shown.MediaType, Width: shown.Width, Height: shown.Height, Format: o.format.name,
		FileWidth: o.config.Width, FileHeight: o.config.Height}, shown.Data, err
}

// read reads a whole file of at most maxFile bytes.
func read(file io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err == nil && len(data) > maxFile {
		err = parse.NewFailure(parse.ReasonFileTooLarge, maxFile>>20)
	}
	return data, err
}

// imageInfo is the information in the head of a picture's file.
type imageInfo struct {
	kind string // media type of the file
	format
	config     image.Config
	pixelBytes int64 // bytes of memory for one pixel
}

// memory returns how many bytes the pixels take while they are decoded.
func (o imageInfo) memory() int64 {
	return int64(o.config.Width) * int64(o.config.Height) * o.pixelBytes
}

// readInfo reads the head and refuses a picture that would take too much memory.
func readInfo(data []byte) (imageInfo, error) {
	o := imageInfo{kind: detectType(data)}
	f, known := formats[o.kind]
	if !known {
		return o, parse.NewFailure(parse.ReasonNoPicture)
	}
	o.format = f
	var err error
	if o.config, err = f.config(bytes.NewReader(data)); err != nil {
		return o, f.damaged()
	}
	o.pixelBytes = int64(f.bytesPerPixel(o.config, data))
	switch w, h := int64(o.config.Width), int64(o.config.Height); {
	case w < 1 || h < 1:
		return o, parse.NewFailure(parse.ReasonZeroPixels, w, h)
	case w > maxPixels || h > maxPixels || w*h > maxPixels:
		return o, parse.NewFailure(parse.ReasonTooManyPixels, w, h, maxPixels/1_000_000)
	case o.memory() > maxMemory:
		return o, parse.NewFailure(parse.ReasonTooMuchPixelMemory, w, h, o.memory()/1_000_000, maxMemory/1_000_000)
	}
	return o, nil
}

// damaged returns the error for a damaged file that begins like this format.
func (f format) damaged() error {
	return &parse.Failure{Reason: parse.ReasonDamagedPicture, Format: f.name}
}

// convert makes the picture that the model sees. It decodes every file, even if the model gets the
// file unchanged. Otherwise the provider would refuse every later request if the picture is
// damaged.
func (o imageInfo) convert(ctx context.Context, data []byte) (worker.Picture, error) {
	src, err := o.decode(bytes.NewReader(data))
	if err != nil {
		return worker.Picture{}, o.damaged()
	}
	at := src.Bounds()
	w, h := shownSize(at.Dx(), at.Dy())
	if w == at.Dx() && h == at.Dy() && len(data) <= protocol.MaxImageBytes && o.universal(o.config, data) {
		return worker.Picture{MediaType: o.kind, Data: o.strip(data), Width: w, Height: h}, nil
	}
	if photo, ok := src.(*image.YCbCr); ok && photo.SubsampleRatio == image.YCbCrSubsampleRatio420 && orientation(data) == 1 {
		small, err := scaleYCbCr(ctx, photo, w, h)
		if err != nil {
			return worker.Picture{}, err
		}
		out, err := encodeJPEG(small, protocol.MaxImageBytes)
		return worker.Picture{MediaType: "image/jpeg", Data: out, Width: w, Height: h}, err
	}
	small, err := scale(ctx, src, w, h)
	if err != nil {
		return worker.Picture{}, err
	}
	small = rotate(small, o.orientation(data))
	out, kind, err := encode(small, o.photo, protocol.MaxImageBytes)
	if err != nil {
		return worker.Picture{}, fmt.Errorf("make a smaller picture of it: %w", err)
	}
	return worker.Picture{MediaType: kind, Data: out, Width: small.Rect.Dx(), Height: small.Rect.Dy()}, nil
}
