package receive

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"

	"mews/worker"
	"mews/worker/workspace"
)

// maxExtracted bounds the extracted text of a file, in bytes.
const maxExtracted = 32 << 20

var (
	errFull   = errors.New("more text than is taken")
	errNoText = errors.New(textNoText)
)

// extract quotes the beginning of the text that write extracts from the file, and stores the whole
// text in another file beside it. The error is errNoText if the file has no text.
func (f *reading) extract(kind string, write func(io.Writer) error) error {
	draft, err := f.Home.NewDraft(f.dir(), 0)
	if err != nil {
		return err
	}
	defer draft.Close() // removes the draft if it was not kept
	out := bufio.NewWriter(draft)
	text := &extractedText{to: out}
	switch err := write(text); {
	case text.err != nil && !errors.Is(text.err, errFull): // ended write, even if write returns another error
		return text.err
	case err != nil && text.err == nil && !errors.Is(err, errFull):
		return err
	case text.blank():
		return errNoText
	}
	if err := out.Flush(); err != nil {
		return err
	}
	rest, err := f.keepText(draft, text.err != nil)
	if err != nil {
		return err
	}
	if f.textRoom < minShown {
		f.addName(kind, textNoRoom+". "+rest)
		return nil
	}
	f.addQuote(kind, string(worker.TrimPartialRune(text.head[:min(len(text.head), f.textRoom)])), "["+rest+"]")
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

// extractedText passes a text on, and keeps its beginning.
type extractedText struct {
	to   io.Writer
	head []byte // beginning of the text, at most maxExtract bytes
	size int
	seen bool  // some of the text was not blank
	err  error // first error of a Write
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

func (t *extractedText) blank() bool { return !t.seen }

// lines writes strings; its first error stays.
type lines struct {
	ctx context.Context
	to  io.Writer
	err error
}

func (l *lines) add(text string) {
	if l.err == nil && l.ctx.Err() != nil {
		l.err = context.Cause(l.ctx)
	}
	if l.err == nil && text != "" {
		_, l.err = io.WriteString(l.to, text)
	}
}
