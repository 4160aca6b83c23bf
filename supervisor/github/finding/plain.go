package finding

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

var (
	link      = regexp.MustCompile(`(?i)([a-z][a-z0-9+.-]*:\\?/\\?/|\bwww\.|\b(mailto|xmpp|javascript|data):)[^\s)\]>"'` + "`" + `]*`)
	linked    = regexp.MustCompile(`!?\[([^\[\]]*)\]\([^()\s]*\)`)
	mention   = regexp.MustCompile(`@[A-Za-z0-9]`)
	reference = regexp.MustCompile(`(?i)(#|\bGH-)[0-9]`)
	// a word like /approve, which other programs or chats obey as a command
	command = regexp.MustCompile(`(^|[\s(])/([A-Za-z])`)
	line    = regexp.MustCompile(`(?m)^[ \t]*/[A-Za-z]\w*`)
	closing = regexp.MustCompile(`(?i)\b(close[sd]?|fix(es|ed)?|resolve[sd]?)\b:?\s+[\w./-]*(#|GH-|https?:)`)
)

// secrets matches keys and tokens.
var secrets = regexp.MustCompile(`AKIA[0-9A-Z]{16}|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|\bsk-[A-Za-z0-9_-]{16,}|xox[a-z]-[A-Za-z0-9-]{10,}` +
	`|AIza[0-9A-Za-z_-]{30,}|\b[0-9]{6,12}:[A-Za-z0-9_-]{30,}|eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_.-]{10,}|glpat-[\w-]{16,}|npm_[A-Za-z0-9]{30,}` +
	`|(?s:-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(-----END [A-Z ]*-----|$))|\b[0-9a-fA-F]{32,}\b`)

// longWord matches a long word, which may be a key.
var longWord = regexp.MustCompile(`[A-Za-z0-9+=_-]{32,}`)

// isKey reports whether a long word looks like a key: it has upper and lower case and at least four
// digits.
func isKey(word string) bool {
	digits := 0
	for _, r := range word {
		if unicode.IsDigit(r) {
			digits++
		}
	}
	return digits >= 4 && strings.ToLower(word) != word && strings.ToUpper(word) != word
}

// RemoveSecrets removes from a text all words that look like a key.
func RemoveSecrets(text string) string {
	text = secrets.ReplaceAllString(text, textSecret)
	return longWord.ReplaceAllStringFunc(text, func(word string) string {
		if isKey(word) {
			return textSecret
		}
		return word
	})
}

// escape escapes Markdown's special characters. HTML entities break mentions and references, as in
// the pull requests of dependabot. Unlike inserted characters, they do not change copied text.
var escape = strings.NewReplacer(`\`, `\\`, "`", "'", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", `\<`, ">", `\>`, "|", `\|`, "~", `\~`, "$", `\$`,
	"&", "&amp;", "@", "@&#8203;", "#", "#&#8203;", "GH-", "GH&#8203;-", "gh-", "gh&#8203;-", "Gh-", "Gh&#8203;-", "gH-", "gH&#8203;-")

func escaped(piece string) string {
	return command.ReplaceAllString(escape.Replace(piece), "$1/&#8203;$2")
}

// HarmlessMarkdown returns a model's text as one harmless paragraph of Markdown. It has words, and
// code between backticks, at most max bytes before escapes. It has no link, image, mention,
// reference, command, HTML or secret.
func HarmlessMarkdown(text string, max int) string {
	text = strings.ToValidUTF8(text, "")
	if visible := VisibleMarkdown(text); strings.TrimSpace(visible) != "" {
		text = visible
	} else {
		text = VisibleCode(text) // the text is only markup, such as "[x]: https://…": escaped, it is better than none
	}
	text = linked.ReplaceAllString(text, "$1")
	text = link.ReplaceAllString(RemoveSecrets(text), textLink)
	text = Truncate(strings.Join(strings.Fields(text), " "), max)
	pieces := strings.Split(text, "`")
	var b strings.Builder
	for i, piece := range pieces {
		switch {
		case i%2 == 0:
			b.WriteString(escaped(piece))
		case i == len(pieces)-1:
			b.WriteString("'" + escaped(piece))
		case strings.TrimSpace(piece) != "":
			b.WriteString("`" + piece + "`")
		}
	}
	return b.String()
}

// Truncate shortens a text to max bytes. A shortened text ends with an ellipsis.
func Truncate(text string, max int) string {
	if len(text) <= max {
		return text
	}
	end := max - len("…")
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return strings.TrimSpace(text[:end]) + "…"
}

// committable reports whether a replacement may be offered as it is. The replacement must not end
// its code block, and must not add a link, mention, reference, command, hidden character or secret.
func committable(replacement, lines string) bool {
	if RemoveSecrets(replacement) != replacement || VisibleCode(replacement) != replacement ||
		strings.Contains(replacement, "```") || !utf8.ValidString(replacement) {
		return false
	}
	for _, brings := range []*regexp.Regexp{link, mention, reference, line, closing} {
		for _, found := range brings.FindAllString(replacement, -1) {
			if !strings.Contains(lines, found) {
				return false
			}
		}
	}
	return true
}
