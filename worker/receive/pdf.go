package receive

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"

	"mews/worker/parse"
	"mews/worker/tool/images"
)

const (
	maxPages    = 4       // maximum number of pages that are shown as pictures
	maxRendered = 8 << 20 // maximum bytes of a page's picture
	pageEdge    = "1568"  // pixels of the picture's longest edge; larger pictures would be scaled down for the model
)

// readPDF quotes a PDF's text. If the PDF has no text, readPDF shows the first pages.
func readPDF(ctx context.Context, f *reading) error {
	err := f.extract(f.kind, func(w io.Writer) error {
		return f.runReader(ctx, w, parse.MaxMemory, "pdftotext", "-enc", "UTF-8", "-", "-")
	})
	if errors.Is(err, errNoText) {
		return f.showPages(ctx)
	}
	return err
}

// showPages shows the first pages of a PDF, as long as pictures may be shown.
func (f *reading) showPages(ctx context.Context) error {
	var pages []images.ShownPicture
	var failed error
	for page := 1; page <= min(maxPages, f.imageRoom); page++ {
		n, data := strconv.Itoa(page), &boundedBuffer{most: maxRendered}
		failed = f.runReader(ctx, data, parse.MaxPictureMemory, "pdftoppm", "-jpeg", "-scale-to", pageEdge, "-f", n,
			"-l", n, "-")
		if failed != nil {
			break // a page after the last page makes the program fail
		}
		shown, err := f.Pictures.ShowPicture(ctx, &data.taken)
		if err != nil {
			failed = err
			break
		}
		pages = append(pages, shown)
	}
	if len(pages) == 0 && failed != nil {
		return failed
	}
	f.addName(f.kind, fmt.Sprintf(textPages, len(pages)))
	for _, shown := range pages {
		if err := f.show(ctx, shown); err != nil {
			return err
		}
	}
	return nil
}

// boundedBuffer takes a bounded number of bytes. A Write beyond the bound fails.
type boundedBuffer struct {
	taken bytes.Buffer
	most  int
}

func (b *boundedBuffer) Write(p []byte) (int, error) {
	if b.taken.Len()+len(p) > b.most {
		return 0, errors.New(textTooMuch)
	}
	return b.taken.Write(p)
}
