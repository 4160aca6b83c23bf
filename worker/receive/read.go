package receive

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"
	"time"

	"mews/protocol"
	"mews/protocol/amount"
	"mews/protocol/foreign"
	"mews/worker"
	"mews/worker/parse"
	"mews/worker/program"
	"mews/worker/tool/files"
	"mews/worker/tool/images"
	"mews/worker/workspace"
)

// reading is one kept file that is being read.
type reading struct {
	*receiver
	arrived protocol.ArrivedFile
	path    string // path in the home
	file    io.ReaderAt
	reopen  func() (*os.File, error) // opens the file for reading only
	size    int64
	head    []byte // first bytes of the file
	kind    string // type of the file, as files.FileKind names it
	result  protocol.ReceivedFile
}

// readTimeout bounds the reading of one file.
const readTimeout = time.Minute

// A readFunc adds a file's contents for the model to the result. An error that is not the host's
// explains in words why the file could not be read.
type readFunc func(ctx context.Context, f *reading) error

// readers read files by kind. Files of other kinds are only named.
var readers = map[string]readFunc{
	"":            readText,
	"a PNG image": readPicture, "a JPEG image": readPicture, "a GIF image": readPicture, "a WebP image": readPicture,
	"a BMP image": readPicture, "a TIFF image": readPicture, "a HEIC image": readHEIC, "an AVIF image": readHEIC,
	"a PDF document":                        readPDF,
	"a ZIP archive (or an office document)": parseAs(parse.KindZip), "a tar archive": parseAs(parse.KindTar),
	"gzip-compressed":  parseAs(parse.KindGzip),
	"an MP3 recording": readMedia, "an AAC recording": readMedia, "an Ogg recording": readMedia, "a FLAC recording": readMedia,
	"a WAV recording": readMedia, "an M4A recording": readMedia, "an MP4 video": readMedia, "an AVI video": readMedia,
	"a Matroska or WebM video": readMedia,
}

// recordings are the kinds of attachments that are read as recordings, even if their first bytes
// look different.
var recordings = map[protocol.AttachmentKind]readFunc{
	protocol.AttachmentVoice: readRecording, protocol.AttachmentVideoNote: readRecording, protocol.AttachmentAudio: readMedia,
}

// read makes the result for a kept file.
func (r *receiver) read(ctx context.Context, f protocol.ArrivedFile, path string,
	draft *workspace.Draft) (protocol.ReceivedFile, error) {
	head, file := make([]byte, files.HeadSize), draft.File()
	n, _ := file.ReadAt(head, 0) // a failed read fails again when a reader reads the file
	one := &reading{receiver: r, arrived: f, path: path, file: file, reopen: draft.Reopen, size: f.Blob.Size,
		head: head[:n]}
	one.kind, one.result.Path = files.FileKind(one.head), path
	read := recordings[f.Kind]
	if read == nil {
		read = readers[one.kind]
		if kind := one.parserOfText(); kind != "" {
			read = parseText(kind)
		}
	}
	if read == nil {
		read = func(context.Context, *reading) error { one.addName(kindName(one), ""); return nil }
	}
	bounded, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	err := read(bounded, one)
	if fatal := operationError(ctx, err); fatal != nil {
		return protocol.ReceivedFile{}, fatal
	}
	if err != nil {
		one.fail(err)
	}
	return one.result, nil
}

// kindName describes a file in words.
func kindName(f *reading) string {
	switch {
	case f.size == 0:
		return textEmpty
	case f.kind == "":
		return textText
	case f.kind == "binary" && f.arrived.MediaType != "":
		return textUnknownKind + " (" + protocol.SafeFileName(strings.ReplaceAll(f.arrived.MediaType, "/", " ")) + ")"
	case f.kind == "binary":
		return textUnknownKind
	}
	return f.kind
}

// addName adds the line that names the file. more has further sentences for the line.
func (f *reading) addName(kind, more string) {
	if more != "" {
		more = ". " + more
	}
	f.text(fmt.Sprintf(textNamed, f.path, kind, amount.FormatBytes(f.size), more))
}

func (f *reading) text(text string) {
	f.result.Parts = append(f.result.Parts, protocol.ContentPart{Text: text})
}

// addQuote adds the line that names the file, and below it a text of the file between fences. The
// text cannot contain the fence. rest is a line below the text.
func (f *reading) addQuote(kind, text, rest string) {
	text = strings.NewReplacer("\x00", "\uFFFD", "\f", "\n").Replace(strings.ToValidUTF8(text, "\uFFFD"))
	fence := "===== " + rand.Text()[:12] + " ====="
	whole := fmt.Sprintf(textNamed+textMaterial+"\n%[5]s\n%[6]s\n%[5]s", f.path, kind, amount.FormatBytes(f.size), "",
		fence, foreign.IndentMarks(strings.TrimRight(text, "\n")))
	if rest != "" {
		whole += "\n" + rest
	}
	if f.textRoom -= len(text); f.textRoom < 0 {
		f.textRoom = 0
	}
	f.text(whole)
}

// maxFailure bounds a failure, in bytes.
const maxFailure = 512

// failure makes a sentence about what went wrong with a file.
func failure(format string, args ...any) string {
	text := strings.Join(strings.Fields(strings.ToValidUTF8(fmt.Sprintf(format, args...), "\uFFFD")), " ")
	return worker.TrimPartialRune(text[:min(len(text), maxFailure)])
}

// packages are the Debian packages of the programs that read files.
var packages = map[string]string{
	"pdftotext": "poppler-utils", "pdftoppm": "poppler-utils", "ffmpeg": "ffmpeg", "ffprobe": "ffmpeg",
	"heif-convert": "libheif-examples",
}

// fail adds a sentence about why the file was not read, without words of the file. Parts that were
// already read stay.
func (f *reading) fail(err error) {
	if errors.Is(err, context.DeadlineExceeded) {
		err = errors.New(textTooLong)
	}
	var missing missingProgram
	if errors.As(err, &missing) {
		f.result.Missing = append(f.result.Missing, packages[string(missing)])
	}
	text := failure("%v.", err)
	f.result.Failure = strings.ToUpper(text[:1]) + text[1:]
}

// missingProgram is the error for a program that is not installed.
type missingProgram string

func (m missingProgram) Error() string { return fmt.Sprintf(textMissing, packages[string(m)]) }

// run runs a program that reads the file, within the common bounds.
func (f *reading) run(ctx context.Context, stdout io.Writer, name string, args ...string) error {
	return f.runProgram(ctx, program.Program{Name: name, Args: args, Stdout: stdout, Timeout: readTimeout,
		Memory: maxProgram})
}

// runReader runs a program that reads the file from its input, behind walls without the home.
// memory bounds it in bytes.
func (f *reading) runReader(ctx context.Context, stdout io.Writer, memory int64, name string, args ...string) error {
	file, err := f.reopen()
	if err != nil {
		return err
	}
	defer file.Close() // a failed Close loses nothing, because the file was only read
	return f.runProgram(ctx, program.Program{Name: name, Reader: true, Args: args, Stdin: file, Stdout: stdout,
		Timeout: parse.Timeout, Memory: memory})
}

// runProgram runs a program until the time for reading the file is over, at the latest.
func (f *reading) runProgram(ctx context.Context, p program.Program) error {
	if f.Programs == nil {
		return missingProgram(p.Name)
	}
	if deadline, ok := ctx.Deadline(); ok {
		p.Timeout = min(p.Timeout, time.Until(deadline))
	}
	err := f.Programs.Run(ctx, p)
	var ended *program.ExitError
	switch {
	case errors.Is(err, program.ErrNotInstalled):
		return missingProgram(p.Name)
	case errors.As(err, &ended):
		return programFailure(ended)
	}
	return err
}

// programFailures translate the last line of a program. Other lines may be the file's own words.
var programFailures = []struct{ says, text string }{
	{"Incorrect password", textPassword}, {"May not be a PDF file", textDamaged}, {"Couldn't find trailer", textDamaged},
	{"Couldn't read xref", textDamaged}, {"Couldn't read page", textDamaged}, {"Invalid data found", textDamaged},
	{"moov atom not found", textDamaged}, {"not in whitelist", textDamaged}, {"End of file", textDamaged},
	{"not an HEIF/AVIF file", textDamaged}, {"Could not read HEIF/AVIF file", textDamaged},
	{"Could not decode", textDamaged},
}

// programFailure explains why a program could not read the file.
func programFailure(ended *program.ExitError) error {
	for _, known := range programFailures {
		if strings.Contains(ended.LastLine, known.says) {
			return errors.New(known.text)
		}
	}
	return fmt.Errorf(textProgram, ended.Name, program.DescribeExit(ended.State))
}

// maxProgram bounds the memory of a program that reads a file, in bytes.
const maxProgram = 768 << 20

// Bounds of texts, in bytes.
const (
	maxWhole   = 32 << 10 // bytes of the largest text file that is shown whole
	maxPart    = 8 << 10  // bytes of a longer text file that are shown
	maxExtract = 16 << 10 // bytes of an extracted text that are shown
	minShown   = 1 << 10  // bytes that must be left in the message to show a text
)

// readText quotes a text file, whole or its beginning.
func readText(_ context.Context, f *reading) error {
	kind := kindName(f)
	if f.size == 0 || f.textRoom < minShown {
		f.addName(kind, map[bool]string{true: "", false: textNoRoom}[f.size == 0])
		return nil
	}
	rest := io.NewSectionReader(f.file, int64(len(f.head)), f.size)
	limit := int64(maxWhole + 1)
	if isCard(f.head) {
		limit = maxCard
	}
	text, err := io.ReadAll(io.LimitReader(files.NewTextReader(f.head, rest), limit))
	if err != nil {
		return err
	}
	if isCard(f.head) {
		text = []byte(omitEncoded(string(text)))
	}
	if most := min(maxWhole, f.textRoom); len(text) <= most {
		f.addQuote(kind, string(text), "")
		return nil
	}
	f.addQuote(kind, string(worker.TrimPartialRune(text[:min(maxPart, f.textRoom)])), textRest)
	return nil
}

// readPicture shows a picture.
func readPicture(ctx context.Context, f *reading) error {
	file, err := f.reopen()
	if err != nil {
		return err
	}
	defer file.Close() // a failed Close loses nothing, because the file was only read
	return f.addPicture(ctx, kindName(f), file)
}

// addPicture shows a picture of the file below the line that names the file.
func (f *reading) addPicture(ctx context.Context, kind string, data io.Reader) error {
	if f.imageRoom == 0 {
		f.addName(kind, fmt.Sprintf(textManyImages, protocol.MaxResultImages))
		return nil
	}
	shown, err := f.Pictures.ShowPicture(ctx, data)
	if err != nil {
		return err
	}
	f.addName(kind+", "+shown.Size+" pixels", "")
	return f.show(ctx, shown)
}

// show adds a picture to the result.
func (f *reading) show(ctx context.Context, shown images.ShownPicture) error {
	ref, err := f.Blobs.StoreBlob(ctx, bytes.NewReader(shown.Data), protocol.MaxImageBytes)
	if err != nil {
		return hostError{fmt.Errorf("keep a picture of %d bytes: %w", len(shown.Data), err)}
	}
	f.imageRoom--
	f.result.Parts = append(f.result.Parts, protocol.ContentPart{Image: &protocol.Image{
		BlobRef: ref, MediaType: shown.MediaType, Width: shown.Width, Height: shown.Height,
	}})
	return nil
}

// base returns the file's name without its folder, and dir the folder.
func (f *reading) base() string { return path.Base(f.path) }
func (f *reading) dir() string  { return path.Dir(f.path) }
