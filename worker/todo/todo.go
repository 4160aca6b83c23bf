// Package todo reads and edits to-do lists in Markdown, without I/O. An item looks like this:
//
//   - [ ] Buy groceries +shopping
//     effort: small
//     due: 2026-12-01
//     Milk and eggs.
//     <!-- id:1 created:2026-11-30T10:00:00 updated:2026-11-30T10:00:00 -->
//
// The box is [ ], [~] or [x]. The effort is tiny, small, large or epic; medium is not written. An
// edit changes only the lines of its item. All other bytes stay, also unknown keys of the comment
// and items that a person has written without a comment.
package todo

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
)

// FileName is the path of the list in a home.
const FileName = "todos.md"

// Status is the state of an item's box.
type Status string

const (
	StatusTodo       Status = "todo"        // [ ]
	StatusInProgress Status = "in_progress" // [~]
	StatusDone       Status = "done"        // [x]
)

var statusOfMark = map[byte]Status{' ': StatusTodo, '~': StatusInProgress, 'x': StatusDone, 'X': StatusDone}

var markOfStatus = map[Status]byte{StatusTodo: ' ', StatusInProgress: '~', StatusDone: 'x'}

// DefaultEffort is the effort that is not written.
const DefaultEffort = "medium"

// Efforts lists the efforts, the smallest first.
func Efforts() []string { return []string{"tiny", "small", DefaultEffort, "large", "epic"} }

// Statuses lists the states of an item.
func Statuses() []string {
	return []string{string(StatusTodo), string(StatusInProgress), string(StatusDone)}
}

// Item is one item of a list.
type Item struct {
	// Key names the item in calls and buttons: its number, or h and a digest of the title if a
	// person has written it without a number.
	Key         string
	Title       string // text without tags and due date
	Description string // lines below the title, without their indentation
	Status      Status
	Effort      string
	Tags        []string // without the plus
	Due         string   // 2026-12-01 or 2026-12-01 15:00; "" means none
	Created     string   // 2026-11-30T10:00:00; "" if a person has written the item
	Updated     string
	Completed   string
	Line        int     // line of the title, from 1
	Source      *Source // where the item was found; nil means that it was not found in a file
}

// Mark tells the item apart from others that have had the same key. It has the time of the item's
// creation, and a digest of its title.
func (i Item) Mark() string {
	sum := sha256.Sum256([]byte(i.Title))
	created := i.Created
	if len(created) > len(TimeLayout) { // buttons carry the mark
		created = ""
	}
	return fmt.Sprintf("%s-%x", created, sum[:3])
}

// TimeLayout is the form of the times in an item's comment, in the user's zone.
const TimeLayout = "2006-01-02T15:04:05"

// dueTimeLayout is the form of a due time with an hour.
const dueTimeLayout = "2006-01-02 15:04"

// ErrBadDue is the error of a due date that is no date.
var ErrBadDue = errors.New("want a date such as 2026-12-01, or 2026-12-01 15:00")

// ParseDue returns the written form of a due date. ok is false if text is neither a date nor a date
// with an hour.
func ParseDue(text string) (due string, ok bool) {
	text = strings.TrimSpace(text)
	if t, err := time.Parse(time.DateOnly, text); err == nil {
		return t.Format(time.DateOnly), true
	}
	for _, layout := range []string{dueTimeLayout, TimeLayout, "2006-01-02T15:04", "2006-01-02 15:04:05"} {
		if t, err := time.Parse(layout, text); err == nil {
			return t.Format(dueTimeLayout), true
		}
	}
	return "", false
}

// DueTime returns when an item is due, in a zone. For a date without an hour, day is true and at is
// the day's midnight. ok is false if the item has no due date.
func (i Item) DueTime(zone *time.Location) (at time.Time, day, ok bool) {
	if at, err := time.ParseInLocation(time.DateOnly, i.Due, zone); err == nil {
		return at, true, true
	}
	at, err := time.ParseInLocation(dueTimeLayout, i.Due, zone)
	return at, false, err == nil
}

// Filter selects items. Its zero value selects all items that are not done.
type Filter struct {
	Status    Status // "" means all that are not done
	MaxEffort string // the largest effort; "" means any
	Tag       string
	Text      string // words that the item contains, in any order
	DueBefore string // only items that are due before that day, as 2026-12-01
}

// Matches reports whether the filter selects an item.
func (f Filter) Matches(i Item) bool {
	switch {
	case f.Status == "" && i.Status == StatusDone, f.Status != "" && i.Status != f.Status:
		return false
	case f.MaxEffort != "" && slices.Index(Efforts(), i.Effort) > slices.Index(Efforts(), f.MaxEffort):
		return false
	case f.DueBefore != "" && (i.Due == "" || i.Due >= f.DueBefore):
		return false
	}
	tag := strings.TrimPrefix(f.Tag, "+")
	if tag != "" && !slices.ContainsFunc(i.Tags, func(t string) bool { return strings.EqualFold(t, tag) }) {
		return false
	}
	text := strings.ToLower(i.Title + "\n" + i.Description + "\n" + strings.Join(i.Tags, " "))
	for _, word := range strings.Fields(strings.ToLower(f.Text)) {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}

// Select returns the items that a filter selects. Items with a due date come first, the earliest
// first; the others follow in the order of the file.
func Select(items []Item, f Filter) (list []Item) {
	for _, i := range items {
		if f.Matches(i) {
			list = append(list, i)
		}
	}
	slices.SortStableFunc(list, func(a, b Item) int {
		if (a.Due == "") != (b.Due == "") {
			return strings.Compare(b.Due, a.Due)
		}
		return strings.Compare(a.Due, b.Due)
	})
	return list
}

// cleanLine returns a text as one line without control characters.
func cleanLine(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
	return strings.Join(strings.Fields(text), " ")
}

// isTag reports whether a word is a tag. Phone numbers such as +49 are none.
func isTag(word string) bool {
	name, found := strings.CutPrefix(word, "+")
	for n, r := range name {
		if !unicode.IsLetter(r) && (n == 0 || !unicode.IsNumber(r) && !unicode.IsMark(r) && r != '-' && r != '_') {
			return false
		}
	}
	return found && name != ""
}

// splitTitle splits the text of a title line into the title, its tags and its due date.
func splitTitle(text string) (title string, tags []string, due string) {
	if !strings.ContainsAny(text, "+:\t") && !strings.Contains(text, "  ") && isASCII(text) {
		return strings.TrimSpace(text), nil, "" // most titles
	}
	words := strings.Fields(text)
	kept := words[:0]
	for _, word := range words {
		if date, found := strings.CutPrefix(word, "due:"); found && due == "" {
			if due, _ = ParseDue(date); due != "" {
				continue
			}
		}
		if isTag(word) {
			tags = append(tags, word[1:])
		} else {
			kept = append(kept, word)
		}
	}
	return strings.Join(kept, " "), tags, due
}

func isASCII(text string) bool {
	for n := range len(text) {
		if text[n] >= 0x80 || text[n] < ' ' {
			return false
		}
	}
	return true
}
