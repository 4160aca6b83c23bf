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

// joiner is inserted after a / or @ before a word of foreign text. Otherwise chats would turn the
// word into a command or a mention. (U+2060, WORD JOINER, is invisible.)
const joiner = "\u2060"

// escaped returns a foreign text on one line. As Markdown it shows the text unchanged.
func escaped(text string) string {
	var b strings.Builder
	runes := []rune(oneLine(text))
	before := ' '
	for i, r := range runes {
		switch {
		case strings.ContainsRune("()[]", r): // a backslash before a bracket would begin a formula
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

// oneLine removes line ends and invisible characters from a text.
func oneLine(text string) string {
	return spaced(printable.DropControls(spaced(text)))
}

func spaced(text string) string { return strings.Join(strings.Fields(text), " ") }

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}

// cut shortens a foreign text and escapes it.
func cut(text string, most int) string {
	runes := []rune(oneLine(text))
	if len(runes) <= most {
		return escaped(string(runes))
	}
	return escaped(strings.TrimSpace(string(runes[:most]))) + "…"
}

// hidden matches comments in Markdown, which GitHub does not display.
var hidden = regexp.MustCompile(`(?s)<!--.*?(-->|$)`)

// quote returns the beginning of a comment as a quote. It leaves out text that the comment itself
// quotes. "" means that no text is left.
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

// code returns a foreign name as inline code, in which chats detect no commands.
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

// name returns a login in the form for notices.
func name(login string) string {
	if login == "" {
		return textSomebody
	}
	return cut(login, maxTitle)
}

// The function by returns the actors of events, without duplicates; "" if unknown.
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

// listed joins words: "a", "a and b", "a, b and c".
func listed(words []string) string {
	last := len(words) - 1
	if last == 0 {
		return words[0]
	}
	return strings.Join(words[:last], ", ") + textAnd + words[last]
}

// title returns an event's title as a link to its page. Without a title, it returns the subject,
// such as #12.
func title(e event) string { return titled(cmp.Or(e.Title, subject(e)), e.URL) }

func titled(text, url string) string {
	if text = cut(text, maxTitle); text == "" {
		text = textNoTitle
	}
	return link(text, url)
}

// address matches addresses that are safe in a link.
var address = regexp.MustCompile(`^https?://[!#-;=?-\[\]_a-z~]+$`)

// link returns a Markdown link, or only the text if the address is not safe.
func link(text, url string) string {
	if !address.MatchString(url) {
		return text
	}
	return "[" + text + "](<" + url + ">)"
}

// short returns the short form of a commit's SHA.
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

// lines joins the lines of a paragraph. It drops empty lines.
func lines(all ...string) string {
	return strings.Join(slices.DeleteFunc(all, func(l string) bool { return l == "" }), "\n")
}
