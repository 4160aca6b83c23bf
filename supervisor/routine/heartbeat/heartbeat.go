// Package heartbeat reads HEARTBEAT.md, and says which of its items are due. It asks nobody and
// keeps nothing.
package heartbeat

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"
	"time"

	"mews/supervisor/recurrence"
)

// maxItems is how many items of a file count.
const maxItems = 200

// Item is an open item of a list.
type Item struct {
	Key  string // tells it from others; of two with the same text there is one
	Text string // without its time
	// When is the time that it begins with, as in "- @weekdays 8:30 look at the build". The zero
	// value is none: it is due once a day.
	When recurrence.Rule
	// Wrong says what can't be read of its time; then it is never due. "" is nothing.
	Wrong string
}

// Timed says whether an item has a time of its own.
func (i Item) Timed() bool { return i.When.Kind != "" }

var (
	itemPattern = regexp.MustCompile(`^(\s*)(?:[-*+]|\d{1,9}[.)])\s+(?:\[([ xX])\]\s+)?(\S.*)$`)
	comment     = regexp.MustCompile(`(?s)<!--.*?(?:-->|$)`)
	fence       = regexp.MustCompile("^\\s{0,3}(```+|~~~+)")
)

// Parse lists the open items of a file. Headings, comments, code, other text and items that are
// ticked off do not count. What is indented below an item, and is no item itself, belongs to it.
// The time of an item counts from when it was first seen, as was has it; from now on where it was
// not. now is in the person's zone.
func Parse(text string, was State, now time.Time) (items []Item) {
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
		// a look may come a little earlier in its minute than the first did
		i.readTime(since.In(now.Location()).Truncate(time.Minute))
		items = append(items, i)
	}
	return items
}

// openItems are the texts of the open items.
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
		case item != nil: // ticked off
			inItem = false
		case inItem && line != "" && strings.TrimLeft(line, " \t") != line:
			items[len(items)-1] += "\n" + strings.TrimSpace(line)
		default:
			inItem = false
		}
	}
	return items
}

// maxTimeWords is how many words a time may have.
const maxTimeWords = 12

// readTime takes the time off that an item begins with: as many words behind the @ as can be read
// as one. since is what "every 2 h" counts from.
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
