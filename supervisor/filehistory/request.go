package filehistory

import (
	"io/fs"
	"path"
	"strings"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/spans"
)

// request is what `/history files` asks for.
type request struct {
	path string    // clean path in the home; "." means the home
	at   time.Time // the moment; zero means a list of versions
	// nonce is the nonce of the point that a button names; "" means that any history's point will do
	nonce protocol.PointNonce
	admin bool // an admin asks about another user's home
}

// flagAt is the flag before a moment. Phones write two hyphens as a dash.
const flagAt = "--at"

var asTyped = strings.NewReplacer("—at", flagAt, "–at", flagAt, "“", `"`, "”", `"`, "„", `"`, "‘", "'", "’", "'")

// parseRequest parses the arguments of `/history files`: a path, and a moment after --at. now is in
// the user's time zone.
func parseRequest(arguments string, now time.Time) (r request, err error) {
	before, after, found := cutFlag(arguments)
	if found {
		if r.at, after, err = takeMoment(asTyped.Replace(after), after, now); err != nil {
			return r, err
		}
		if before != "" && after != "" {
			return r, supervisor.Errorf(supervisor.CodeInvalid, textUsage)
		}
		before += after
	}
	r.path, err = cleanPath(before)
	return r, err
}

// cutFlag cuts the arguments around the flag --at.
func cutFlag(arguments string) (before, after string, found bool) {
	rest := arguments
	for {
		word, more, _ := strings.Cut(strings.TrimLeft(rest, " \t\n"), " ")
		if asTyped.Replace(word) == flagAt {
			i := len(arguments) - len(strings.TrimLeft(rest, " \t\n"))
			return strings.TrimSpace(arguments[:i]), strings.TrimSpace(more), true
		}
		if more == "" {
			return strings.TrimSpace(arguments), "", false
		}
		rest = more
	}
}

// takeMoment takes a moment from the beginning of a text. Quotation marks may enclose it. typed is
// the text as the user typed it, from which the rest is taken.
func takeMoment(text, typed string, now time.Time) (at time.Time, rest string, err error) {
	for _, quote := range []string{`"`, "'"} {
		if inner, ok := strings.CutPrefix(text, quote); ok {
			moment, rest, closed := strings.Cut(inner, quote)
			if !closed {
				return at, "", supervisor.Errorf(supervisor.CodeInvalid, textUsage)
			}
			at, err = spans.ParseMoment(moment, now)
			return at, strings.TrimSpace(rest), err
		}
	}
	words := strings.Fields(typed)
	for n := min(spans.MaxMomentWords, len(words)); n > 0; n-- {
		if at, err = spans.ParseMoment(strings.Join(words[:n], " "), now); err == nil {
			rest = typed
			for _, word := range words[:n] {
				rest = strings.TrimPrefix(strings.TrimSpace(rest), word)
			}
			return at, strings.TrimSpace(rest), nil
		}
	}
	_, err = spans.ParseMoment(strings.Join(words[:min(2, len(words))], " "), now)
	return at, "", err
}

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
