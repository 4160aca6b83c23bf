// Package facts reads and changes the text of MEMORY.md, and composes lines of daily notes. It does
// no I/O. A worker writes the changed text, and the supervisor checks the text. Lines that are no
// facts stay unchanged byte for byte. A bullet without a comment is a fact too.
package facts

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"mews/protocol"
)

// FactKinds are the kinds of facts.
var FactKinds = []string{DefaultFactKind, "preference", "person", "project", "expertise"}

// Fact is one bullet of MEMORY.md.
type Fact struct {
	// id of the fact: k and a number. If a bullet has no id, its id is h and a hash of its words.
	ID         string
	Text       string
	Kind       string  // kind of the fact, one of FactKinds
	Confidence float64 // confidence from 0 to 1
	Date       string  // day such as 2026-11-20; "" if not known
	Message    int64   // id of the source message; 0 means none
	// subject that can have only one valid fact; "" means the result of SubjectOrPrefix
	Subject string
	Line    int // number of the line, from 1
}

// DefaultFactKind is the kind of a fact if none is given.
const DefaultFactKind = "fact"

// BulletPattern matches a line of a list. Its groups are the indentation with the bullet's mark,
// and the text.
var BulletPattern = regexp.MustCompile(`^(\s*[-*+]\s+)(\S.*?)\s*$`)

// comment matches the text of a fact that ends with a comment. In the comment the subject follows
// "about". The other values are recognised by their shape, so that a line edited by hand is read as
// far as possible.
var comment = regexp.MustCompile(`^(.*?)\s*<!-- (k[1-9]\d{0,8})((?: [^ ]+)*) -->$`)

// parseFact parses a line without its line end. mark is the part of the line before the fact's
// text.
func parseFact(text string) (fact Fact, mark string, ok bool) {
	m := BulletPattern.FindStringSubmatch(text)
	if m == nil {
		return fact, "", false
	}
	fact = Fact{Text: m[2], Kind: DefaultFactKind, Confidence: 1}
	if c := comment.FindStringSubmatch(m[2]); c != nil && c[1] != "" {
		fact.Text, fact.ID = c[1], c[2]
		fact.readComment(strings.Fields(c[3]))
	} else {
		fact.ID = digestID(fact.Text)
	}
	return fact, m[1], true
}

func (f *Fact) readComment(fields []string) {
	for i, field := range fields {
		if field == "about" {
			f.Subject = strings.Join(fields[i+1:], " ")
			return
		}
		confidence, notNumber := strconv.ParseFloat(field, 64)
		message, notMessage := strconv.ParseInt(strings.TrimPrefix(field, "#"), 10, 64)
		_, notDate := time.Parse(time.DateOnly, field)
		switch {
		case slices.Contains(FactKinds, field):
			f.Kind = field
		case notNumber == nil && confidence >= 0 && confidence <= 1:
			f.Confidence = confidence
		case notDate == nil:
			f.Date = field
		case field[0] == '#' && notMessage == nil && message > 0:
			f.Message = message
		}
	}
}

// line formats a fact as the text that follows the mark of the bullet.
func (f Fact) line() string {
	text := fmt.Sprintf("%s <!-- %s %s %s", f.Text, f.ID, f.Kind, strconv.FormatFloat(f.Confidence, 'f', -1, 64))
	if f.Date != "" {
		text += " " + f.Date
	}
	if f.Message > 0 {
		text += fmt.Sprint(" #", f.Message)
	}
	if f.Subject != "" {
		text += " about " + f.Subject
	}
	return text + " -->"
}

// SubjectOrPrefix returns the subject of a fact, or else the prefix of its text. The prefix is up
// to three words before a colon. Without subject and prefix the result is "".
func (f Fact) SubjectOrPrefix() string {
	about, _, found := strings.Cut(f.Text, ": ")
	if f.Subject != "" || !found || len(strings.Fields(about)) > 3 {
		about = f.Subject
	}
	return strings.Join(UnaccentedWords(about), " ")
}

// DescribeProvenance describes where a fact comes from: its date and message, or "by hand".
func (f Fact) DescribeProvenance() string {
	if f.Message == 0 && f.Date == "" {
		return "by hand"
	}
	text := f.Date
	if f.Message > 0 {
		text = strings.TrimPrefix(fmt.Sprintf("%s, message #%d", text, f.Message), ", ")
	}
	return text
}

// CleanText makes the text of a fact or note a single line, and removes comment marks.
func CleanText(text string) string {
	text = strings.Map(func(r rune) rune {
		// control characters could make the text look different from its words
		if unicode.Is(unicode.Bidi_Control, r) || unicode.IsControl(r) && !unicode.IsSpace(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, ""))
	for strings.Contains(text, "<!--") || strings.Contains(text, "-->") {
		text = strings.NewReplacer("<!--", "", "-->", "").Replace(text)
	}
	return strings.Join(strings.Fields(text), " ")
}

// Normalize cleans the texts of a fact, and returns an error if the fact is invalid.
func (f *Fact) Normalize() error {
	f.Text, f.Subject = CleanText(f.Text), strings.ToLower(CleanText(f.Subject))
	n := utf8.RuneCountInString(f.Text)
	switch {
	case f.Text == "":
		return fmt.Errorf("there is no text to remember")
	case n > protocol.MaxFactCharacters:
		return fmt.Errorf("a fact has at most %d characters, and this has %d: say it shorter, or as several",
			protocol.MaxFactCharacters, n)
	case !slices.Contains(FactKinds, f.Kind):
		return fmt.Errorf("kind is %.40q; it is one of %s", f.Kind, strings.Join(FactKinds, ", "))
	case !(f.Confidence >= 0 && f.Confidence <= 1):
		return fmt.Errorf("confidence is %g; it is from 0 to 1", f.Confidence)
	}
	f.Subject = string([]rune(f.Subject)[:min(40, utf8.RuneCountInString(f.Subject))])
	return nil
}

// digestID makes an id from the words of a bullet without an id.
func digestID(text string) string {
	sum := sha256.Sum256([]byte(strings.Join(UnaccentedWords(text), " ")))
	return "h" + hex.EncodeToString(sum[:4])
}
