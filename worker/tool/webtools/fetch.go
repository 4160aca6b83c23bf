package webtools

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"mews/protocol"
	"mews/protocol/amount"
	"mews/worker"
	"mews/worker/host"
	"mews/worker/parse"
	"mews/worker/tool/files"
	"mews/worker/tool/images"
	"mews/worker/workspace"
)

// Host makes the calls of the turn, and reads what the supervisor has fetched.
type Host interface {
	host.Caller
	ReadBlob(ctx context.Context, sha256 string, offset int64, length int) (protocol.BlobReadResult, error)
}

// Pictures makes the picture that the model sees.
type Pictures interface {
	ShowPicture(ctx context.Context, file io.Reader) (images.ShownPicture, error)
}

// FetchOptions are the dependencies of web_fetch.
type FetchOptions struct {
	Files    *workspace.Workspace
	Turn     Host
	Programs parse.Programs // runs parsers; nil means that this worker runs no programs
	Pictures Pictures
}

var fetchSpec = worker.ToolSpec{
	Name:   "web_fetch",
	Family: "web",
	Description: "Read a web page, PDF, picture or other file. The person may be asked first if nobody has named the " +
		"address.",
	Effect: protocol.EffectIdempotent, // a repeated call gets the same answer, and saves to the same file
	Arguments: []worker.Argument{
		{Name: "url", Type: worker.StringArgument, Description: "whole address", Required: true},
		{Name: "save", Type: worker.BooleanArgument, Description: "keep it in downloads/"},
	},
}

// maxFetches is how many calls one turn makes. The supervisor refuses far fewer in words.
const maxFetches = protocol.MaxWebFetches - 1

// FetchTools makes the tool web_fetch for one turn.
func FetchTools(o FetchOptions) []worker.Tool {
	f := &fetcher{FetchOptions: o}
	return []worker.Tool{worker.DefineTool(fetchSpec, protocol.WebFetchArguments{}, f.fetch)}
}

// fetcher answers the calls of one turn. It needs no lock, because calls of a tool with an effect
// run one at a time.
type fetcher struct {
	FetchOptions
	made int // number of calls so far
}

func (f *fetcher) fetch(ctx context.Context, call worker.Call, args protocol.WebFetchArguments) (worker.Result, error) {
	if f.made >= maxFetches { // for further calls the supervisor would end this worker
		return worker.Result{}, errors.New(textManyFetches)
	}
	f.made++
	got, err := host.CallMethod[protocol.WebFetchResult](ctx, f.Turn, protocol.MethodWebFetch,
		protocol.WebFetchParams{Call: call.ID})
	if err != nil {
		return worker.Result{}, host.ExplainRefusal(err)
	}
	p, err := f.read(ctx, got)
	if ctx.Err() != nil {
		return worker.Result{}, context.Cause(ctx)
	}
	result := worker.Result{World: true, Brief: amount.FormatBytes(got.Body.Size)}
	if err != nil {
		p.note = fmt.Sprintf(textUnread, err)
	}
	result.Text = p.head(got)
	if args.Save {
		said, changes, err := f.save(ctx, call, got, p)
		if err != nil {
			said = fmt.Sprintf(textNotSaved, err)
		}
		result.Text += said + "\n"
		result.Changes = changes
	}
	result.Text += p.body()
	result.Images = p.pictures
	return result, nil
}

// fetched is what web_fetch has read.
type fetched struct {
	title    string
	text     string
	isPage   bool // text is the Markdown of a page
	pictures []worker.Picture
	note     string // a sentence about what was read; "" means none
}

// maxText bounds a text for the model and its rest, in bytes.
const maxText = 1 << 20

// read reads a body, by its first bytes and its media type.
func (f *fetcher) read(ctx context.Context, got protocol.WebFetchResult) (p fetched, err error) {
	if got.Body.Size == 0 {
		return fetched{note: textEmpty}, nil
	}
	body := &blobReader{ctx: ctx, turn: f.Turn, blob: got.Body}
	head, err := body.peek()
	if err != nil {
		return p, err
	}
	switch kind := files.FileKind(head); {
	case kind == "a PDF document":
		return f.readPDF(ctx, body)
	case strings.HasSuffix(kind, " image"):
		return f.readPicture(ctx, kind, body)
	case kind != "" && !parse.IsText(got.MediaType):
		return fetched{note: fmt.Sprintf(textOtherKind, nameOfKind(kind, got.MediaType),
			amount.FormatBytes(got.Body.Size))}, nil
	}
	return f.readText(ctx, got, head, body)
}

func nameOfKind(kind, mediaType string) string {
	if kind == "binary" && mediaType != "" {
		return mediaType
	}
	return kind
}

func (f *fetcher) readPicture(ctx context.Context, kind string, body io.Reader) (p fetched, err error) {
	shown, err := f.Pictures.ShowPicture(ctx, body)
	if err != nil {
		return p, err
	}
	return fetched{pictures: []worker.Picture{shown.Picture}, note: fmt.Sprintf(textPicture, kind, shown.Size)}, nil
}

// readText reads a page, or a text as it is.
func (f *fetcher) readText(ctx context.Context, got protocol.WebFetchResult, head []byte, body io.Reader) (p fetched,
	err error) {
	if f.Programs == nil {
		return p, errors.New(textNoParsers)
	}
	in := parse.PageInput{Address: got.Address, MediaType: got.MediaType, Charset: got.Charset}
	if got.MediaType == "" && looksLikePage(head) {
		in.MediaType = "text/html"
	}
	page, err := parse.ConvertPage(ctx, f.Programs, in, body)
	if err != nil {
		return p, err
	}
	p = fetched{title: page.Title, text: string(page.Text), isPage: parse.IsPage(in.MediaType)}
	if strings.TrimSpace(p.text) == "" {
		p.note = textNoText
	}
	return p, nil
}

// looksLikePage reports whether a body begins like a page.
func looksLikePage(head []byte) bool {
	start := strings.ToLower(strings.TrimSpace(string(head[:min(len(head), 256)])))
	return strings.HasPrefix(start, "<!doctype html") || strings.HasPrefix(start, "<html")
}

// head returns the lines above the text.
func (p fetched) head(got protocol.WebFetchResult) string {
	var b strings.Builder
	if p.title != "" {
		b.WriteString(p.title + "\n")
	}
	b.WriteString(got.Address + "\n")
	if got.Status != 200 {
		fmt.Fprintf(&b, textStatus+"\n", got.Status)
	}
	if minutes := got.Age / 60; minutes > 0 {
		fmt.Fprintf(&b, textAge+"\n", amount.Plural(minutes, "minute", "minutes"))
	}
	if p.note != "" {
		b.WriteString(p.note + "\n")
	}
	return b.String()
}

// body returns the text below the head, with a line that says whose it is.
func (p fetched) body() string {
	text := strings.TrimSpace(p.text)
	if text == "" {
		return ""
	}
	note := textMaterial + "\n\n"
	if len(text) > maxText {
		return note + worker.TrimPartialRune(text[:maxText]) + "\n" + textCut
	}
	return note + text
}

// blobReader reads a blob from its beginning.
type blobReader struct {
	ctx    context.Context
	turn   Host
	blob   protocol.BlobRef
	offset int64  // bytes that were read from the supervisor
	ahead  []byte // bytes that were read from the supervisor, and not from this reader
}

// peek returns the first bytes, enough to tell the kind of a file.
func (b *blobReader) peek() ([]byte, error) {
	if b.offset == 0 {
		if err := b.fill(); err != nil {
			return nil, err
		}
	}
	return b.ahead[:min(len(b.ahead), files.HeadSize)], nil
}

func (b *blobReader) fill() error {
	part, err := b.turn.ReadBlob(b.ctx, b.blob.SHA256, b.offset, protocol.MaxBlobChunkBytes)
	if err == nil && len(part.Data) == 0 {
		err = fmt.Errorf("it ends after %d bytes of %d", b.offset, b.blob.Size)
	}
	b.ahead, b.offset = part.Data, b.offset+int64(len(part.Data))
	return err
}

func (b *blobReader) Read(p []byte) (int, error) {
	if len(b.ahead) == 0 {
		if b.offset >= b.blob.Size {
			return 0, io.EOF
		}
		if err := b.fill(); err != nil {
			return 0, err
		}
	}
	n := copy(p, b.ahead)
	b.ahead = b.ahead[n:]
	return n, nil
}
