// Package diff parses unified diffs in the form of git and of GitHub's API. It finds positions for
// comments in them. It does no I/O. Diffs may be hostile: time and memory are proportional to the
// text, and the package never panics.
package diff

import (
	"cmp"
	"iter"
	"strconv"
	"strings"
)

// FileStatus is the kind of a file's change, in GitHub's words.
type FileStatus string

const (
	FileAdded    FileStatus = "added"
	FileRemoved  FileStatus = "removed"
	FileModified FileStatus = "modified"
	FileRenamed  FileStatus = "renamed"
	FileCopied   FileStatus = "copied"
)

// ModeSubmodule is the mode of a submodule. Its only line is the SHA of a commit.
const ModeSubmodule = "160000"

// File is a file of a diff. A file that changes its type, for example to a symbolic link, appears
// as two files: one removed, one added.
type File struct {
	// paths before and after the change; Old is "" for an added file, New for a removed file
	Old, New         string
	Status           FileStatus
	OldMode, NewMode string // file modes in octal; "" if the diff does not contain them
	Binary           bool   // git shows no lines, because the file is binary
	Hunks            []Hunk // the hunks in order
}

// Path returns the file's name for comments.
func (f File) Path() string {
	if f.New != "" {
		return f.New
	}
	return f.Old
}

// IsSubmodule reports whether the file is or was a submodule.
func (f File) IsSubmodule() bool { return f.OldMode == ModeSubmodule || f.NewMode == ModeSubmodule }

// NumberedLines returns the hunks as text, with side and number before each line. An example is
// "R12 +text". With side and number, a reader can name a line. Lines around a piece of a hunk have
// no number, because they belong to other pieces.
func (f File) NumberedLines() string {
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
		b = line.appendNumbered(b)
	}
	return appendIndented(b, around[1])
}

func (l Line) appendNumbered(b []byte) []byte {
	side, number := l.CommentPosition()
	b = append(b, side[0])
	b = strconv.AppendInt(b, int64(number), 10)
	b = append(b, ' ', byte(l.Kind))
	b = append(b, strings.TrimSuffix(l.Text, "\r")...)
	return append(b, '\n')
}

func appendIndented(b []byte, text string) []byte {
	for line := range strings.Lines(text) {
		b = append(b, "   "+strings.TrimRight(line, "\r\n")+"\n"...)
	}
	return b
}

// Hunk is a group of consecutive lines. Its numbers come from its header. If a side has no lines,
// the start on that side is the line before, or 0 in a piece. In a combined diff, the old side is
// the first parent. Lines that only other parents had are left out.
type Hunk struct {
	OldStart, OldLines int
	NewStart, NewLines int
	Section            string // git's text after the numbers, often the name of a function
	// in a piece of a hunk: the lines before and after the piece, in the version after the change.
	// They belong to other pieces
	Around *[2]string

	body    string // the lines as they are in the diff
	parents int
}

// LineKind is the mark before a line in a diff.
type LineKind byte

const (
	LineContext LineKind = ' '
	LineAdded   LineKind = '+'
	LineRemoved LineKind = '-'
)

// Line is a line of a hunk.
type Line struct {
	Kind     LineKind
	Old, New int    // numbers of the line before and after the change; 0 if the line is not on that side
	Text     string // text without the line end; a carriage return before the line end stays
	Unended  bool   // whether the line is the last line of a file and has no line end; never true in a combined diff
}

// CommentPosition returns the position for a comment on the line: its side and number.
func (l Line) CommentPosition() (Side, int) {
	if l.Kind == LineRemoved {
		return LeftSide, l.Old
	}
	return RightSide, l.New
}

// number returns the line's number on a side; 0 if the line is not on that side.
func (l Line) number(side Side) int {
	if side == LeftSide {
		return l.Old
	}
	return l.New
}

// size returns the maximum number of bytes of the line in the form of NumberedLines.
func (l Line) size() int {
	_, number := l.CommentPosition()
	return len("R  \n") + len(strconv.Itoa(number)) + len(l.Text)
}

// Lines returns the hunk's lines in order.
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

// kindOf reads the marks before a line, one for each parent. The result ok is false if the line is
// a remark, or if neither the first parent nor the result has the line. (git-diff(1), combined diff
// format.)
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
