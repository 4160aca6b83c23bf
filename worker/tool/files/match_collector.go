package files

import (
	"bytes"
	"fmt"
	"strings"

	"mews/protocol/amount"
	"mews/worker/workspace"
)

// matchCollector collects the lines that match, with the lines around them.
type matchCollector struct {
	matcher      *matcher
	contextLines int // number of lines to show on each side of a match
	limit        int // most matches to collect

	out        strings.Builder
	matches    int
	files      int    // number of files with a match
	stopReason string // reason for stopping the search; "" means that the search goes on

	file        string // path of the searched file
	noMatchYet  bool   // file has no match so far
	number      int    // number of the next line of file
	lastWritten int    // number of the last collected line of file
	// the newest lines that were not collected, at most contextLines
	before     []numberedLine
	linesAfter int // number of lines still to collect after a match
}

// numberedLine is a line that may be collected.
type numberedLine struct {
	number int
	text   string // text of the line, cut to a bounded length
}

// begin begins another file.
func (f *matchCollector) begin(file string) {
	f.file, f.noMatchYet, f.number, f.lastWritten, f.linesAfter = workspace.QuotePath(file), true, 1, 0, 0
	f.before = f.before[:0]
}

// collect searches a run of whole lines, or a piece of a long line.
func (f *matchCollector) collect(block []byte) {
	if f.contextLines == 0 && !f.matcher.mayMatch(block) {
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
		f.match(numberedLine{f.number, cutAround(raw, from, to)})
	case f.linesAfter > 0:
		f.linesAfter--
		f.write(numberedLine{f.number, cutAround(raw, 0, 0)}, '-')
	case f.contextLines > 0:
		if len(f.before) == f.contextLines {
			f.before = append(f.before[:0], f.before[1:]...)
		}
		f.before = append(f.before, numberedLine{f.number, cutAround(raw, 0, 0)})
	}
}

// match collects a matching line, after the lines before it. A match beyond the limit only shows
// that there are further matches.
func (f *matchCollector) match(l numberedLine) {
	if f.matches == f.limit {
		f.stopReason = fmt.Sprintf("stopped at %s: narrow the query, path or glob, or raise limit",
			amount.FormatNumber(int64(f.limit)))
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

// write writes "file:12: text" for a match, and "file-12- text" for a line near a match. A line
// "--" separates runs of lines.
func (f *matchCollector) write(l numberedLine, mark byte) {
	if f.contextLines > 0 && f.out.Len() > 0 && (f.lastWritten == 0 || l.number > f.lastWritten+1) {
		f.out.WriteString("--\n")
	}
	f.lastWritten = l.number
	fmt.Fprintf(&f.out, "%s%c%d%c %s\n", f.file, mark, l.number, mark, l.text)
}
