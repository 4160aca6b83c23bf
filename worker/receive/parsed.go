package receive

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"mews/protocol"
	"mews/protocol/amount"
	"mews/worker/parse"
	"mews/worker/workspace"
)

// parseAs returns a reader for files that a parser of this kind reads.
func parseAs(kind parse.Kind) readFunc {
	return func(ctx context.Context, f *reading) error {
		if f.Programs == nil {
			return errors.New(textNoParsers)
		}
		file, err := f.reopen()
		if err != nil {
			return err
		}
		defer file.Close() // a failed Close loses nothing, because the file was only read
		p := &parsed{reading: f}
		defer p.close()
		if err := parse.RunParser(ctx, f.Programs, kind, file, p.open); err != nil {
			return err
		}
		return p.add()
	}
}

// parseText returns a reader for markup. If the parser can't read the file, its bytes are shown as
// they are.
func parseText(kind parse.Kind) readFunc {
	return func(ctx context.Context, f *reading) error {
		err := parseAs(kind)(ctx, f)
		if errors.As(err, new(*parse.Failure)) || errors.Is(err, errNoText) {
			return readText(ctx, f)
		}
		return err
	}
}

// parsed is the result of a parser for a file.
type parsed struct {
	*reading
	header parse.Header
	list   bytes.Buffer // the names of an archive's files
	text   *extractedText
	files  []keptFile
}

// keptFile is an attachment of a mail.
type keptFile struct {
	parse.Attachment
	draft *workspace.Draft
}

// open returns the Writer for the body of an answer.
func (p *parsed) open(h parse.Header) (_ io.Writer, err error) {
	if p.header = h; h.Names != nil {
		return &p.list, nil
	}
	if p.text, err = p.newExtract(); err != nil {
		return nil, err
	}
	if h.Format != parse.FormatMail {
		return p.text, nil
	}
	body := &sectionWriter{parts: []section{{p.text, h.Text}}}
	for _, file := range h.Files {
		draft, err := p.Home.NewDraft(p.dir(), file.Size)
		if err != nil {
			return nil, err
		}
		p.files = append(p.files, keptFile{file, draft})
		body.parts = append(body.parts, section{draft, file.Size})
	}
	return body, nil
}

// close deletes the files that were not kept.
func (p *parsed) close() {
	if p.text != nil {
		p.text.close()
	}
	for _, file := range p.files {
		_ = file.draft.Close()
	}
}

// add adds the contents of the file to the result.
func (p *parsed) add() error {
	kind := cmp.Or(formatNames[p.header.Format], kindName(p.reading))
	switch {
	case p.header.Format == parse.FormatGzip:
		p.addName(kind, "")
		return nil
	case p.header.Names != nil:
		p.addList(kind)
		return nil
	}
	more, err := p.keepFiles()
	if err != nil {
		return err
	}
	if len(more) > p.textRoom {
		more = fmt.Sprintf(textAttachmentsKept, len(p.files))
	}
	p.textRoom -= min(len(more), p.textRoom)
	return p.quote(kind, p.text, more)
}

// keepFiles keeps the attachments of a mail beside it, and returns a sentence with their paths.
func (p *parsed) keepFiles() (string, error) {
	var paths []string
	for _, file := range p.files {
		path, err := file.draft.CommitAs(protocol.SafeFileName(p.base() + "-" + protocol.SafeFileName(file.Name)))
		if err != nil {
			return "", err
		}
		paths = append(paths, path+" ("+amount.FormatBytes(file.Size)+")")
	}
	var sentences []string
	if len(paths) > 0 {
		sentences = append(sentences, fmt.Sprintf(textAttachments, strings.Join(paths, ", ")))
	}
	if p.header.LeftOut > 0 {
		sentences = append(sentences, fmt.Sprintf(textAttachmentsLeft, p.header.LeftOut))
	}
	return strings.Join(sentences, " "), nil
}

// addList quotes the names of an archive.
func (p *parsed) addList(kind string) {
	text, rest, n := p.list.String(), "", p.header.Names
	switch {
	case p.textRoom < len(text):
		p.addName(kind, textNoRoom)
		return
	case n.Broken:
		rest = "[" + textBroken + "]"
	case n.More:
		rest = "[" + textMoreNames + "]"
	case n.Left > 0:
		rest = "[" + fmt.Sprintf(textMoreOf, amount.FormatNumber(int64(n.Left))) + "]"
	}
	p.addQuote(kind+" with "+amount.Plural(n.Count, "name", "names"), text, rest)
}

// section is a part of a body, and the number of its bytes.
type section struct {
	to   io.Writer
	left int64
}

// sectionWriter writes the parts of a body one after the other.
type sectionWriter struct{ parts []section }

func (s *sectionWriter) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 {
		for len(s.parts) > 0 && s.parts[0].left == 0 {
			s.parts = s.parts[1:]
		}
		if len(s.parts) == 0 {
			return 0, errors.New(textDamaged)
		}
		now := &s.parts[0]
		take := p[:min(int64(len(p)), now.left)]
		if _, err := now.to.Write(take); err != nil {
			return 0, err
		}
		now.left -= int64(len(take))
		p = p[len(take):]
	}
	return n, nil
}
