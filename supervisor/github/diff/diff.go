// Package diff reads unified diffs, as git writes them and as GitHub's API gives them for a file,
// and says where in them a comment may stand. It does no I/O. What it reads may be anybody's: it
// takes time and memory in proportion to the text, and never panics.
package diff

import (
	"cmp"
	"iter"
	"strconv"
	"strings"
)

// Status is what happened to a file, in GitHub's words.
type Status string

const (
	Added    Status = "added"
	Removed  Status = "removed"
	Modified Status = "modified"
	Renamed  Status = "renamed"
	Copied   Status = "copied"
)

// ModeSubmodule is the mode of a submodule, whose one line names a commit.
const ModeSubmodule = "160000"

// File is what a diff says of a file. A file that has become something else, such as a symbolic
// link, is two: one removed, one added.
type File struct {
	// paths; Old is "" for a file that was added, New for one that was removed
	Old, New         string
	Status           Status
	OldMode, NewMode string // in octal; "" where the diff does not say
	Binary           bool   // git shows no lines of it
	Hunks            []Hunk // in their order
}

// Path is what comments name the file by.
func (f File) Path() string {
	if f.New != "" {
		return f.New
	}
	return f.Old
}

// Submodule says whether the file is, or was, a commit of another repository.
func (f File) Submodule() bool { return f.OldMode == ModeSubmodule || f.NewMode == ModeSubmodule }

// Numbered is the hunks for a reader who is to name lines: each line with its side and number
// before it, as in "R12 +text". Lines around a piece of a hunk, which belong to another piece, have
// no number.
func (f File) Numbered() string {
	var b []byte
	for i := range f.Hunks {
		b = f.Hunks[i].appendNumbered(b)
	}
	return string(b)
}

func (h *Hunk) appendNumbered(b []byte) []byte {
	b = append(b, strings.TrimRight("@@ "+h.Section, " \r")+"\n"...)
	around := cmp.Or(h.Around, &[2]string{})
	b = appendIndented(b, around[0])
	for line := range h.Lines() {
		side, number := line.At()
		b = append(b, side[0])
		b = strconv.AppendInt(b, int64(number), 10)
		b = append(b, ' ', byte(line.Kind))
		b = append(b, strings.TrimSuffix(line.Text, "\r")...)
		b = append(b, '\n')
	}
	return appendIndented(b, around[1])
}

func appendIndented(b []byte, text string) []byte {
	for line := range strings.Lines(text) {
		b = append(b, "   "+strings.TrimRight(line, "\r\n")+"\n"...)
	}
	return b
}

// Hunk is lines that stand together. Its numbers are those of its header; where it has no lines on
// a side, the start there is the line before it, and 0 in a piece of a hunk. Of a combined diff,
// the old side is the first parent: what only other parents had is not in it.
type Hunk struct {
	OldStart, OldLines int
	NewStart, NewLines int
	Section            string // what git shows behind the numbers, often the function
	// of a piece of a larger hunk: lines of the head before and after it, which are another piece's
	Around *[2]string

	body    string // the lines as they stand in the diff
	parents int
}

// LineKind is a line's mark in a diff.
type LineKind byte

const (
	LineContext LineKind = ' '
	LineAdded   LineKind = '+'
	LineRemoved LineKind = '-'
)

// Line is one line of a hunk.
type Line struct {
	Kind     LineKind
	Old, New int    // its number before and after; 0 where it is not there
	Text     string // without its end, but with the carriage return before that
	Unended  bool   // the file ends with it, without an end of line; a combined diff does not say
}

// At is where a comment on the line stands.
func (l Line) At() (Side, int) {
	if l.Kind == LineRemoved {
		return Left, l.Old
	}
	return Right, l.New
}

// number is the line's number on a side, 0 where it is not there.
func (l Line) number(side Side) int {
	if side == Left {
		return l.Old
	}
	return l.New
}

// size is the most that Numbered takes for the line.
func (l Line) size() int {
	_, number := l.At()
	return len("R  \n") + len(strconv.Itoa(number)) + len(l.Text)
}

// Lines is the hunk's lines in their order.
func (h *Hunk) Lines() iter.Seq[Line] {
	return func(yield func(Line) bool) {
		before, after := h.OldStart, h.NewStart
		for rest := h.body; rest != ""; {
			var raw string
			raw, rest, _ = strings.Cut(rest, "\n")
			kind, ok := kindOf(raw, h.parents)
			if !ok {
				continue
			}
			line := Line{Kind: kind, Text: raw[min(h.parents, len(raw)):], Unended: strings.HasPrefix(rest, `\`)}
			if kind != LineAdded {
				line.Old = before
				before++
			}
			if kind != LineRemoved {
				line.New = after
				after++
			}
			if !yield(line) {
				return
			}
		}
	}
}

// kindOf reads a line's marks, one for each parent. It is not ok where the line is neither in the
// first parent nor in the result, or is no line but a remark about the one before it. (git-diff(1),
// combined diff format.)
func kindOf(raw string, parents int) (kind LineKind, ok bool) {
	marks := raw[:min(parents, len(raw))]
	if marks == "" {
		return LineContext, true
	}
	kind = LineKind(marks[0])
	if kind == LineContext && strings.IndexByte(marks, '-') > 0 {
		return 0, false
	}
	return kind, kind == LineContext || kind == LineAdded || kind == LineRemoved
}
