package receive

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"

	"mews/worker"
	"mews/worker/parse"
	"mews/worker/workspace"
)

// maxExtracted bounds the extracted text of a file, in bytes.
const maxExtracted = parse.MaxOutput

var (
	errFull   = errors.New("more text than is taken")
	errNoText = errors.New(textNoText)
)

// extract quotes the beginning of the text that write extracts from the file, and stores the whole
// text in another file beside it. The error is errNoText if the file has no text.
func (f *reading) extract(kind string, write func(io.Writer) error) error {
	x, err := f.newExtract()
	if err != nil {
		return err
	}
	defer x.close()
	switch err := write(x); {
	case x.err != nil && !errors.Is(x.err, errFull): // this error ended write, even if write returns another error
		return x.err
	case err != nil && x.err == nil && !errors.Is(err, errFull):
		return err
	}
	return f.quote(kind, x, "")
}

// extractedText is a text that is extracted from a file.
type extractedText struct {
	draft *workspace.Draft
	to    *bufio.Writer
	head  []byte // beginning of the text, at most maxExtract bytes
	size  int
	seen  bool  // whether some of the text was not blank
	err   error // first error of a Write
}

// newExtract begins the extracted text of the file. The caller closes it.
func (f *reading) newExtract() (*extractedText, error) {
	draft, err := f.Home.NewDraft(f.dir(), 0)
	if err != nil {
		return nil, err
	}
	return &extractedText{draft: draft, to: bufio.NewWriter(draft)}, nil
}

// close removes the text if it was not kept.
func (t *extractedText) close() { _ = t.draft.Close() }

// quote stores the extracted text beside the file, and quotes its beginning. more is a line below
// the quote.
func (f *reading) quote(kind string, x *extractedText, more string) error {
	if !x.seen {
		return errNoText
	}
	if err := x.to.Flush(); err != nil {
		return err
	}
	rest, err := f.keepText(x.draft, x.err != nil || x.size == maxExtracted)
	if err != nil {
		return err
	}
	if f.textRoom < minShown {
		f.addName(kind, strings.TrimSpace(textNoRoom+". "+rest+" "+more))
		return nil
	}
	f.addQuote(
		kind,
		string(worker.TrimPartialRune(x.head[:min(len(x.head), f.textRoom)])),
		"["+strings.TrimSpace(rest+" "+more)+"]",
	)
	return nil
}

// keepText stores the draft of the file's text, and returns a sentence with its path.
func (f *reading) keepText(draft *workspace.Draft, cut bool) (string, error) {
	path, err := draft.CommitAs(f.base() + ".txt")
	if err != nil {
		return "", err
	}
	if cut {
		return fmt.Sprintf(textBeginsIn, maxExtracted>>20, path), nil
	}
	return fmt.Sprintf(textAllIn, path), nil
}

func (t *extractedText) Write(p []byte) (int, error) {
	if t.err == nil && t.size+len(p) > maxExtracted {
		t.err = errFull
	}
	if t.err != nil {
		return 0, t.err
	}
	t.head = append(t.head, p[:min(len(p), maxExtract-len(t.head))]...)
	t.seen = t.seen || strings.ContainsFunc(string(p), func(r rune) bool { return !unicode.IsSpace(r) })
	t.size += len(p)
	var n int
	n, t.err = t.to.Write(p)
	return n, t.err
}
