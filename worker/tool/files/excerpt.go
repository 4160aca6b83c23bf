package files

import (
	"bufio"
	"context"
	"io"

	"mews/worker"
)

const (
	maxLines   = 2000      // most lines of one file in one call
	maxExcerpt = 256 << 10 // most bytes of all files in one call
	maxCounted = 64 << 20  // bytes read after the excerpt to count the file's lines
)

// excerpt holds some lines of a text.
type excerpt struct {
	body        []byte
	first, last int  // numbers of the lines in body; last < first means no lines
	total       int  // number of lines of the text; -1 means too many to count
	partial     bool // the last line in body is cut
	full        bool // body has no room for more lines
	room        int  // most bytes of body
	whole       int  // bytes of body up to the end of the last whole line
}

// complete reports whether the excerpt is the whole text.
func (x *excerpt) complete() bool {
	return !x.partial && x.first == 1 && x.last == x.total
}

// readLines reads the lines first to last of r, at most room bytes of them. All lines are whole,
// unless the first line has more than room bytes.
func readLines(ctx context.Context, r io.Reader, first, last, room int) (*excerpt, error) {
	in := bufio.NewReaderSize(r, decodeChunk)
	x := &excerpt{first: first, last: first - 1, room: room}
	line, after, begun := 1, 0, false
	for {
		piece, err := in.ReadSlice('\n')
		switch {
		case line > last || x.full:
			after += len(piece)
		case line >= first:
			x.take(line, piece)
		}
		begun = len(piece) > 0 && piece[len(piece)-1] != '\n' || begun && len(piece) == 0
		if err == nil {
			line++
		}
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case err == io.EOF:
			x.total = line
			if !begun {
				x.total--
			}
			return x, nil
		case err != nil && err != bufio.ErrBufferFull:
			return nil, err
		case after > maxCounted:
			x.total = -1
			return x, nil
		}
	}
}

// take adds a line, or a piece of a long line.
func (x *excerpt) take(line int, piece []byte) {
	if len(piece) == 0 {
		return
	}
	if len(x.body)+len(piece) <= x.room {
		x.body = append(x.body, piece...)
		x.last = line
		if piece[len(piece)-1] == '\n' {
			x.whole = len(x.body)
		}
		return
	}
	x.full = true
	if x.whole > 0 {
		x.body, x.last = x.body[:x.whole], line-1
		return
	}
	x.body = worker.TrimPartialRune(append(x.body, piece[:x.room-len(x.body)]...))
	x.last, x.partial = line, true
}
