package files

import (
	"bytes"
	"fmt"
	"strings"

	"mews/protocol/amount"
	"mews/worker/workspace"
)

// matchCollector looks for lines that match and writes them down, with those around them.
type matchCollector struct {
	matcher      *matcher
	contextLines int // lines on each side
	limit        int // matches

	out        strings.Builder
	matches    int
	files      int    // that have a match
	stopReason string // why no more is looked for; "" while it is

	file        string // being looked through
	noMatchYet  bool   // file has no match yet
	number      int    // of the line that comes next
	lastWritten int    // the last line of file that was written down
	before      []line // the lines just before, not written down, at most around
	linesAfter  int    // lines that are still to be written down after a match
}

// line is a line that may be written down.
type line struct {
	number int
	text   string // cut
}

// begin goes on to another file.
func (f *matchCollector) begin(file string) {
	f.file, f.noMatchYet, f.number, f.lastWritten, f.linesAfter = workspace.Show(file), true, 1, 0, 0
	f.before = f.before[:0]
}

// collect goes through a run of whole lines, or a piece of a long one.
func (f *matchCollector) collect(block []byte) {
	if f.contextLines == 0 && !f.matcher.maybe(block) {
		f.number += bytes.Count(block, []byte("\n"))
		return
	}
	for one := range bytes.Lines(block) {
		f.line(one)
		if bytes.HasSuffix(one, []byte("\n")) {
			f.number++
		}
		if f.stopReason != "" {
			return
		}
	}
}

func (f *matchCollector) line(raw []byte) {
	from, to := f.matcher.find(bytes.TrimRight(raw, "\r\n"))
	switch {
	case from >= 0:
		f.match(line{f.number, cutAround(raw, from, to)})
	case f.linesAfter > 0:
		f.linesAfter--
		f.write(line{f.number, cutAround(raw, 0, 0)}, '-')
	case f.contextLines > 0:
		if len(f.before) == f.contextLines {
			f.before = append(f.before[:0], f.before[1:]...)
		}
		f.before = append(f.before, line{f.number, cutAround(raw, 0, 0)})
	}
}

// match writes a line down that matches, after those before it. Whether there would be more than the limit is only
// known at the one that is too many.
func (f *matchCollector) match(l line) {
	if f.matches == f.limit {
		f.stopReason = fmt.Sprintf("stopped at %s: narrow the query, path or glob, or raise limit", amount.Number(int64(f.limit)))
		return
	}
	if f.noMatchYet {
		f.files, f.noMatchYet = f.files+1, false
	}
	f.matches++
	for _, b := range f.before {
		f.write(b, '-')
	}
	f.before, f.linesAfter = f.before[:0], f.contextLines
	f.write(l, ':')
	if f.out.Len() > maxAnswer {
		f.stopReason = "stopped because the answer is too long: narrow the query, path or glob"
	}
}

// write adds file:12: text for a match, file-12- text for a line around one; -- parts runs of lines.
func (f *matchCollector) write(l line, mark byte) {
	if f.contextLines > 0 && f.out.Len() > 0 && (f.lastWritten == 0 || l.number > f.lastWritten+1) {
		f.out.WriteString("--\n")
	}
	f.lastWritten = l.number
	fmt.Fprintf(&f.out, "%s%c%d%c %s\n", f.file, mark, l.number, mark, l.text)
}
