package todo

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Bounds of the texts that an edit writes, in characters.
const (
	MaxTitle       = 300
	MaxDescription = 4000
	maxTags        = 20
)

// ErrNotFound is the error for a key that no item has.
var ErrNotFound = errors.New("no to-do has this id")

// textSwallowed is the error of an edit that would change how other lines are read.
const textSwallowed = FileName + " can't be edited here: a block of code or a comment before this to-do has no end, " +
	"or a loose indented line follows it; read the file and mend it with edit_file"

// Change holds the new values of an item; nil means that a value stays.
type Change struct {
	Title       *string // tags and a due date in it count as such
	Description *string
	Status      *Status
	Effort      *string
	Tags        *[]string
	Due         *string // "" removes the due date
}

// Add puts a new item at the end. If an item with these values is there and not done, Add returns
// that item, and added is false. The time now is in the user's zone.
func (f *File) Add(c Change, now time.Time) (item Item, added bool, err error) {
	wanted, err := Item{Effort: DefaultEffort, Status: StatusTodo}.with(c)
	if err != nil {
		return item, false, err
	}
	f.refresh()
	for _, e := range f.items {
		if e.Status != StatusDone && e.sameWords(wanted) {
			return e.Item, false, nil
		}
	}
	wanted.Key = strconv.FormatInt(f.highest+1, 10)
	wanted.Created = now.Format(TimeLayout)
	ending := f.ending()
	if len(f.lines) == 0 {
		f.lines = []string{"# Todos" + ending}
	}
	last := &f.lines[len(f.lines)-1]
	cut := content(*last) == *last // the last line has no ending
	if cut {
		*last += ending
	}
	if strings.TrimSpace(*last) != "" {
		f.lines = append(f.lines, ending)
	}
	f.lines = append(f.lines, f.newLines(wanted, now, ending)...)
	if cut {
		f.lines[len(f.lines)-1] = content(f.lines[len(f.lines)-1])
	}
	item, err = f.reread(wanted)
	return item, err == nil, err
}

// newLines returns the lines of a new item.
func (f *File) newLines(i Item, now time.Time, ending string) []string {
	lines := []string{"- [" + string(markOfStatus[i.Status]) + "] " + titleText(i.Title, i.Tags, "")}
	if i.Effort != DefaultEffort {
		lines = append(lines, "  effort: "+i.Effort)
	}
	if i.Due != "" {
		lines = append(lines, "  due: "+i.Due)
	}
	lines = append(lines, descriptionLines(i.Description, "  ")...)
	lines = append(lines, "  "+f.newMeta(i.Key, i.Status == StatusDone, now))
	for n := range lines {
		lines[n] += ending
	}
	return lines
}

// newMeta returns the comment of an item that has none.
func (f *File) newMeta(key string, done bool, now time.Time) string {
	at, words := now.Format(TimeLayout), []string{"<!--", "id:" + key}
	if f.user != "" {
		words = append(words, "user:"+f.user)
	}
	words = append(words, "created:"+at, "updated:"+at)
	if done {
		words = append(words, "completed:"+at)
	}
	return strings.Join(append(words, "-->"), " ")
}

// ending returns the line ending of the file.
func (f *File) ending() string {
	if len(f.lines) > 0 && strings.HasSuffix(f.lines[0], "\r\n") {
		return "\r\n"
	}
	return "\n"
}

func titleText(title string, tags []string, due string) string {
	if due != "" {
		title += " due:" + strings.ReplaceAll(due, " ", "T")
	}
	for _, tag := range tags {
		title += " +" + tag
	}
	return title
}

func descriptionLines(text, indent string) (lines []string) {
	if text == "" {
		return nil
	}
	for line := range strings.SplitSeq(text, "\n") {
		if line != "" {
			line = indent + line
		}
		lines = append(lines, line)
	}
	return lines
}

// Update changes an item. changed is false if the item has these values already.
func (f *File) Update(key string, c Change, now time.Time) (item Item, changed bool, err error) {
	n := f.index(key)
	if n < 0 {
		return item, false, ErrNotFound
	}
	old := f.items[n]
	wanted, err := old.with(c)
	if err != nil || old.sameWords(wanted) && old.Status == wanted.Status {
		return old.Item, false, err
	}
	if _, err := strconv.Atoi(wanted.Key); err != nil {
		wanted.Key = strconv.FormatInt(f.highest+1, 10)
	}
	f.rewrite(old, wanted, now)
	item, err = f.rereadItem(old, wanted)
	return item, err == nil, err
}

// Remove deletes an item, with one of the blank lines around it. After an error the File is of no
// further use.
func (f *File) Remove(key string) (Item, error) {
	n := f.index(key)
	if n < 0 {
		return Item{}, ErrNotFound
	}
	e := f.items[n]
	from, to := e.from, e.to
	blank := func(n int) bool { return n >= 0 && n < len(f.lines) && strings.TrimSpace(f.lines[n]) == "" }
	switch {
	case blank(to) && (from == 0 || blank(from-1)):
		to++
	case to == len(f.lines) && blank(from-1):
		from--
	}
	hadNewline := strings.HasSuffix(f.lines[len(f.lines)-1], "\n")
	f.lines = slices.Delete(f.lines, from, to)
	for !hadNewline && blank(len(f.lines)-1) {
		f.lines = f.lines[:len(f.lines)-1]
	}
	if last := len(f.lines) - 1; last >= 0 && !hadNewline {
		f.lines[last] = content(f.lines[last])
	}
	others := slices.Delete(f.items, n, n+1)
	f.parse()
	if !slices.EqualFunc(f.items, others, func(a, b entry) bool { return a.sameWords(b.Item) }) {
		return e.Item, errors.New(textSwallowed)
	}
	return e.Item, nil
}

// with returns an item with new values.
func (i Item) with(c Change) (Item, error) {
	if c.Description != nil {
		text, err := cleanDescription(*c.Description)
		if err != nil {
			return i, err
		}
		i.Description = text
	}
	if c.Effort != nil {
		if i.Effort = *c.Effort; !slices.Contains(Efforts(), i.Effort) {
			return i, fmt.Errorf("effort %.40q: want one of %s", i.Effort, strings.Join(Efforts(), ", "))
		}
	}
	if c.Status != nil {
		if i.Status = *c.Status; markOfStatus[i.Status] == 0 {
			return i, fmt.Errorf("status %.40q: want one of %s", i.Status, strings.Join(Statuses(), ", "))
		}
	}
	var err error
	if c.Tags != nil {
		if i.Tags, err = cleanTags(*c.Tags); err != nil {
			return i, err
		}
	}
	if c.Title != nil {
		title, tags, due := splitTitle(cleanLine(*c.Title))
		i.Title = title
		for _, tag := range tags {
			if !slices.Contains(i.Tags, tag) {
				i.Tags = append(slices.Clone(i.Tags), tag)
			}
		}
		if due != "" {
			i.Due = due
		}
	}
	if c.Due != nil {
		var ok bool
		if i.Due, ok = ParseDue(*c.Due); !ok && *c.Due != "" {
			return i, fmt.Errorf("due %.40q: %w", *c.Due, ErrBadDue)
		}
	}
	switch {
	case i.Title == "":
		return i, errors.New("the title is empty; say what is to be done")
	case utf8.RuneCountInString(i.Title) > MaxTitle:
		return i, fmt.Errorf("the title has more than %d characters; put the rest into the description", MaxTitle)
	case len(i.Tags) > maxTags:
		return i, fmt.Errorf("%d tags, at most %d", len(i.Tags), maxTags)
	}
	return i, nil
}

// cleanTags checks tags, and removes the plus before them.
func cleanTags(list []string) (tags []string, err error) {
	for _, tag := range list {
		tag = strings.TrimPrefix(strings.TrimSpace(tag), "+")
		if !isTag("+"+tag) || utf8.RuneCountInString(tag) > 40 {
			return nil, fmt.Errorf("tag %.40q: want a letter, and then letters, digits, - and _", tag)
		}
		if !slices.Contains(tags, tag) {
			tags = append(tags, tag)
		}
	}
	return tags, nil
}

// cleanDescription returns a description in the form in which it is read again.
func cleanDescription(text string) (string, error) {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\r\n", "\n")
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimRight(strings.ReplaceAll(line, "\r", " "), " \t")
		trimmed := strings.TrimSpace(line)
		_, effort := parseEffort(trimmed)
		date, due := strings.CutPrefix(trimmed, "due:")
		if _, ok := ParseDue(date); effort || due && ok {
			return "", fmt.Errorf("the description has the line %.40q; give it as an argument of its own", trimmed)
		}
		if strings.Contains(line, "<!--") || strings.Contains(line, "-->") {
			return "", errors.New("the description has a comment, <!-- or -->; leave that out")
		}
		if strings.Contains(line, "\x00") {
			return "", errors.New("the description has a zero byte; leave that out")
		}
		if trimmed == "" || len(lines) == 0 {
			line = trimmed
		}
		if trimmed != "" || len(lines) > 0 {
			lines = append(lines, strings.ReplaceAll(line, "\t", "    "))
		}
	}
	text = strings.TrimRight(strings.Join(lines, "\n"), "\n")
	if utf8.RuneCountInString(text) > MaxDescription {
		return "", fmt.Errorf("the description has more than %d characters; put the rest into a file", MaxDescription)
	}
	return text, nil
}

// sameWords reports whether two items differ at most in their state, number and place.
func (i Item) sameWords(o Item) bool {
	return i.Title == o.Title && i.Description == o.Description && i.Effort == o.Effort && i.Due == o.Due &&
		slices.Equal(i.Tags, o.Tags)
}

// reread parses the file after an item was added, and returns the item. It fails if something
// around the item, such as a block of code without an end, swallows it.
func (f *File) reread(wanted Item) (Item, error) {
	f.parse()
	got, ok := f.Find(wanted.Key)
	if !ok || !got.sameWords(wanted) || got.Status != wanted.Status {
		return got, errors.New(textSwallowed)
	}
	return got, nil
}

// rereadItem parses an item after its lines were rewritten. The rest of the file is parsed later,
// if that is needed.
func (f *File) rereadItem(old entry, wanted Item) (Item, error) {
	f.stale = true
	line := content(f.lines[old.from])
	e, ok := startItem(strings.TrimPrefix(line, byteOrderMark))
	e.from, e.title = old.from, old.title
	if ok {
		f.readItem(&e)
	}
	if e.Key != wanted.Key || !e.sameWords(wanted) || e.Status != wanted.Status {
		return e.Item, errors.New(textSwallowed)
	}
	return e.Item, nil
}
