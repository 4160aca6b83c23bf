package main

import (
	"cmp"
	"fmt"
	"html"
	"strings"
	"unicode/utf16"

	"mews/supervisor/telegram/telegramtest"
)

// Fonts of the pictures; they come from the machine that shows them.
const (
	sansSerif = "-apple-system,'Segoe UI',Roboto,Helvetica,Arial,'DejaVu Sans',sans-serif"
	monospace = "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace"
)

// Sizes of the chat, its texts and its bubbles.
const (
	chatWidth   = 520
	chatHead    = 58
	bubbleWidth = 400 // width of the widest bubble
	bubblePad   = 12
	textSize    = 15
	textHeight  = 21
	buttonWidth = 300 // width of a row of buttons
	buttonHigh  = 36
)

const chatCaption = "Drawn from the messages of a test: the real Mews, and a server that stands for Telegram."

// styled is a piece of a message in one style, or the end of a line.
type styled struct {
	text string
	textLook
	end bool
}

type textLook struct{ bold, code, quote bool }

// appendStyled appends a piece to a line, and joins the piece with the last piece if the style is
// the same.
func appendStyled(line []styled, s styled) []styled {
	if last := len(line) - 1; last >= 0 && !s.end && !line[last].end && line[last].textLook == s.textLook {
		line[last].text += s.text
		return line
	}
	return append(line, s)
}

// drawChat draws the messages of a chat, oldest first, like a phone.
func drawChat(messages []telegramtest.Message) string {
	var p picture
	y := chatHead + 14
	for _, m := range messages {
		y = p.message(m, y) + 10
	}
	height := y + 38
	var frame picture
	frame.add(`<rect x=".5" y=".5" width="%d" height="%d" rx="14" fill="#d3e4ee" stroke="#b9c8d3"/>`,
		chatWidth-1, height-1)
	frame.add(`<path d="M.5 %dV14.5a14 14 0 0 1 14-14H%da14 14 0 0 1 14 14V%[1]dz" fill="#fff" stroke="#b9c8d3"/>`,
		chatHead, chatWidth-15)
	frame.add(`<g font-family="%s" font-size="%d" fill="#14202b">`, sansSerif, textSize)
	frame.add(`<circle cx="38" cy="29" r="19" fill="#3f8fd0"/>`)
	frame.add(`<text x="38" y="35" text-anchor="middle" font-size="18" font-weight="bold" fill="#fff">M</text>`)
	frame.add(`<text x="68" y="26" font-weight="bold">Mews</text>`)
	frame.add(`<text x="68" y="44" font-size="13" fill="#70808e">bot</text>`)
	frame.WriteString(p.String())
	frame.add(`<text x="%d" y="%d" text-anchor="middle" font-size="11" fill="#5b6f7e">%s</text>`,
		chatWidth/2, height-14, chatCaption)
	frame.WriteString("</g>\n")
	return frame.file(chatWidth, height, "A chat with Mews on Telegram")
}

// message draws a message with its top at y, and returns the y of its end. The bot's messages are
// at the left.
func (p *picture) message(m telegramtest.Message, y int) (end int) {
	lines := wrap(stretches(m), bubbleWidth-2*bubblePad)
	width, height := 0, 2*bubblePad-6
	for _, line := range lines {
		width, height = max(width, widthOf(line)+2*bubblePad), height+heightOf(line)
	}
	if m.Media != "" {
		width, height = 250, 62
	}
	if m.Keyboard != nil {
		width = max(width, buttonWidth)
	}
	x, color := 14, "#ffffff"
	if !m.FromBot {
		x, color = chatWidth-14-width, "#e2f7cf"
	}
	p.add(`<rect x="%d" y="%d" width="%d" height="%d" rx="13" fill="%s"/>`, x, y, width, height, color)
	if m.Media == "voice" {
		p.voice(x, y)
	}
	top := y + bubblePad - 5
	for _, line := range lines {
		if len(line) > 0 {
			p.text(line, x+bubblePad, top, width-2*bubblePad)
		}
		top += heightOf(line)
	}
	y += height
	for _, row := range m.Keyboard {
		y = p.buttons(row, x, y+4, width)
	}
	return y
}

// voice draws a voice message of four seconds: a button and sound waves.
func (p *picture) voice(x, y int) {
	p.add(`<circle cx="%d" cy="%d" r="20" fill="#4fae4e"/>`, x+32, y+31)
	p.add(`<path d="M%d %dl15 9-15 9z" fill="#fff"/>`, x+27, y+22)
	heights := []int{4, 8, 14, 20, 12, 6, 10, 18, 24, 16, 8, 4, 12, 22, 18, 10, 6, 14, 20, 12, 8, 16, 10, 6, 4, 8, 5, 3}
	for i, high := range heights {
		p.add(`<rect x="%d" y="%d" width="3" height="%d" rx="1.5" fill="#4fae4e"/>`, x+64+6*i, y+26-high/2, high)
	}
	p.add(`<text x="%d" y="%d" font-size="12" fill="#5d9a52">0:04</text>`, x+64, y+52)
}

// text draws a line with its top at y. A quoted line has a bar before it.
func (p *picture) text(line []styled, x, y, width int) {
	if line[0].quote {
		p.add(`<path d="M%d %dh%dv%dh-%[3]dz" fill="#e6f1fa"/>`, x-4, y, width+8, textHeight+1)
		p.add(`<path d="M%d %dh3v%dh-3z" fill="#3f8fd0"/>`, x-4, y, textHeight+1)
		x += 6
	}
	fmt.Fprintf(p, `<text x="%d" y="%d">`, x, y+16)
	for _, s := range line {
		look := ""
		if s.bold {
			look += ` font-weight="bold"`
		}
		if s.code {
			look += fmt.Sprintf(` font-family="%s" font-size="14" fill="#2b6ca3"`, monospace)
		}
		if s.quote {
			look += ` font-size="14"`
		}
		if look == "" {
			p.WriteString(html.EscapeString(s.text))
		} else {
			fmt.Fprintf(p, `<tspan%s>%s</tspan>`, look, html.EscapeString(s.text))
		}
	}
	p.WriteString("</text>\n")
}

// buttons draws a row of buttons, and returns the y of its end.
func (p *picture) buttons(row []telegramtest.Button, x, y, width int) (end int) {
	each := (width - 4*(len(row)-1)) / len(row)
	for i, button := range row {
		left := x + i*(each+4)
		p.add(`<rect x="%d" y="%d" width="%d" height="%d" rx="8" fill="#6f93ab" fill-opacity=".75"/>`,
			left, y, each, buttonHigh)
		p.add(`<text x="%d" y="%d" text-anchor="middle" fill="#fff" font-weight="500">%s</text>`,
			left+each/2, y+23, button.Text)
	}
	return y + buttonHigh
}

// stretches cuts a message into styled pieces.
func stretches(m telegramtest.Message) (list []styled) {
	at := 0
	for _, r := range m.Text {
		s := styled{text: string(r), end: r == '\n'}
		for _, e := range m.Entities {
			if e.Offset <= at && at < e.Offset+e.Length {
				s.bold = s.bold || e.Type == "bold"
				s.code = s.code || e.Type == "code" || e.Type == "pre"
				s.quote = s.quote || strings.HasSuffix(e.Type, "blockquote")
			}
		}
		list = appendStyled(list, s)
		at += utf16.RuneLen(r)
	}
	for i := range list {
		list[i].text = substitute(list[i].text)
	}
	return list
}

// wrap breaks lines between words if they are wider than width.
func wrap(list []styled, width int) (lines [][]styled) {
	if len(list) == 0 {
		return nil
	}
	var line []styled
	for _, s := range list {
		if s.end {
			lines, line = append(lines, line), nil
			continue
		}
		for word := range strings.SplitAfterSeq(s.text, " ") {
			piece := styled{text: word, textLook: s.textLook}
			if len(line) > 0 && widthOf(line)+widthOf([]styled{piece}) > width {
				lines, line = append(lines, line), nil
			}
			line = appendStyled(line, piece)
		}
	}
	return append(lines, line)
}

// heightOf returns the height of a line.
func heightOf(line []styled) int {
	if len(line) == 0 {
		return textHeight / 2
	}
	return textHeight
}

// letterWidths are the widths of letters in usual fonts, in thousandths of the font size.
var letterWidths = map[string]int{"ijl.,:;'|!()[]/ft ": 340, "mwMW@%": 900, "ABCDEFGHKNOPQRSUVXYZ": 710}

// widthOf estimates the width of a line. The estimate is more often too wide than too narrow.
func widthOf(line []styled) (width int) {
	for _, s := range line {
		sum := 0
		for _, r := range s.text {
			letter := 0
			for letters, w := range letterWidths {
				if strings.ContainsRune(letters, r) {
					letter = w
				}
			}
			if letter = cmp.Or(letter, 600); s.bold || s.code {
				letter = max(letter, 650)
			}
			sum += letter
		}
		width += sum * textSize / 1000
	}
	return width
}
