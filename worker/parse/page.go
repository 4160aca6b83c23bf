package parse

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"mime"
	"net/url"
	"strings"

	"mews/protocol"
)

// PageInput is the line before the body for a parser of KindPage.
type PageInput struct {
	Address   string `json:"address"`    // address of the page, to which its links are relative
	MediaType string `json:"media_type"` // media type without parameters; "" means unknown
	Charset   string `json:"charset"`    // character encoding that the server names; "" means none
}

// maxPageInput bounds the line with the PageInput, in bytes.
const maxPageInput = 64 << 10

// ReadPageInput reads the line before a body. It returns the body's offset.
func ReadPageInput(from io.Reader) (in PageInput, address *url.URL, offset int64, err error) {
	head, err := io.ReadAll(io.LimitReader(from, maxPageInput))
	if err != nil {
		return in, nil, 0, err
	}
	line, _, found := bytes.Cut(head, []byte("\n"))
	if !found {
		return in, nil, 0, NewFailure(ReasonDamaged)
	}
	if err := protocol.DecodeStrict(line, &in); err != nil {
		return in, nil, 0, err
	}
	address, err = url.Parse(in.Address)
	if err == nil && (address.Scheme != "http" && address.Scheme != "https" || address.Host == "") {
		err = NewFailure(ReasonDamaged)
	}
	return in, address, int64(len(line) + 1), err
}

// IsPage reports whether a media type is that of a web page.
func IsPage(mediaType string) bool {
	return mediaType == "text/html" || mediaType == "application/xhtml+xml"
}

// IsText reports whether people can read a body of a media type as it is.
func IsText(mediaType string) bool {
	mediaType, _, err := mime.ParseMediaType(mediaType)
	if err != nil {
		return false
	}
	kind, name, _ := strings.Cut(mediaType, "/")
	switch name {
	case "json", "xml", "yaml", "x-yaml", "toml", "javascript", "x-javascript", "ecmascript", "x-sh", "sql", "csv",
		"x-ndjson", "ndjson", "jsonl":
		return true
	}
	return kind == "text" || strings.HasSuffix(name, "+json") || strings.HasSuffix(name, "+xml") ||
		strings.HasSuffix(name, "+yaml")
}

// Page is what a parser of KindPage found.
type Page struct {
	Title string // "" if the page has none
	Text  []byte // Markdown of a page, or a text as it is
}

// ConvertPage makes text of a page or a text of the web in a child process. The error is a
// *Failure, or the cause of ctx.
func ConvertPage(ctx context.Context, programs Programs, in PageInput, file io.Reader) (Page, error) {
	line, err := json.Marshal(in)
	if err != nil {
		return Page{}, err
	}
	var body bytes.Buffer
	var page Page
	whole := io.MultiReader(bytes.NewReader(append(line, '\n')), file)
	err = RunParser(ctx, programs, KindPage, whole, func(h Header) (io.Writer, error) {
		page.Title = h.Title
		return &body, nil
	})
	page.Text = bytes.ToValidUTF8(bytes.TrimPrefix(body.Bytes(), []byte("\ufeff")), []byte("\uFFFD"))
	return page, err
}
