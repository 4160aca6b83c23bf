package main

import (
	"fmt"
	"html"
	"strings"
	"testing"

	"github.com/rivo/uniseg"

	"mews/cmd/mews/chat/chattest"
)

// terminalLines chats with a Mews without a configuration, and returns the lines of the terminal.
func terminalLines(t *testing.T) []chattest.Line {
	t.Helper()
	m := newMews(t)
	m.open(terminalColumns, terminalRows, "run", "--chat")
	for _, line := range []string{
		"remember that I take oolong without sugar",
		"take a note: call Bob on Friday",
		"list my files",
		"/undo show",
		"/undo",
		"run: pwd; cat /etc/shadow",
	} {
		m.say(line)
	}
	m.await("a prompt", func() bool { return strings.HasSuffix(m.terminal.everything(), "\n>") })
	m.terminal.mu.Lock()
	defer m.terminal.mu.Unlock()
	return m.terminal.screen.Lines()
}

// Sizes of the terminal, and of its characters and margins in the picture.
const (
	terminalColumns = 100
	terminalRows    = 48

	columnWidth = 8.4
	rowHeight   = 19
	margin      = 18
	titleHeight = 34
)

// terminalColors are the terminal's colours by number; 0 is the default.
var terminalColors = map[int]string{
	0: "#dce3ec", 31: "#f28b82", 32: "#8fd19e", 33: "#e6c07b", 34: "#8ab4f8", 35: "#d7a6e8", 36: "#6fd0dc",
}

const dimColor = "#8b97a8"

// drawTerminal draws a window with the lines of a terminal, and the cursor after the last line.
func drawTerminal(title string, lines []chattest.Line) string {
	width := int(terminalColumns*columnWidth) + 2*margin
	height := titleHeight + margin + len(lines)*rowHeight + margin
	var p picture
	p.add(`<rect x=".5" y=".5" width="%d" height="%d" rx="10" fill="#1b222d" stroke="#c9d1da"/>`, width-1, height-1)
	p.add(`<path d="M.5 %dV10.5a10 10 0 0 1 10-10H%da10 10 0 0 1 10 10V%[1]dz" fill="#eceff3" stroke="#c9d1da"/>`,
		titleHeight, width-11)
	for i, color := range []string{"#f26d62", "#f2bd4e", "#5fc466"} {
		p.add(`<circle cx="%d" cy="17" r="6" fill="%s"/>`, 20+20*i, color)
	}
	p.add(`<text x="%d" y="22" text-anchor="middle" font-family="%s" font-size="13" fill="#5a6572">%s</text>`,
		width/2, sansSerif, title)
	p.add(`<g font-family="%s" font-size="14" fill="%s" xml:space="preserve">`, monospace, terminalColors[0])
	y, column := titleHeight+margin, 0
	for _, line := range lines {
		y += rowHeight
		var spans string
		if spans, column = drawLine(line); spans != "" {
			p.WriteString(fmt.Sprintf("<text y=\"%d\">%s</text>\n", y-5, spans))
		}
	}
	p.add(`<rect x="%.1f" y="%d" width="8" height="17" fill="%s"/>`,
		margin+float64(column+1)*columnWidth, y-18, dimColor)
	p.WriteString("</g>\n")
	return p.file(width, height, "A chat with Mews in a terminal")
}

// drawLine draws the styled pieces of a line. Each piece begins at its column, whatever the font
// is. columns is the number of columns of the line.
func drawLine(line chattest.Line) (spans string, columns int) {
	line = line[:cellsOf(line)]
	for len(line) > 0 {
		look, n := line[0].Style, 0
		for n < len(line) && line[n].Style == look {
			n++
		}
		text := substitute(line[:n].PaddedText())
		width := uniseg.StringWidth(text)
		if strings.TrimSpace(text) != "" {
			spans += fmt.Sprintf(`<tspan x="%.1f" textLength="%.1f"%s>%s</tspan>`,
				margin+float64(columns)*columnWidth, float64(width)*columnWidth, lookOf(look), html.EscapeString(text))
		}
		columns, line = columns+width, line[n:]
	}
	return spans, columns
}

// cellsOf counts the cells of a line up to the last cell that is not empty.
func cellsOf(line chattest.Line) int {
	n := len(line)
	for n > 0 && strings.TrimSpace(line[n-1].Text) == "" {
		n--
	}
	return n
}

func lookOf(look chattest.Style) (attributes string) {
	switch {
	case look.Color != 0:
		attributes += fmt.Sprintf(` fill="%s"`, terminalColors[look.Color])
	case look.Dim:
		attributes += fmt.Sprintf(` fill="%s"`, dimColor)
	}
	if look.Bold {
		attributes += ` font-weight="bold"`
	}
	if look.Italic {
		attributes += ` font-style="italic"`
	}
	if look.Underline {
		attributes += ` text-decoration="underline"`
	}
	return attributes
}
