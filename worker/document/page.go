package document

import (
	"bufio"
	"io"

	"mews/worker/page"
	"mews/worker/parse"
)

// parsePage writes the main part of a page as Markdown, or a text as it is, in UTF-8. The line
// before the body says what it is.
func parsePage(f source, out *output) error {
	in, address, offset, err := parse.ReadPageInput(f.reader())
	if err != nil {
		return err
	}
	body := func() (io.Reader, error) {
		from := bufio.NewReader(io.NewSectionReader(f, offset, f.size-offset))
		head, err := from.Peek(maxMeta)
		if err != nil && err != io.EOF {
			return nil, err
		}
		return pageEncoding(head, in.Charset).NewDecoder().Reader(from), nil
	}
	from, err := body()
	if err != nil {
		return err
	}
	if !parse.IsPage(in.MediaType) {
		if err := out.header(parse.Header{Format: parse.FormatText}); err != nil {
			return err
		}
		_, err = io.Copy(out, from)
		return err
	}
	found, err := page.Convert(from, address)
	if err != nil { // its elements are nested too deeply for a tree
		return parsePlainPage(body, out)
	}
	if err := out.header(parse.Header{Format: parse.FormatPage, Title: found.Title}); err != nil {
		return err
	}
	_, err = out.Write(found.Markdown)
	return err
}

// parsePlainPage writes all text of a page, without a tree of its elements.
func parsePlainPage(body func() (io.Reader, error), out *output) error {
	from, err := body()
	if err != nil {
		return err
	}
	if err := out.header(parse.Header{Format: parse.FormatPage}); err != nil {
		return err
	}
	return writeTokens(from, &lines{to: out})
}
