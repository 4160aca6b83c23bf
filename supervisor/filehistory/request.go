package filehistory

import (
	"io/fs"
	"path"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/spans"
)

// request is what `/history files` asks for.
type request struct {
	path string    // clean path in the home; "." means the home
	at   time.Time // the moment; zero means a list of versions
	// nonce is the beginning of the nonce of the point; "" means that any history's point will do
	nonce protocol.PointNonce
	admin bool // an admin asks about another user's home
}

// flagPattern matches the flag before a moment. Phones write two hyphens as a dash.
var flagPattern = regexp.MustCompile(`(?:^|[\s\p{Z}])(?:--|—|–)at(?:=|[\s\p{Z}]|$)`)

// Quotation marks around a moment, as keyboards write them.
const (
	singleQuotes = "'‘’‚"
	doubleQuotes = "\"“”„"
)

// parseRequest parses the arguments of `/history files`: a path, and a moment after --at. now is in
// the user's time zone.
func parseRequest(arguments string, now time.Time) (r request, err error) {
	path := arguments
	if at := flagPattern.FindStringIndex(arguments); at != nil {
		before := strings.TrimSpace(arguments[:at[0]])
		if r.at, path, err = takeMoment(strings.TrimSpace(arguments[at[1]:]), now); err != nil {
			return r, err
		}
		if before != "" && path != "" {
			return r, supervisor.Errorf(supervisor.CodeInvalid, textUsage)
		}
		path = before + path
	}
	r.path, err = cleanPath(path)
	return r, err
}

// takeMoment takes a moment from the beginning of a text, and returns the rest. Quotation marks may
// enclose the moment.
func takeMoment(text string, now time.Time) (at time.Time, rest string, err error) {
	for _, quotes := range []string{singleQuotes, doubleQuotes} {
		first, size := utf8.DecodeRuneInString(text)
		if !strings.ContainsRune(quotes, first) {
			continue
		}
		end := strings.IndexAny(text[size:], quotes)
		if end < 0 {
			return at, "", supervisor.Errorf(supervisor.CodeInvalid, textUsage)
		}
		at, err = spans.ParseMoment(text[size:size+end], now)
		return at, strings.TrimSpace(strings.TrimLeft(text[size+end:], quotes)), err
	}
	words := strings.Fields(text)
	for n := min(spans.MaxMomentWords, len(words)); n > 0; n-- {
		if at, err = spans.ParseMoment(strings.Join(words[:n], " "), now); err != nil {
			continue
		}
		if n < len(words) && clockPattern.MatchString(words[n]) {
			return at, "", supervisor.Errorf(supervisor.CodeInvalid, textUsage)
		}
		for _, word := range words[:n] {
			text = strings.TrimPrefix(strings.TrimSpace(text), word)
		}
		return at, strings.TrimSpace(text), nil
	}
	_, err = spans.ParseMoment(strings.Join(words[:min(2, len(words))], " "), now)
	return at, "", err
}

// clockPattern matches a word after a moment that looks like a time of day and not a path.
var clockPattern = regexp.MustCompile(`(?i)^(at|um|\d{1,2}([:.]\d{0,2})?(am|pm|h|uhr)?)$`)

// cleanPath returns the clean path of a file or folder in the home. The text may begin with a name
// of the home itself, and quotation marks may enclose it.
func cleanPath(name string) (string, error) {
	name = strings.TrimSpace(name)
	for _, quote := range []string{"`", `"`, "'", "“”", "„“"} {
		begin, end := quote, quote
		if runes := []rune(quote); len(runes) == 2 {
			begin, end = string(runes[0]), string(runes[1])
		}
		if len(name) > len(begin)+len(end) && strings.HasPrefix(name, begin) && strings.HasSuffix(name, end) {
			name = strings.TrimSuffix(strings.TrimPrefix(name, begin), end)
			break
		}
	}
	for _, home := range []string{"~", "/home"} {
		if rest, ok := strings.CutPrefix(name, home); ok && (rest == "" || rest[0] == '/') {
			name = strings.TrimLeft(rest, "/")
			break
		}
	}
	if name = path.Clean(name); !fs.ValidPath(name) {
		return "", supervisor.Errorf(supervisor.CodeInvalid, textBadPath)
	}
	return name, nil
}
