package chat

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf16"

	"mews/supervisor"
)

// style is how kinds of lines and marks look: sequences for the terminal (ECMA-48, 8.3.117). The
// zero value has none.
type style struct {
	prompt, dim, warn, reset string
	marks                    map[supervisor.EntityType]string
	diff                     map[byte]string // by how a line of a difference begins
	links                    bool            // the terminal knows links
}

// styleFor has no looks where they are not wanted (no-color.org) or not understood.
func styleFor(getenv func(string) string) style {
	if getenv("NO_COLOR") != "" || getenv("TERM") == "dumb" {
		return style{}
	}
	return style{prompt: "\x1b[1;36m", dim: "\x1b[2m", warn: "\x1b[33m", reset: "\x1b[0m", links: knowsLinks(getenv),
		marks: map[supervisor.EntityType]string{
			supervisor.EntityBold: "\x1b[1m", supervisor.EntityItalic: "\x1b[3m", supervisor.EntityUnderline: "\x1b[4m",
			supervisor.EntityStrikethrough: "\x1b[9m", supervisor.EntityLink: "\x1b[4m", supervisor.EntityCode: "\x1b[36m", supervisor.EntityPre: "\x1b[36m",
		},
		diff: map[byte]string{'+': "\x1b[32m", '-': "\x1b[31m", '@': "\x1b[36m"}}
}

// knownByName are the values of variables by which a terminal says that it is one that knows links.
// VTE has its version there, and knows them since 0.50.1. (They are those of npm's
// supports-hyperlinks, whose name of the switch FORCE_HYPERLINK is.)
var knownByName = map[string]*regexp.Regexp{
	"TERM":         regexp.MustCompile(`^(xterm-kitty|xterm-ghostty|alacritty|foot|contour|wezterm|rio)`),
	"TERM_PROGRAM": regexp.MustCompile(`^(iTerm\.app|WezTerm|vscode|ghostty|Hyper|mintty|zed|rio)$`),
	"WT_SESSION":   regexp.MustCompile(`.`),
	"DOMTERM":      regexp.MustCompile(`.`),
	"VTE_VERSION":  regexp.MustCompile(`^(500[1-9]|50[1-9]\d|5[1-9]\d\d|[6-9]\d{3}|\d{5,})$`),
}

// knowsLinks says whether the terminal is known to take links. One that does not would hide their
// addresses. Within tmux and screen the variables are of the terminal around, and what they pass on
// is not known.
func knowsLinks(getenv func(string) string) bool {
	if force := getenv("FORCE_HYPERLINK"); force != "" {
		return force != "0"
	}
	if term := getenv("TERM"); strings.HasPrefix(term, "tmux") || strings.HasPrefix(term, "screen") {
		return false
	}
	for name, known := range knownByName {
		if known.MatchString(getenv(name)) {
			return true
		}
	}
	return false
}

// run is a stretch of text that looks the same.
type run struct {
	text        string
	on, off     string // what is written before and behind it
	url         string // to which it is a link; "" for none
	code, quote bool   // it is of a block of such
	diff        bool   // that code is a difference, whose lines have looks of their own
}

// runs are a text as it looks. base is the look of all of it, "" for none. Where links are not
// known the address stands behind the text, and code is between backticks where it has no look.
func (s style) runs(t supervisor.RichText, base string) (list []run) {
	places := []int{0, supervisor.Units(t.Text)}
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

// mark marks a run, which may be where the mark begins or ends, and returns what is to be written
// behind the run.
func (s style) mark(r *run, e supervisor.Entity, begins, ends bool) (behind string) {
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
		r.url = inSequence(e.URL)
	case e.Type == supervisor.EntityLink && ends:
		return " (" + stripControls(e.URL) + ")"
	}
	return ""
}

var tick = map[bool]string{true: "`"}

// What begins and ends the address of a link; without an address it ends the link.
// (gist.github.com/egmontkob, Hyperlinks in terminal emulators)
const (
	beginLink   = "\x1b]8;;"
	endSequence = "\x1b\\"
)

// inSequence is an address as it may stand in a sequence: in printable ASCII, all else as percent
// signs have it.
func inSequence(url string) string {
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
