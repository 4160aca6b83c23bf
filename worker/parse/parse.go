// Package parse runs the parsers of untrusted files, and speaks with them. Each parser is a child
// process of the worker: mews-worker parse KIND. The child has the walls of a tool's program, and
// no folder at all. It reads the file from standard input. Standard output gets a Header on one
// line, and then the body. A child that fails writes a Failure to standard error.
//
// A child may be under the control of the file that it reads. So its Header is checked, its body is
// bounded, and its Failure chooses one of the texts of this package.
package parse

import (
	"errors"
	"slices"
	"strings"
	"time"
	"unicode"

	"mews/protocol"
)

// Kind is the kind of a parser.
type Kind string

const (
	KindZip      Kind = "zip" // office documents, books, and other ZIP archives
	KindTar      Kind = "tar"
	KindGzip     Kind = "gzip" // a compressed tar, or another compressed file
	KindHTML     Kind = "html"
	KindRTF      Kind = "rtf"
	KindNotebook Kind = "notebook" // a Jupyter notebook
	KindMail     Kind = "mail"
	KindPicture  Kind = "picture"
	KindPage     Kind = "page"     // a page or text of the web; a PageInput comes before it
	KindCalendar Kind = "calendar" // iCalendar
)

// Bounds of a parser.
const (
	Timeout   = 20 * time.Second
	MaxMemory = 256 << 20 // bytes of a parser's data segment
	// MaxPictureMemory bounds the parser of pictures, in bytes. The size of a picture is known and
	// checked before it is decoded, and 50 million pixels need more than MaxMemory.
	MaxPictureMemory = 768 << 20
	MaxOutput        = 20 << 20 // bytes of the body that a parser writes
	maxHeader        = 64 << 10 // bytes of the line with the header
)

// ParserMemory returns the memory that the parser of a kind may use, in bytes.
func ParserMemory(k Kind) int64 {
	if k == KindPicture {
		return MaxPictureMemory
	}
	return MaxMemory
}

// Format is the format that a parser has found.
type Format string

const (
	FormatWord         Format = "word"
	FormatSheet        Format = "sheet"
	FormatSlides       Format = "slides"
	FormatOpenDocument Format = "open-document"
	FormatEPUB         Format = "book" // an EPUB book
	FormatHTML         Format = "html"
	FormatRTF          Format = "rtf"
	FormatNotebook     Format = "notebook"
	FormatMail         Format = "mail"
	FormatPicture      Format = "picture"
	FormatPage         Format = "page"     // the main part of a page as Markdown
	FormatText         Format = "text"     // text as it is, in UTF-8
	FormatZip          Format = "zip"      // a ZIP archive; the body is the list of its names
	FormatTar          Format = "tar"      // a tar archive; the body is the list of its names
	FormatTarGzip      Format = "tar-gz"   // a compressed tar archive; the body is the list of its names
	FormatGzip         Format = "gzip"     // no body: the compressed file is no archive
	FormatCalendar     Format = "calendar" // the events and zones alone, as iCalendar
)

const (
	MaxMailAttachments = 20            // maximum number of files in a mail
	maxFileName        = 1 << 10       // bytes of an attachment's name, which may have any characters
	maxTitle           = 512           // bytes of a page's title
	maxEdge            = 1_000_000_000 // maximum number of pixels of a picture's edge
)

// Header describes the body of a parser's output.
type Header struct {
	Format Format `json:"format"`
	// Text is the number of the body's bytes that are text, before the Files. 0 without Files means
	// the whole body.
	Text    int64         `json:"text,omitempty"`
	Files   []Attachment  `json:"files,omitempty"` // the attachments of a mail, in the order of the body
	LeftOut int           `json:"left_out,omitempty"`
	Names   *ArchiveNames `json:"names,omitempty"`   // set for an archive, whose body is the list of its names
	Picture *Picture      `json:"picture,omitempty"` // set for a picture, whose body is the picture for the model
	Title   string        `json:"title,omitempty"`   // title of a page, one line
}

// Attachment is a file within the parsed file.
type Attachment struct {
	Name string `json:"name"` // file name, which may have any characters
	Size int64  `json:"size"` // size of the attachment in bytes
}

// ArchiveNames counts the names of an archive.
type ArchiveNames struct {
	Count  int  `json:"count"`
	Left   int  `json:"left,omitempty"`   // number of names that are not in the list
	More   bool `json:"more,omitempty"`   // there may be more names than Count
	Broken bool `json:"broken,omitempty"` // the list ends at damage in the archive
}

// Picture describes a picture for the model.
type Picture struct {
	MediaType string `json:"media_type"`
	Width     int    `json:"width"`
	Height    int    `json:"height"`
	// Format is the format of the file, such as PNG. FileWidth and FileHeight are the size of the
	// picture in the file.
	Format     string `json:"format"`
	FileWidth  int    `json:"file_width"`
	FileHeight int    `json:"file_height"`
}

// formats are the formats that the parser of each kind may find.
var formats = map[Kind][]Format{
	KindZip:  {FormatWord, FormatSheet, FormatSlides, FormatOpenDocument, FormatEPUB, FormatZip},
	KindTar:  {FormatTar},
	KindGzip: {FormatTarGzip, FormatGzip},
	KindHTML: {FormatHTML}, KindRTF: {FormatRTF}, KindNotebook: {FormatNotebook}, KindMail: {FormatMail},
	KindPicture: {FormatPicture}, KindPage: {FormatPage, FormatText}, KindCalendar: {FormatCalendar},
}

var errHeader = errors.New("its reader answers in an unknown way")

// Validate returns an error for a header that no honest parser of a kind writes.
func (h Header) Validate(k Kind) error {
	lists := h.Format == FormatZip || h.Format == FormatTar || h.Format == FormatTarGzip
	switch {
	case !slices.Contains(formats[k], h.Format), h.Text < 0, h.Text > MaxOutput, h.LeftOut < 0:
		return errHeader
	case len(h.Files) > MaxMailAttachments,
		len(h.Files) > 0 && h.Format != FormatMail,
		slices.ContainsFunc(h.Files, Attachment.invalid):
		return errHeader
	case lists != (h.Names != nil), lists && min(h.Names.Count, h.Names.Left) < 0:
		return errHeader
	case len(h.Title) > maxTitle, h.Title != "" && h.Format != FormatPage,
		strings.ContainsFunc(h.Title, unicode.IsControl):
		return errHeader
	case (h.Format == FormatPicture) != (h.Picture != nil), h.Picture != nil && !h.Picture.valid():
		return errHeader
	}
	return nil
}

func (f Attachment) invalid() bool {
	return f.Size < 0 || f.Size > MaxOutput || len(f.Name) > maxFileName
}

// pictureFormats are the names of the formats of pictures.
var pictureFormats = []string{"PNG", "JPEG", "GIF", "WebP", "BMP", "TIFF"}

func (p Picture) valid() bool {
	_, known := protocol.ImageTypes[p.MediaType]
	edges := []int{p.Width, p.Height, p.FileWidth, p.FileHeight}
	return known && slices.Contains(pictureFormats, p.Format) && slices.Min(edges) > 0 && slices.Max(edges) <= maxEdge
}
