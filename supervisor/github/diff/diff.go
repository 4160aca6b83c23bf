// Package diff reads unified diffs, as git writes them and as GitHub's API returns them for a file.
// It finds positions for comments in them. It does no I/O. Its input may come from anybody: time
// and memory are proportional to the text, and it never panics.
package diff

import (
	"cmp"
	"iter"
	"strconv"
	"strings"
)

// Status is the change of a file, in GitHub's words.
type Status string

const (
	Added    Status = "added"
	Removed  Status = "removed"
	Modified Status = "modified"
	Renamed  Status = "renamed"
	Copied   Status = "copied"
)

// ModeSubmodule is the mode of a submodule, whose only line names a commit.
const ModeSubmodule = "160000"

// File is a file of a diff. If a file changes its type, for example to a symbolic link, it appears
// as two files: one removed, one added.
type File struct {
	// paths; Old is "" for an added file, and New is "" for a removed file
	Old, New         string
	Status           Status
	OldMode, NewMode string // in octal; "" if the diff does not tell
	Binary           bool   // git shows no lines of the file
	Hunks            []Hunk // hunks in their order
}

// Path returns the file's name in comments.
func (f File) Path() string {
	if f.New != "" {
		return f.New
	}
	return f.Old
}

// Submodule reports whether the file is, or was, a commit of another repository.
func (f File) Submodule() bool { return f.OldMode == ModeSubmodule || f.NewMode == ModeSubmodule }

// Numbered returns the hunks with side and number before each line: "R12 +text". With these marks,
// a reader can name lines. Lines around a piece of a hunk belong to another piece and have no
// number.
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

// Hunk is a group of consecutive lines. Its numbers are those of its header. If the hunk has no
// lines on a side, the start on that side is the line before, or 0 in a piece of a hunk. In a
// combined diff, the old side is the first parent, so lines that only other parents had are
// missing.
type Hunk struct {
	OldStart, OldLines int
	NewStart, NewLines int
	Section            string // git's text after the numbers, often the function
	// for a piece of a larger hunk: the head's lines before and after the piece, which belong to
	// other pieces
	Around *[2]string

	body    string // the lines as in the diff
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
	Old, New int    // the line's numbers before and after; 0 if the line is not on that side
	Text     string // the text without its line end, but with a carriage return before that
	Unended  bool   // the last line of the file, without a line end; never set for a combined diff
}

// At returns the position of a comment on the line.
func (l Line) At() (Side, int) {
	if l.Kind == LineRemoved {
		return Left, l.Old
	}
	return Right, l.New
}

// number returns the line's number on a side; 0 if the line is not on that side.
func (l Line) number(side Side) int {
	if side == Left {
		return l.Old
	}
	return l.New
}

// size returns the most bytes that Numbered writes for the line.
func (l Line) size() int {
	_, number := l.At()
	return len("R  \n") + len(strconv.Itoa(number)) + len(l.Text)
}

// Lines returns the hunk's lines in their order.
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

// kindOf reads a line's marks, one for each parent. If the line is a remark, ok is false. It is
// also false if the line is neither in the first parent nor in the result. (git-diff(1), combined
// diff format.)
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
