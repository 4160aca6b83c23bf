package notice

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"mews/supervisor/printable"
)

// joiner stands behind a / and an @ that others wrote before a word: a client would make a command
// that can be tapped of that, or a mention of somebody else. (U+2060, WORD JOINER: it shows
// nothing.)
const joiner = "\u2060"

// escaped is a text of others on one line, as Markdown that shows it as it is.
func escaped(text string) string {
	var b strings.Builder
	runes := []rune(oneLine(text))
	before := ' '
	for i, r := range runes {
		switch {
		case strings.ContainsRune("()[]", r): // with a backslash they begin a formula
			fmt.Fprintf(&b, "&#%d;", r)
		case r < unicode.MaxASCII && unicode.In(r, unicode.P, unicode.S):
			b.WriteString(`\` + string(r))
		default:
			b.WriteRune(r)
		}
		begins := r == '/' && before != '/' || r == '@'
		if begins && !inWord(before) && i+1 < len(runes) && inWord(runes[i+1]) {
			b.WriteString(joiner)
		}
		before = r
	}
	return b.String()
}

func inWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// oneLine is a text without line ends, and without what does not show.
func oneLine(text string) string {
	return spaced(printable.Text(spaced(text)))
}

func spaced(text string) string { return strings.Join(strings.Fields(text), " ") }

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}

// cut is the beginning of a text of others, escaped.
func cut(text string, most int) string {
	runes := []rune(oneLine(text))
	if len(runes) <= most {
		return escaped(string(runes))
	}
	return escaped(strings.TrimSpace(string(runes[:most]))) + "…"
}

// hidden is what GitHub does not show of a comment.
var hidden = regexp.MustCompile(`(?s)<!--.*?(-->|$)`)

// quote is the beginning of a comment as a quote, without what that quotes itself; "" of nothing.
func quote(text string) string {
	all := strings.Split(hidden.ReplaceAllString(text, ""), "\n")
	own := slices.DeleteFunc(slices.Clone(all), func(l string) bool { return strings.HasPrefix(strings.TrimSpace(l), ">") })
	if text = cut(strings.Join(own, "\n"), maxQuoted); text == "" {
		text = cut(strings.Join(all, "\n"), maxQuoted)
	}
	if text == "" {
		return ""
	}
	return "> " + text
}

// code is a name that others gave, in the form of code: no client looks for commands there.
func code(name string) string {
	name = strings.ReplaceAll(cutName(name), "`", "'")
	if name == "" {
		return "`?`"
	}
	return "`" + name + "`"
}

func cutName(name string) string {
	if runes := []rune(oneLine(name)); len(runes) > maxTitle {
		return string(runes[:maxTitle]) + "…"
	}
	return oneLine(name)
}

// name is a login.
func name(login string) string {
	if login == "" {
		return textSomebody
	}
	return cut(login, maxTitle)
}

// by says who did it, each once; "" where that is not known.
func by(all []event) string {
	var names []string
	for _, e := range all {
		if n := name(e.Sender); e.Sender != "" && !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf(textBy, listed(names))
}

// listed is "a", "a and b", "a, b and c".
func listed(words []string) string {
	last := len(words) - 1
	if last == 0 {
		return words[0]
	}
	return strings.Join(words[:last], ", ") + textAnd + words[last]
}

// title is what an event's subject is called, or which it is where nobody has said that, as a link
// to where it happened.
func title(e event) string { return titled(cmp.Or(e.Title, subject(e)), e.URL) }

func titled(text, url string) string {
	if text = cut(text, maxTitle); text == "" {
		text = textNoTitle
	}
	return link(text, url)
}

// address is what a link may lead to.
var address = regexp.MustCompile(`^https?://[!#-;=?-\[\]_a-z~]+$`)

// link is Markdown in a link, where there is an address.
func link(text, url string) string {
	if !address.MatchString(url) {
		return text
	}
	return "[" + text + "](<" + url + ">)"
}

// short is how a commit is named.
func short(sha string) string {
	sha = strings.Map(func(r rune) rune {
		if strings.ContainsRune("0123456789abcdef", r) {
			return r
		}
		return -1
	}, lower(sha))
	return sha[:min(len(sha), shaDigits)]
}

func lower(word string) string { return strings.ToLower(word) }

// lines are a paragraph's, of which the empty ones are left out.
func lines(all ...string) string {
	return strings.Join(slices.DeleteFunc(all, func(l string) bool { return l == "" }), "\n")
}
