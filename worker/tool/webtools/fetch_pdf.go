package webtools

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"mews/worker/parse"
	"mews/worker/program"
)

// readPDF reads the text of a PDF.
func (f *fetcher) readPDF(ctx context.Context, body io.Reader) (p fetched, err error) {
	if f.Programs == nil {
		return p, errors.New(textNoParsers)
	}
	in, end, err := os.Pipe()
	if err != nil {
		return p, err
	}
	copied := make(chan struct{})
	go func() {
		defer close(copied)
		_, _ = io.Copy(end, body) // Copy fails if the program stops reading; the program then says why
		_ = end.Close()
	}()
	text := &limitedBuffer{}
	err = f.Programs.Run(ctx, program.Program{Name: "pdftotext", Reader: true,
		Args: []string{"-enc", "UTF-8", "-", "-"}, Stdin: in, Stdout: text, Timeout: parse.Timeout,
		Memory: parse.MaxMemory})
	_ = in.Close()
	<-copied
	var ended *program.ExitError
	switch {
	case text.full:
		err = nil // the beginning is enough
	case errors.Is(err, program.ErrNotInstalled):
		return p, errors.New(textNoPDFProgram)
	case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
		return p, parse.NewFailure(parse.ReasonTimeout)
	case errors.As(err, &ended):
		return p, fmt.Errorf(textPDFUnread, program.DescribeExit(ended.State))
	}
	p.text = string(bytes.ToValidUTF8(bytes.ReplaceAll(text.Bytes(), []byte("\f"), []byte("\n")), []byte("\uFFFD")))
	if len(bytes.TrimSpace(text.Bytes())) == 0 {
		p.note = textPDFWithoutText
	}
	return p, err
}

// limitedBuffer takes the beginning of a text. Its Write fails once that is enough.
type limitedBuffer struct {
	bytes.Buffer
	full bool
}

func (l *limitedBuffer) Write(p []byte) (int, error) {
	if room := maxText + 1 - l.Len(); len(p) > room {
		l.full = true
		l.Buffer.Write(p[:room])
		return 0, errors.New("more text than is taken")
	}
	return l.Buffer.Write(p)
}
