// Package heartbeat parses HEARTBEAT.md and finds the items that are due. It does no I/O and keeps
// no state.
package heartbeat

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"
	"time"

	"mews/supervisor/recurrence"
)

// maxItems is the most items of a file; further items are ignored.
const maxItems = 200

// Item is an open item of HEARTBEAT.md.
type Item struct {
	Key  string // identifies the item; items with equal texts have one key
	Text string // the item's text without its time
	// When is the item's time, as in "- @weekdays 8:30 look at the build". The zero value means no
	// time: the item is due once a day.
	When recurrence.Rule
	// Wrong says why the item's time can't be read. Such an item is never due at a time. "" means
	// no error.
	Wrong string
}

// HasTime reports whether the item has a time.
func (i Item) HasTime() bool { return i.When.Kind != "" }

var (
	itemPattern = regexp.MustCompile(`^(\s*)(?:[-*+]|\d{1,9}[.)])\s+(?:\[([ xX])\]\s+)?(\S.*)$`)
	comment     = regexp.MustCompile(`(?s)<!--.*?(?:-->|$)`)
	fence       = regexp.MustCompile("^\\s{0,3}(```+|~~~+)")
)

// Parse lists the open items of a file. Headings, comments, code, other text and ticked items do
// not count. Indented text below an item belongs to the item, unless it is an item itself. An
// item's time counts from the moment at which the item was first seen: the moment in was, or else
// now. now is in the user's zone.
func Parse(text string, was ItemRecords, now time.Time) (items []Item) {
	seen := map[string]bool{}
	for _, item := range openItems(comment.ReplaceAllString(text, "")) {
		sum := sha256.Sum256([]byte(item))
		i := Item{Key: hex.EncodeToString(sum[:8]), Text: item}
		if seen[i.Key] || len(items) == maxItems {
			continue
		}
		seen[i.Key] = true
		since := now
		if known, is := was[i.Key]; is {
			since = known.Since
		}
		// a check may run a little earlier in its minute than the first check did
		i.readTime(since.In(now.Location()).Truncate(time.Minute))
		items = append(items, i)
	}
	return items
}

// openItems returns the texts of the open items.
func openItems(text string) (items []string) {
	inItem, closing := false, ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \t\r\n")
		if f := fence.FindStringSubmatch(line); f != nil {
			switch {
			case closing == "":
				closing = f[1]
			case strings.HasPrefix(f[1], closing):
				closing = ""
			}
			inItem = false
			continue
		}
		item := itemPattern.FindStringSubmatch(line)
		switch {
		case closing != "":
		case item != nil && (item[2] == "" || item[2] == " "):
			items, inItem = append(items, item[3]), true
		case item != nil: // a ticked item
			inItem = false
		case inItem && line != "" && strings.TrimLeft(line, " \t") != line:
			items[len(items)-1] += "\n" + strings.TrimSpace(line)
		default:
			inItem = false
		}
	}
	return items
}

// maxTimeWords is the most words of an item's time.
const maxTimeWords = 12

// readTime cuts the time off the beginning of an item. The time consists of the words after the @,
// as far as they can be read as a time. The argument since is the start of a time such as
// "every 2 h".
func (i *Item) readTime(since time.Time) {
	if !strings.HasPrefix(i.Text, "@") {
		return
	}
	first, below, _ := strings.Cut(i.Text[1:], "\n")
	words := strings.Fields(first)
	for n := min(len(words)-1, maxTimeWords); n > 0; n-- {
		when := strings.TrimSuffix(strings.Join(words[:n], " "), ":")
		rule, err := recurrence.Parse(when, since)
		if err != nil || rule.Kind == recurrence.Once {
			continue
		}
		i.When, i.Text = rule, strings.TrimSpace(strings.Join(words[n:], " ")+"\n"+below)
		return
	}
	i.Wrong = textWrong
}
