package openai

import "strings"

// callFilter removes fenced calls from a text that comes in pieces. It passes all other text to
// emit.
type callFilter struct {
	emit   func(string)
	line   []byte // the current line, if it may be a fence or is within a block
	inText bool   // the current line is normal text
	inside bool
	body   strings.Builder
	found  []string // the contents of the blocks so far
}

// write takes a piece of the text. After the first block it passes nothing on: a model that
// continues there invents results.
func (s *callFilter) write(text string) {
	for text != "" {
		piece, rest, ends := strings.Cut(text, "\n")
		if ends {
			piece += "\n"
		}
		s.piece(piece, ends)
		text = rest
	}
}

// piece takes a part of a line. ends is true for the last part.
func (s *callFilter) piece(piece string, ends bool) {
	if s.inText {
		s.inText = !ends
		s.outside(piece)
		return
	}
	s.line = append(s.line, piece...)
	switch {
	case ends:
		s.wholeLine(s.takeLine())
	case !s.inside && !mayCall(s.line):
		s.inText = true
		s.outside(s.takeLine())
	}
}

// mayCall reports whether a line that begins like this may open a block.
func mayCall(line []byte) bool {
	n := min(len(line), len(callFence))
	return string(line[:n]) == callFence[:n]
}

func (s *callFilter) takeLine() string {
	line := string(s.line)
	s.line = s.line[:0]
	return line
}

// wholeLine takes a complete line. Some models put the fence and the content on one line.
func (s *callFilter) wholeLine(line string) {
	content := line
	if !s.inside {
		after, opens := strings.CutPrefix(line, callFence)
		if !opens || (after != "" && !strings.ContainsRune(" \t\r\n{", rune(after[0]))) {
			s.outside(line)
			return
		}
		s.inside, content = true, after
	}
	content, ends := strings.CutSuffix(strings.TrimRight(content, " \t\r\n"), fence)
	s.body.WriteString(content + "\n")
	if ends {
		s.end()
	}
}

func (s *callFilter) outside(text string) {
	if len(s.found) == 0 {
		s.emit(text)
	}
}

func (s *callFilter) end() {
	s.found = append(s.found, s.body.String())
	s.body.Reset()
	s.inside = false
}

// close ends the text. It also closes an open block, unless the answer was cut.
func (s *callFilter) close(cut bool) {
	if len(s.line) > 0 {
		s.wholeLine(s.takeLine())
	}
	if s.inside && !cut {
		s.end()
	}
}
