package diff

import (
	"fmt"
	"slices"
	"strings"
)

// FileContext is the part of a file after the change that helps to understand its hunks. It is in
// the form of NumberedLines.
type FileContext struct {
	Whole     string // the whole file; "" if it is too large
	Functions string // the functions around the hunks, if Whole is ""
}

// Limits of the context of a chunk, in bytes.
const (
	maxWhole     = 48 << 10 // bytes of a file that is shown in full
	maxWholes    = 64 << 10 // bytes of all files of a chunk that are shown in full
	maxFunctions = 96 << 10 // bytes of the functions of all files of a chunk
	maxFunction  = 8 << 10  // bytes of one function
	minFunction  = 512      // bytes of one function, even if there are many functions
)

// ContextOfChunk returns the context of a chunk's files by their paths. heads has the files after
// the change. The function around each hunk is shown, however large the file is. If a function is
// too long, only its first line and the lines around the changes are shown.
func ContextOfChunk(chunk Chunk, heads map[string]string) map[string]FileContext {
	contexts, room := map[string]FileContext{}, maxWholes
	rest := map[string][]function{}
	functions := 0
	for _, f := range chunk {
		text, known := heads[f.Path()]
		if _, done := contexts[f.Path()]; done || !known || text == "" {
			continue
		}
		if len(text) <= min(maxWhole, room) {
			room -= len(text)
			contexts[f.Path()] = FileContext{Whole: NumberTextLines(text)}
			continue
		}
		rest[f.Path()] = append(rest[f.Path()], functionsOf(f, newSource(text))...)
		functions += len(rest[f.Path()])
	}
	share := min(maxFunction, max(minFunction, maxFunctions/max(functions, 1)))
	for path, list := range rest {
		contexts[path] = FileContext{Functions: functionText(newSource(heads[path]), list, share)}
	}
	return contexts
}

// function is a function with its changed lines.
type function struct {
	lineSpan
	changed lineSpan
}

// functionsOf returns the functions around the changes of a file, in order. It leaves out functions
// that the hunks show completely.
func functionsOf(f File, s source) (list []function) {
	shown := map[int]bool{}
	for i := range f.Hunks {
		for line := range f.Hunks[i].Lines() {
			shown[line.New] = true
		}
	}
	for i := range f.Hunks {
		next := f.Hunks[i].NewStart
		for line := range f.Hunks[i].Lines() {
			if line.New > 0 {
				next = line.New + 1
			}
			if line.Kind == LineContext {
				continue
			}
			at := line.New
			if at == 0 {
				at = next // a removed line belongs to the function of the line after it
			}
			if at > 0 { // a piece with only removed lines has no position after the change
				list = addFunction(list, s, min(at, len(s.lines)))
			}
		}
	}
	return slices.DeleteFunc(list, func(f function) bool {
		for n := f.first; n <= f.last; n++ {
			if !shown[n] {
				return false
			}
		}
		return true
	})
}

// addFunction adds the function around a changed line, unless the list has it.
func addFunction(list []function, s source, at int) []function {
	for i, f := range list {
		if f.first <= at && at <= f.last {
			list[i].changed = lineSpan{min(f.changed.first, at), max(f.changed.last, at)}
			return list
		}
	}
	if around, ok := s.enclosing(at); ok {
		list = append(list, function{around, lineSpan{at, at}})
	}
	return list
}

// functionText returns functions as numbered lines. most is the maximum of bytes for each function.
func functionText(s source, list []function, most int) string {
	var b strings.Builder
	for i, f := range list {
		if i > 0 {
			b.WriteString("\n")
		}
		last := 0
		for _, part := range s.cut(f, most) {
			if last > 0 {
				fmt.Fprintf(&b, textLinesLeftOut, part.first-last-1)
			}
			for n := part.first; n <= part.last; n++ {
				b.Write(Line{Kind: LineContext, New: n, Text: s.line(n)}.appendNumbered(nil))
			}
			last = part.last
		}
		if last < f.last {
			fmt.Fprintf(&b, textLinesLeftOut, f.last-last)
		}
	}
	return b.String()
}

// cut returns the parts of a function that fit into the maximum of bytes, most. These are the whole
// function, or its first line and the lines around the changes.
func (s source) cut(f function, most int) []lineSpan {
	size := func(n int) int { return Line{New: n, Text: s.line(n)}.size() }
	total := 0
	for n := f.first; n <= f.last; n++ {
		total += size(n)
	}
	if total <= most {
		return []lineSpan{f.lineSpan}
	}
	left := most - size(f.first)
	part := lineSpan{f.changed.first, f.changed.first - 1}
	for grows := true; grows; {
		grows = false
		if part.last < f.last && size(part.last+1) <= left {
			part.last++
			left -= size(part.last)
			grows = true
		}
		if part.first > f.first && size(part.first-1) <= left {
			part.first--
			left -= size(part.first)
			grows = true
		}
	}
	if part.first <= f.first+1 {
		return []lineSpan{{f.first, max(f.first, part.last)}}
	}
	return slices.DeleteFunc([]lineSpan{{f.first, f.first}, part}, func(p lineSpan) bool { return p.last < p.first })
}
