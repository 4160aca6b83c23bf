// Package document has the parsers of untrusted files: office documents, books, mails, archives,
// pictures and others. Each runs in a process of its own; package parse says how.
//
//	document.go  the table of parsers, and the main function of such a process
//	archive.go   ZIP and tar archives, and their lists of names
//	office.go    Word, PowerPoint, OpenDocument and Jupyter notebooks: text and tables
//	sheet.go     Excel
//	html.go      HTML; book.go and mail.go use it too
//	page.go      pages of the web
//	rtf.go       RTF
//	calendar.go  iCalendar
package document

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"mews/worker/parse"
	"mews/worker/tool/images"
)

// A parser reads a file and writes its answer.
type parser func(f source, out *output) error

// parsers are the parsers of all kinds.
var parsers = map[parse.Kind]parser{
	parse.KindZip:      parseZip,
	parse.KindTar:      parseTar,
	parse.KindGzip:     parseGzip,
	parse.KindHTML:     parseHTML,
	parse.KindRTF:      parseRTF,
	parse.KindNotebook: parseNotebook,
	parse.KindMail:     parseMail,
	parse.KindPicture:  parsePicture,
	parse.KindPage:     parsePage,
	parse.KindCalendar: parseCalendar,
}

// Main parses the file on standard input, and returns the process's exit status. limit limits this
// process; nil limits nothing.
func Main(kind string, limit func(parse.Kind) error) int {
	k := parse.Kind(kind)
	run, known := parsers[k]
	err := error(nil)
	switch {
	case !known:
		err = fmt.Errorf("parse %.40q: there is no such parser", kind)
	case limit != nil:
		err = limit(k)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	debug.SetMemoryLimit(parse.ParserMemory(k) / 2) // collect garbage early, well below the limit
	if err := runParser(run, os.Stdin, os.Stdout); err != nil {
		_ = json.NewEncoder(os.Stderr).Encode(failureOf(err)) // the error only means that nobody waits for the failure
		return 1
	}
	return 0
}

// runParser runs a parser on an open file. A panic is an error, because the file may cause it.
func runParser(run parser, in *os.File, to io.Writer) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = parse.NewFailure(parse.ReasonDamaged)
		}
	}()
	f, err := openSource(in)
	if err != nil {
		return err
	}
	out := newOutput(to)
	if err := run(f, out); err != nil && !errors.Is(err, errFull) {
		return err
	}
	return out.to.Flush()
}

// failureOf returns the failure that an error means.
func failureOf(err error) *parse.Failure {
	var failed *parse.Failure
	if errors.As(err, &failed) {
		return failed
	}
	return parse.NewFailure(parse.ReasonDamaged)
}

// source is the file to parse.
type source struct {
	io.ReaderAt
	size int64 // size of the file in bytes
}

// maxPiped bounds a file that comes through a pipe, in bytes. Such a file is held in memory.
const maxPiped = 64 << 20

// openSource returns the file, or the bytes that come through a pipe.
func openSource(in *os.File) (source, error) {
	info, err := in.Stat()
	if err != nil {
		return source{}, err
	}
	if info.Mode().IsRegular() {
		return source{in, info.Size()}, nil
	}
	data, err := io.ReadAll(io.LimitReader(in, maxPiped+1))
	if err == nil && len(data) > maxPiped {
		err = parse.NewFailure(parse.ReasonTooMuchContent)
	}
	return source{bytes.NewReader(data), int64(len(data))}, err
}

// reader reads the file from its beginning.
func (f source) reader() io.Reader { return io.NewSectionReader(f, 0, f.size) }

// maxWhole bounds a file that is read as a whole into memory, in bytes.
const maxWhole = 32 << 20

// whole returns all bytes of the file.
func (f source) whole() ([]byte, error) {
	if f.size > maxWhole {
		return nil, parse.NewFailure(parse.ReasonTooMuchContent)
	}
	return io.ReadAll(f.reader())
}

// errFull ends a parser once its output is full. The output so far is valid.
var errFull = errors.New("more than is taken")

// output is the answer of a parser: a header and a body of at most parse.MaxOutput bytes.
type output struct {
	to   *bufio.Writer
	size int
}

func newOutput(to io.Writer) *output { return &output{to: bufio.NewWriterSize(to, 64<<10)} }

// header writes the header, which comes before the body.
func (o *output) header(h parse.Header) error {
	line, err := json.Marshal(h)
	if err == nil {
		_, err = o.to.Write(append(line, '\n'))
	}
	return err
}

func (o *output) Write(p []byte) (int, error) {
	room := parse.MaxOutput - o.size
	n, err := o.to.Write(p[:min(len(p), room)])
	o.size += n
	if err == nil && n < len(p) {
		err = errFull
	}
	return n, err
}

// lines writes strings, and keeps its first error.
type lines struct {
	to  io.Writer
	err error
}

func (l *lines) add(text string) {
	if l.err == nil && text != "" {
		_, l.err = io.WriteString(l.to, text)
	}
}

// text returns a function that writes the header of a format whose body is text, and returns the
// lines of the body.
func (o *output) text(format parse.Format) (*lines, error) {
	return &lines{to: o}, o.header(parse.Header{Format: format})
}

// parsePicture makes the picture for the model.
func parsePicture(f source, out *output) error {
	p, data, err := images.Convert(context.Background(), f.reader())
	if err != nil {
		return err
	}
	if err := out.header(parse.Header{Format: parse.FormatPicture, Picture: &p}); err != nil {
		return err
	}
	_, err = out.Write(data)
	return err
}
