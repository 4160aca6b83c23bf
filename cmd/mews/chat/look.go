package chat

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf16"

	"mews/supervisor"
)

// style has the terminal sequences for kinds of lines and marks (ECMA-48, 8.3.117). The zero value
// has no sequences.
type style struct {
	prompt, dim, warn, reset string
	marks                    map[supervisor.RichTextEntityType]string
	diff                     map[byte]string // style of a diff's line by its first character
	links                    bool            // whether the terminal can show links
}

// styleFor returns no style if colours are unwanted (no-color.org) or not supported.
func styleFor(getenv func(string) string) style {
	if getenv("NO_COLOR") != "" || getenv("TERM") == "dumb" {
		return style{}
	}
	return style{prompt: "\x1b[1;36m", dim: "\x1b[2m", warn: "\x1b[33m", reset: "\x1b[0m", links: knowsLinks(getenv),
		marks: map[supervisor.RichTextEntityType]string{
			supervisor.EntityBold: "\x1b[1m", supervisor.EntityItalic: "\x1b[3m", supervisor.EntityUnderline: "\x1b[4m",
			supervisor.EntityStrikethrough: "\x1b[9m", supervisor.EntityLink: "\x1b[4m", supervisor.EntityCode: "\x1b[36m", supervisor.EntityPre: "\x1b[36m",
		},
		diff: map[byte]string{'+': "\x1b[32m", '-': "\x1b[31m", '@': "\x1b[36m"}}
}

// linkTerminals has the values of variables that identify terminals with links. VTE's variable has
// VTE's version: links work since 0.50.1. (From npm's supports-hyperlinks, which also defines the
// switch FORCE_HYPERLINK.)
var linkTerminals = map[string]*regexp.Regexp{
	"TERM":         regexp.MustCompile(`^(xterm-kitty|xterm-ghostty|alacritty|foot|contour|wezterm|rio)`),
	"TERM_PROGRAM": regexp.MustCompile(`^(iTerm\.app|WezTerm|vscode|ghostty|Hyper|mintty|zed|rio)$`),
	"WT_SESSION":   regexp.MustCompile(`.`),
	"DOMTERM":      regexp.MustCompile(`.`),
	"VTE_VERSION":  regexp.MustCompile(`^(500[1-9]|50[1-9]\d|5[1-9]\d\d|[6-9]\d{3}|\d{5,})$`),
}

// knowsLinks reports whether the terminal is known to support links. Other terminals would hide the
// addresses. Inside tmux and screen the variables describe the outer terminal, and tmux may not
// pass links on.
func knowsLinks(getenv func(string) string) bool {
	if force := getenv("FORCE_HYPERLINK"); force != "" {
		return force != "0"
	}
	if term := getenv("TERM"); strings.HasPrefix(term, "tmux") || strings.HasPrefix(term, "screen") {
		return false
	}
	for name, known := range linkTerminals {
		if known.MatchString(getenv(name)) {
			return true
		}
	}
	return false
}

// run is a stretch of text in one style.
type run struct {
	text        string
	on, off     string // terminal sequences before and after the text
	url         string // target of the run's link; "" means no link
	code, quote bool   // the text is in a code block or a quote
	diff        bool   // the code is a diff, whose lines have styles
}

// runs splits a text into runs. base is the style of the whole text; "" means no style. Without
// links, the address follows the text. Without a style for code, code is between backticks.
func (s style) runs(t supervisor.RichText, base string) (list []run) {
	places := []int{0, supervisor.UTF16Length(t.Text)}
	for _, e := range t.Entities {
		places = append(places, e.Offset, e.Offset+e.Length)
	}
	slices.Sort(places)
	places = slices.Compact(places)
	units := utf16.Encode([]rune(t.Text))
	for i, from := range places[:len(places)-1] {
		to := places[i+1]
		r := run{text: stripControls(string(utf16.Decode(units[from:to]))), on: base}
		behind := run{}
		for _, e := range t.Entities {
			if e.Offset <= from && from < e.Offset+e.Length {
				behind.text += s.mark(&r, e, from == e.Offset, to == e.Offset+e.Length)
			}
		}
		if r.on != "" {
			r.off = s.reset
		}
		if r.url != "" {
			r.on, r.off = r.on+beginLink+r.url+endSequence, beginLink+endSequence+r.off
		}
		behind.quote = r.quote
		list = append(list, r, behind)
	}
	return list
}

// mark applies the beginning or the end of a format, such as bold, to a run. It returns the text to
// write after the run.
func (s style) mark(r *run, e supervisor.RichTextEntity, begins, ends bool) (behind string) {
	diff := e.Type == supervisor.EntityPre && e.Language == "diff"
	if !diff {
		r.on += s.marks[e.Type]
	}
	switch {
	case e.Type == supervisor.EntityCode && s.marks == nil:
		r.text = tick[begins] + r.text + tick[ends]
	case e.Type == supervisor.EntityPre:
		r.code, r.diff = true, diff
	case e.Type == supervisor.EntityQuote || e.Type == supervisor.EntityLongQuote:
		r.quote = true
	case e.Type == supervisor.EntityLink && s.links:
		r.url = encodeURL(e.URL)
	case e.Type == supervisor.EntityLink && ends:
		return " (" + stripControls(e.URL) + ")"
	}
	return ""
}

var tick = map[bool]string{true: "`"}

// Sequences around the address of a link. With an empty address they end the link.
// (gist.github.com/egmontkob, Hyperlinks in terminal emulators)
const (
	beginLink   = "\x1b]8;;"
	endSequence = "\x1b\\"
)

// encodeURL encodes an address for a sequence: printable ASCII stays, and all other bytes are
// percent-encoded.
func encodeURL(url string) string {
	var b strings.Builder
	for _, c := range []byte(url) {
		if c > ' ' && c < 0x7f {
			b.WriteByte(c)
			continue
		}
		fmt.Fprintf(&b, "%%%02X", c)
	}
	return b.String()
}
