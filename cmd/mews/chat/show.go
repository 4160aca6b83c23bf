package chat

import (
	"fmt"
	"io"
	"os"

	"golang.org/x/term"

	"mews/supervisor/markdown"
)

// maxTextWidth is the maximum width of text: longer lines are hard to read.
const maxTextWidth = 100

// ShowMarkdown writes Markdown to w: rendered for a terminal, and otherwise as it is.
func ShowMarkdown(w io.Writer, text string) error {
	if !IsTerminal(w) {
		_, err := fmt.Fprintln(w, text)
		return err
	}
	width := maxTextWidth
	if columns, _, err := term.GetSize(int(w.(*os.File).Fd())); err == nil && columns > 0 {
		width = min(columns, maxTextWidth)
	}
	for _, row := range styleFor(os.Getenv).rows(markdown.RendererForWidth(width).Render(text), "", width) {
		if _, err := fmt.Fprintln(w, row.text); err != nil {
			return err
		}
	}
	return nil
}
