package diff

import (
	"cmp"
	"slices"
	"strings"
)

// Chunk is a group of files or parts of files for a model to read at once.
type Chunk []File

// UnreadFile is a part of a file that is in no chunk, and the reason.
type UnreadFile struct {
	File   File
	Reason string
}

// SplitIntoChunks splits files into chunks, in order. A chunk has at most size bytes in the form of
// NumberedLines. Each changed line is in one chunk or in an UnreadFile. Files for which skip
// returns a reason stay unread, and so do lines that are too long. Files and hunks are cut only if
// they are larger than a chunk.
func SplitIntoChunks(files []File, size int, skip func(File) (reason string)) ([]Chunk, []UnreadFile) {
	s := splitter{size: size}
	for _, f := range files {
		if reason := skip(f); reason != "" {
			s.unread = append(s.unread, UnreadFile{f, reason})
		} else if len(f.Hunks) > 0 {
			s.file(f)
		}
	}
	s.end()
	return s.chunks, s.unread
}

// splitter fills the chunks one after another.
type splitter struct {
	size   int
	chunks []Chunk
	unread []UnreadFile

	chunk Chunk // the chunk that is being filled
	used  int
}

func (s *splitter) end() {
	if len(s.chunk) > 0 {
		s.chunks = append(s.chunks, s.chunk)
	}
	s.chunk, s.used = nil, 0
}

func (s *splitter) file(f File) {
	if n := len(f.NumberedLines()); n <= s.size {
		s.makeRoom(n)
		s.chunk = append(s.chunk, f)
		return
	}
	rest := f
	rest.Hunks = nil
	for _, h := range f.Hunks {
		if n := len(h.appendNumbered(nil)); n <= s.size {
			s.hunk(rest, h, n)
			continue
		}
		s.pieces(rest, h)
	}
}

// makeRoom begins a new chunk if the current one has no space for n more bytes.
func (s *splitter) makeRoom(n int) {
	if s.used+n > s.size {
		s.end()
	}
	s.used += n
}

// hunk adds a hunk of a file to the current chunk.
func (s *splitter) hunk(f File, h Hunk, n int) {
	s.makeRoom(n)
	if last := len(s.chunk) - 1; last >= 0 && s.chunk[last].Path() == f.Path() && s.chunk[last].Status == f.Status {
		s.chunk[last].Hunks = append(s.chunk[last].Hunks, h)
		return
	}
	f.Hunks = []Hunk{h}
	s.chunk = append(s.chunk, f)
}

// maxAround is how many lines are shown before and after a piece of a hunk. These lines come from
// the file after the change.
const maxAround = 3

// pieces cuts a hunk between lines. Three eighths of a chunk are reserved for the lines before a
// piece, the lines after it, and its heading.
func (s *splitter) pieces(f File, h Hunk) {
	lines := slices.Collect(h.Lines())
	room := s.size / 8
	for from := 0; from < len(lines); {
		to, n := from, 0
		for to < len(lines) && n+lines[to].size() <= s.size-3*room {
			n += lines[to].size()
			to++
		}
		tooLong := to == from
		to = max(to, from+1)
		piece := pieceOf(lines[from:to])
		if piece.Section = h.Section; len(h.Section)+len("@@ \n") > room {
			piece.Section = ""
		}
		piece.Around = &[2]string{headLines(lines, from-1, -1, room), headLines(lines, to, 1, room)}
		from = to
		if tooLong {
			f.Hunks = []Hunk{piece}
			s.unread = append(s.unread, UnreadFile{f, reasonTooLong})
			continue
		}
		s.hunk(f, piece, len(piece.appendNumbered(nil)))
	}
}

// pieceOf returns a hunk with the given lines.
func pieceOf(lines []Line) Hunk {
	h := Hunk{parents: 1}
	var body strings.Builder
	for _, line := range lines {
		body.WriteByte(byte(line.Kind))
		body.WriteString(line.Text)
		body.WriteByte('\n')
		if line.Unended {
			body.WriteString("\\\n")
		}
		if line.Kind != LineAdded {
			h.OldStart = cmp.Or(h.OldStart, line.Old)
			h.OldLines++
		}
		if line.Kind != LineRemoved {
			h.NewStart = cmp.Or(h.NewStart, line.New)
			h.NewLines++
		}
	}
	h.body = body.String()
	return h
}

// headLines returns lines of the file after the change, from index i on. It goes up or down by
// step, and returns as many lines as fit into room bytes.
func headLines(lines []Line, i, step, room int) string {
	var texts []string
	for len(texts) < maxAround && i >= 0 && i < len(lines) && lines[i].New > 0 {
		if room -= lines[i].size(); room < 0 {
			break
		}
		texts = append(texts, lines[i].Text+"\n")
		i += step
	}
	if step < 0 {
		slices.Reverse(texts)
	}
	return strings.Join(texts, "")
}
