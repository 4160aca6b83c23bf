package markdown

import (
	"html"
	"net/url"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
	"github.com/yuin/goldmark/ast"
	extended "github.com/yuin/goldmark/extension/ast"

	"mews/protocol/amount"
)

const (
	// maxSpokenPart is the most characters of one recording; maxSpoken is the most characters of
	// all recordings together.
	maxSpokenPart = 1500
	maxSpoken     = 6000
)

// Speech is a text to be spoken.
type Speech struct {
	// Parts are the texts of the recordings. Each is one line of whole sentences, with only words
	// and punctuation. If there are no words to speak, there are no parts.
	Parts []string
	Code  bool // whether the text has code; only its length is spoken
	Cut   bool // whether only the beginning is spoken; its end then says so
}

// RenderSpeech returns the speech of Markdown. It speaks the words of links, the length of code,
// and tables row by row. Numbers and units are unchanged.
func RenderSpeech(md string) Speech {
	src := source(md)
	s := &speaker{page: page{src: src}}
	s.blocks(parse(src))
	parts, cut := packSentences(s.sentences)
	return Speech{Parts: parts, Code: s.code, Cut: cut}
}

// speaker collects the speech of one document.
type speaker struct {
	page      page // page whose src is the document
	sentences []string
	code      bool
}

func (s *speaker) blocks(n ast.Node) {
	for c := range children(n) {
		s.block(c)
	}
}

func (s *speaker) block(n ast.Node) {
	switch n := n.(type) {
	case *ast.CodeBlock, *ast.FencedCodeBlock:
		s.sayCode(s.page.lines(n))
	case *ast.Blockquote, *ast.ListItem, *ast.Document:
		s.blocks(n)
	case *ast.List:
		s.list(n)
	case *ast.HTMLBlock:
		text := s.page.lines(n)
		if n.HasClosure() {
			text += string(n.ClosureLine.Value(s.page.src))
		}
		s.html(text)
	case *extended.Table:
		s.table(n)
	case *ast.ThematicBreak, *extended.FootnoteList, *ast.LinkReferenceDefinition:
	default:
		s.say(s.words(n))
	}
}

// sayCode says how many lines code has.
func (s *speaker) sayCode(code string) {
	if code = strings.Trim(code, "\n"); code != "" {
		s.code = true
		s.say(textCode + amount.Plural(strings.Count(code, "\n")+1, "line", "lines"))
	}
}

// list says the items, with their numbers if the list is numbered.
func (s *speaker) list(n *ast.List) {
	number := n.Start
	for item := range children(n) {
		from := len(s.sentences)
		s.blocks(item)
		if n.IsOrdered() && len(s.sentences) > from {
			s.sentences[from] = strconv.Itoa(number) + ", " + s.sentences[from]
		}
		number++
	}
}

func (s *speaker) html(text string) {
	if m := preBlock.FindStringSubmatch(text); m != nil {
		s.sayCode(html.UnescapeString(m[2]))
		text = m[3]
	}
	s.say(html.UnescapeString(anyTag.ReplaceAllString(text, " ")))
}

// table says each row: its first cell, and the other cells with their heads.
func (s *speaker) table(n *extended.Table) {
	s.page.keepExcess(n)
	var rows [][]string
	for _, cells := range tableCells(n) {
		var row []string
		for _, c := range cells {
			row = append(row, clean(s.words(c)))
		}
		rows = append(rows, row)
	}
	if len(rows) == 1 {
		s.say(strings.Join(rows[0], ", "))
	}
	for _, row := range rows[1:] {
		var said []string
		for i, words := range row {
			if i > 0 && words != "" && i < len(rows[0]) && rows[0][i] != "" {
				words = rows[0][i] + ": " + words
			}
			if words != "" {
				said = append(said, words)
			}
		}
		s.say(strings.Join(said, ", "))
	}
}

// say adds one or more sentences, and skips text without words.
func (s *speaker) say(text string) {
	text = clean(text)
	if strings.IndexFunc(text, alphanumeric) < 0 {
		return
	}
	text = strings.TrimRight(text, " ,")
	if last, _ := utf8.DecodeLastRuneInString(text); !strings.ContainsRune(":;…", last) && !unicode.Is(unicode.Sentence_Terminal, last) {
		text += "."
	}
	s.sentences = append(s.sentences, text)
}

// words returns the spoken words of n.
func (s *speaker) words(n ast.Node) string {
	var b strings.Builder
	for c := range children(n) {
		b.WriteString(s.inline(c))
	}
	return b.String()
}

func (s *speaker) inline(n ast.Node) string {
	switch n := n.(type) {
	case *ast.Text:
		return s.text(n)
	case *ast.String:
		return unescape(string(n.Value))
	case *ast.CodeSpan:
		return codeWords(s.page.codeSpanText(n))
	case *ast.Link:
		return s.link(n, string(n.Destination))
	case *ast.AutoLink:
		return orHost(string(n.Label(s.page.src)))
	case *ast.RawHTML:
		return " "
	case *extended.TaskCheckBox:
		return map[bool]string{true: textChecked, false: textUnchecked}[n.IsChecked]
	case *inlineNode:
		if n.kind == kindReference {
			return ""
		}
		return n.text + s.words(n)
	}
	return s.words(n)
}

// text returns a run of text. A line's end becomes a short pause, because models do not wrap lines.
func (s *speaker) text(n *ast.Text) string {
	text := string(n.Value(s.page.src))
	if !n.IsRaw() {
		text = unescape(text)
	}
	if !n.SoftLineBreak() && !n.HardLineBreak() {
		return text
	}
	if last, _ := utf8.DecodeLastRuneInString(text); alphanumeric(last) {
		text += ","
	}
	return text + " "
}

// link returns the words of a link. If there are no words, or they are an address, it returns the
// host.
func (s *speaker) link(n ast.Node, destination string) string {
	words := strings.TrimSpace(s.words(n))
	if words == "" {
		words = unescape(destination)
	}
	return orHost(words)
}

// orHost returns the host of an address, and any other text unchanged.
func orHost(text string) string {
	u, err := url.Parse(text)
	if err == nil && u.Host != "" && u.Scheme != "" {
		text = u.Hostname()
	} else if strings.HasPrefix(text, "www.") {
		text, _, _ = strings.Cut(text, "/")
	}
	return strings.TrimPrefix(text, "www.")
}

// codeWords returns the words in code. Other characters are only spoken within a word.
func codeWords(code string) string {
	if host := orHost(code); host != code {
		return host
	}
	runes := []rune(code)
	for i, r := range runes {
		within := i > 0 && i < len(runes)-1 && alphanumeric(runes[i-1]) && alphanumeric(runes[i+1])
		if !alphanumeric(r) && !(within && strings.ContainsRune(".-:'", r)) {
			runes[i] = ' '
		}
	}
	return strings.TrimSpace(string(runes))
}

// clean returns a text on one line without characters that engines spell out or misread: pictures,
// controls, and the brackets that espeak-ng and Piper read as phonemes.
func clean(text string) string {
	dropped := false
	text = strings.Map(func(r rune) rune {
		wasDropped := dropped
		dropped = pictorial(r) || wasDropped && r == '\u200D'
		switch {
		case dropped, unicode.Is(unicode.Cf, r) && r != '\u200C' && r != '\u200D', r == utf8.RuneError:
			return -1
		case unicode.IsControl(r), strings.ContainsRune("[]`|\u2028\u2029", r):
			return ' '
		}
		return r
	}, text)
	return strings.Join(strings.Fields(text), " ")
}

// pictorial reports whether a character is an emoji, a part of one, or a drawing. (Unicode,
// Blocks.txt)
func pictorial(r rune) bool {
	return r >= 0x1F000 && r <= 0x1FAFF || r >= 0x2300 && r <= 0x23FF || r >= 0x2500 && r <= 0x27BF || r >= 0x2B00 && r <= 0x2BFF ||
		r >= 0xFE00 && r <= 0xFE0F || r == 0x20E3 || r >= 0xE0000 && r <= 0xE007F
}

// packSentences packs texts into the longest possible parts, cut between sentences. cut reports
// whether some sentences did not fit.
func packSentences(texts []string) (parts []string, cut bool) {
	// the sentence that mentions the unspoken rest needs space, too
	room := maxSpoken - utf8.RuneCountInString(textRest) - 1
	for _, text := range texts {
		for text != "" {
			piece, rest := firstPiece(text)
			text = rest
			size := utf8.RuneCountInString(piece) + 1
			if room -= size; room < 0 {
				return join(parts, textRest), true
			}
			parts = join(parts, piece)
		}
	}
	return parts, false
}

// join appends a piece to the last part, or as a new part if the last part is full.
func join(parts []string, piece string) []string {
	last := len(parts) - 1
	if last < 0 || utf8.RuneCountInString(parts[last])+1+utf8.RuneCountInString(piece) > maxSpokenPart {
		return append(parts, piece)
	}
	parts[last] += " " + piece
	return parts
}

// firstPiece returns the first sentence of a text. If the sentence is longer than a part, it is cut
// between words, or anywhere if it has no spaces.
func firstPiece(text string) (piece, rest string) {
	piece, rest, _ = uniseg.FirstSentenceInString(text, -1)
	if utf8.RuneCountInString(piece) > maxSpokenPart {
		end := len(string([]rune(piece)[:maxSpokenPart]))
		if space := strings.LastIndexByte(piece[:end], ' '); space > 0 {
			end = space
		}
		piece, rest = text[:end], text[end:]
	}
	return strings.TrimSpace(piece), strings.TrimSpace(rest)
}
