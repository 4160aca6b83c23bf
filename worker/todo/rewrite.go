package todo

import (
	"slices"
	"strings"
	"time"
)

// rewrite replaces the lines of an item that differ from the wanted ones.
func (f *File) rewrite(e entry, wanted Item, now time.Time) {
	old := slices.Clone(f.lines[e.from:e.to])
	lines := f.rewrittenLines(e, wanted, now)
	ending := old[0][len(content(old[0])):]
	if ending == "" { // the title is the last line of the file
		ending = f.ending()
	}
	for n := range lines {
		lines[n] += endingOf(old, lines[n], ending)
	}
	if !strings.HasSuffix(old[len(old)-1], "\n") {
		lines[len(lines)-1] = content(lines[len(lines)-1])
	}
	f.lines = slices.Replace(f.lines, e.from, e.to, lines...)
}

// rewrittenLines returns the lines of an item without their endings. Lines with the wanted values
// stay as they are.
func (f *File) rewrittenLines(e entry, wanted Item, now time.Time) []string {
	indent := strings.Repeat(" ", e.indent+2)
	lines := []string{rewriteTitle(content(f.lines[e.from]), e, wanted)}
	if e.effort == 0 && wanted.Effort != DefaultEffort {
		lines = append(lines, indent+"effort: "+wanted.Effort)
	}
	newDue := ""
	if e.due == 0 && !e.inline && wanted.Due != "" {
		newDue = indent + "due: " + wanted.Due
	}
	if newDue != "" && e.effort == 0 {
		lines = append(lines, newDue)
	}
	described := e.Description == wanted.Description
	describe := func() {
		if !described {
			lines, described = append(lines, descriptionLines(wanted.Description, indent)...), true
		}
	}
	for n := e.from + 1; n < e.to; n++ {
		line := content(f.lines[n])
		switch n {
		case e.effort:
			lines = append(lines, valueLine(line, "effort:", e.Effort, wanted.Effort)...)
			if newDue != "" {
				lines = append(lines, newDue)
			}
		case e.due:
			lines = append(lines, valueLine(line, "due:", e.Due, wanted.Due)...)
		case e.meta:
			describe()
			lines = append(lines, rewriteMeta(line, e.Item, wanted, now.Format(TimeLayout)))
		default:
			describe()
			if e.Description == wanted.Description {
				lines = append(lines, line)
			}
		}
	}
	describe()
	if e.meta == 0 {
		lines = append(lines, indent+f.newMeta(wanted.Key, wanted.Status == StatusDone, now))
	}
	return lines
}

// valueLine returns the line of a value, or no line for a value that is not written.
func valueLine(line, key, old, wanted string) []string {
	switch {
	case old == wanted:
		return []string{line}
	case wanted == "" || wanted == DefaultEffort:
		return nil
	}
	return []string{line[:strings.Index(line, key)+len(key)] + " " + wanted}
}

// endingOf returns the ending of a line that the item had before. A new line gets the ending of the
// title.
func endingOf(old []string, line, ending string) string {
	for _, o := range old {
		if content(o) == line && len(o) > len(line) {
			return o[len(line):]
		}
	}
	return ending
}

// rewriteTitle returns the title line with the wanted box and text.
func rewriteTitle(line string, e entry, wanted Item) string {
	if e.Status != wanted.Status {
		line = line[:e.mark] + string(markOfStatus[wanted.Status]) + line[e.mark+1:]
	}
	due := ""
	if e.inline {
		due = wanted.Due
	}
	if e.Title == wanted.Title && slices.Equal(e.Tags, wanted.Tags) && (!e.inline || e.Due == wanted.Due) {
		return line
	}
	return line[:e.title] + titleText(wanted.Title, wanted.Tags, due)
}

// rewriteMeta returns an item's comment with the time of the change. Unknown keys stay.
func rewriteMeta(line string, old, wanted Item, at string) string {
	line = setKey(line, "id", wanted.Key)
	line = setKey(line, "updated", at)
	switch {
	case wanted.Status == StatusDone && old.Status != StatusDone:
		line = setKey(line, "completed", at)
	case wanted.Status != StatusDone:
		line = setKey(line, "completed", "")
	}
	return line
}

// setKey sets a key of a comment. The value "" removes the key.
func setKey(line, key, value string) string {
	from, to := strings.Index(line, "<!--")+len("<!--"), strings.LastIndex(line, "-->")
	for at := from; at < to; {
		start := at + len(line[at:to]) - len(strings.TrimLeft(line[at:to], " \t"))
		end := start + strings.IndexAny(line[start:to]+" ", " \t")
		if strings.HasPrefix(line[start:end], key+":") {
			if value == "" {
				return line[:at] + line[end:]
			}
			return line[:start] + key + ":" + value + line[end:]
		}
		at = max(end, at+1)
	}
	if value == "" {
		return line
	}
	return strings.TrimRight(line[:to], " \t") + " " + key + ":" + value + " " + line[to:]
}
