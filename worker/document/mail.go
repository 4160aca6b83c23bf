package document

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/emersion/go-message"

	"mews/protocol"
	"mews/protocol/amount"
	"mews/worker/parse"
)

// Bounds of a mail.
const (
	maxMailHeader = 1 << 20 // maximum bytes of one header
	maxMailText   = 4 << 20 // maximum bytes of all texts of a mail
	maxMailParts  = 500     // maximum number of parts of a mail, including nested parts
	maxMailDepth  = 20      // maximum depth of nested parts of a mail
)

// parseMail writes the headers of a mail for people, its text and the list of its attachments, and
// then the attachments.
func parseMail(f source, out *output) error {
	useEncodings()
	e, err := message.ReadWithOptions(f.reader(), &message.ReadOptions{MaxHeaderBytes: maxMailHeader})
	if err := readable(e, err); err != nil {
		return err
	}
	if e.Header.Len() == 0 {
		return parse.NewFailure(parse.ReasonDamaged)
	}
	m := &mailReader{left: parse.MaxOutput - maxMailText - 1<<20}
	var text bytes.Buffer
	writeMailHeader(e.Header, &text)
	body, err := m.read(e, 0)
	if err != nil {
		return err
	}
	text.WriteString("\n" + strings.Trim(body, "\n") + "\n")
	m.writeList(&text)
	h := parse.Header{Format: parse.FormatMail, Text: int64(text.Len()), LeftOut: m.leftOut}
	for _, file := range m.files {
		h.Files = append(h.Files, parse.Attachment{Name: file.name, Size: int64(len(file.data))})
	}
	if err := out.header(h); err != nil {
		return err
	}
	_, err = out.Write(text.Bytes())
	for _, file := range m.files {
		if err == nil {
			_, err = out.Write(file.data)
		}
	}
	return err
}

// readable returns nil for a part that can be read, even if its encoding or character set is not
// known.
func readable(e *message.Entity, err error) error {
	if e != nil && (err == nil || message.IsUnknownCharset(err) || message.IsUnknownEncoding(err)) {
		return nil
	}
	return parse.NewFailure(parse.ReasonDamaged)
}

// writeMailHeader writes the header fields that people read.
func writeMailHeader(h message.Header, text *bytes.Buffer) {
	for _, name := range []string{"From", "To", "Cc", "Reply-To", "Date", "Subject"} {
		value, err := h.Text(name)
		if err != nil {
			value = h.Get(name)
		}
		if value = strings.Join(strings.Fields(value), " "); value != "" {
			fmt.Fprintf(text, "%s: %s\n", name, value)
		}
	}
}

// mailReader reads the parts of a mail.
type mailReader struct {
	files   []mailFile
	leftOut int // number of attachments that are too large or too many
	names   []string
	left    int // bytes that further attachments may have
	parts   int
	text    int // bytes of text read so far
}

type mailFile struct {
	name string
	data []byte
}

// read returns the text of a part, and keeps the attachments in it.
func (m *mailReader) read(e *message.Entity, depth int) (string, error) {
	if m.parts++; m.parts > maxMailParts || depth > maxMailDepth {
		return "", parse.NewFailure(parse.ReasonTooMuchContent)
	}
	kind, _, _ := e.Header.ContentType() // an unreadable type counts as text/plain (RFC 2045, 5.2)
	if list := e.MultipartReader(); list != nil {
		defer list.Close()
		return m.readParts(list, kind == "multipart/alternative", depth)
	}
	disposition, _, _ := e.Header.ContentDisposition()
	name := fileName(e.Header)
	isText := kind == "" || kind == "text/plain" || kind == "text/html"
	if disposition == "attachment" || name != "" || !isText {
		return "", m.keep(e, kind, name)
	}
	return m.readText(e, kind)
}

// fileName returns the name of a part's file; "" if the part names no file. In older mails
// Content-Type has the name.
func fileName(h message.Header) string {
	_, disposition, _ := h.ContentDisposition()
	_, kind, _ := h.ContentType()
	return cmp.Or(disposition["filename"], kind["name"])
}

// readParts returns the texts of all parts. Of alternatives it returns only the first plain text,
// or else the first text.
func (m *mailReader) readParts(list message.MultipartReader, alternatives bool, depth int) (string, error) {
	var texts []string
	plain := ""
	for {
		part, err := list.NextPart()
		if err == io.EOF || err != nil && part == nil { // a truncated mail is read up to its end
			break
		}
		text, err := m.read(part, depth+1)
		if err != nil {
			return "", err
		}
		if strings.TrimSpace(text) == "" {
			continue
		}
		texts = append(texts, text)
		if kind, _, _ := part.Header.ContentType(); plain == "" && (kind == "text/plain" || kind == "") {
			plain = text
		}
	}
	switch {
	case !alternatives || len(texts) == 0:
		return strings.Join(texts, "\n\n"), nil
	case plain != "":
		return plain, nil
	}
	return texts[0], nil
}

// readText returns the text of a part in UTF-8.
func (m *mailReader) readText(e *message.Entity, kind string) (string, error) {
	from := io.LimitReader(e.Body, int64(maxMailText-m.text))
	var text bytes.Buffer
	var err error
	switch _, parameters, _ := e.Header.ContentType(); {
	case kind != "text/html":
		_, err = text.ReadFrom(from)
	case encodingOf(parameters["charset"]) != nil: // the text is UTF-8 already
		err = writeTokens(from, &lines{to: &text})
	default:
		err = writeHTML(from, "", &lines{to: &text})
	}
	m.text += text.Len()
	if err != nil && text.Len() == 0 {
		return "", err
	}
	return strings.ToValidUTF8(strings.ReplaceAll(text.String(), "\r\n", "\n"), "\uFFFD"), nil
}

// endings are the endings of attachments without a name.
var endings = map[string]string{
	"message/rfc822":  "message.eml",
	"text/calendar":   "invitation.ics",
	"text/html":       "text.html",
	"image/png":       "picture.png",
	"image/jpeg":      "picture.jpg",
	"image/gif":       "picture.gif",
	"application/pdf": "document.pdf",
}

// keep keeps an attachment, unless it is too large.
func (m *mailReader) keep(e *message.Entity, kind, name string) error {
	if name == "" {
		if name = endings[kind]; name == "" {
			name = "attachment"
		}
	}
	name = protocol.SafeFileName(name)
	data, err := io.ReadAll(io.LimitReader(e.Body, int64(m.left)+1))
	if len(data) > m.left || len(m.files) == parse.MaxMailAttachments {
		m.leftOut++
		m.names = append(m.names, fmt.Sprintf(textTooLarge, name))
		return nil
	}
	if err != nil && len(data) == 0 {
		return nil // leave out a part that can't be decoded
	}
	m.left -= len(data)
	m.files = append(m.files, mailFile{name, data})
	m.names = append(m.names, name+" ("+amount.FormatBytes(int64(len(data)))+")")
	return nil
}

// writeList lists the attachments.
func (m *mailReader) writeList(text *bytes.Buffer) {
	if len(m.names) == 0 {
		return
	}
	text.WriteString("\n" + textAttachments + "\n")
	for _, name := range m.names {
		text.WriteString("- " + name + "\n")
	}
}
