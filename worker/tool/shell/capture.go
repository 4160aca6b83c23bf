package shell

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"

	"mews/protocol/amount"
)

// maxShown bounds a line of progress, in bytes.
const maxShown = 200

// outputCapture collects a program's output in bounded memory. It keeps the beginning and the end.
// If the output is longer than the beginning, it also writes the whole output to a file.
type outputCapture struct {
	limits *limits
	temp   *tempFolder

	mu        sync.Mutex
	head      []byte
	tail      []byte // the newest output after head, up to twice the limit for the tail
	total     int64
	lines     int64  // number of complete lines in the output
	last      []byte // the beginning of the newest line that is not blank, for progress
	lineIsNew bool   // there was output since the last progressLine
	file      *os.File
	kept      int64 // bytes of the output in the file
	fileErr   error // error that left the file incomplete
}

// Write takes all output. It also counts output that cannot be written to the file.
func (c *outputCapture) Write(p []byte) (int, error) {
	c.add(p)
	return len(p), nil
}

func (c *outputCapture) add(p []byte) {
	if len(p) == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.total += int64(len(p))
	c.lines += int64(bytes.Count(p, []byte{'\n'}))
	c.noteLine(p)
	room := min(c.limits.head-len(c.head), len(p))
	c.head = append(c.head, p[:room]...)
	if p = p[room:]; len(p) == 0 {
		return
	}
	c.writeToFile(p)
	c.tail = append(c.tail, p...)
	if over := len(c.tail) - c.limits.tail; over > c.limits.tail {
		c.tail = append(c.tail[:0], c.tail[over:]...)
	}
}

// noteLine remembers the newest line. A carriage return starts the line again, as in progress bars.
func (c *outputCapture) noteLine(p []byte) {
	for line := range bytes.FieldsFuncSeq(p[max(0, len(p)-2*maxShown):], func(r rune) bool { return r == '\n' || r == '\r' }) {
		if c.lineIsNew = true; len(bytes.TrimSpace(line)) > 0 {
			c.last = append(c.last[:0], line[:min(len(line), maxShown)]...)
		}
	}
}

// writeToFile writes output after the head to the file. If there is no file yet, it makes a file
// that begins with the head.
func (c *outputCapture) writeToFile(p []byte) {
	if c.file == nil && c.fileErr == nil {
		if c.file, c.fileErr = c.temp.output(); c.fileErr == nil {
			c.write(c.head)
		}
	}
	c.write(p)
}

func (c *outputCapture) write(p []byte) {
	p = p[:min(int64(len(p)), max(c.limits.kept-c.kept, 0))]
	if c.fileErr != nil || len(p) == 0 {
		return
	}
	var n int
	n, c.fileErr = c.file.Write(p)
	c.kept += int64(n)
}

// progressLine returns the newest line since the last call; "" if there is none.
func (c *outputCapture) progressLine() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.lineIsNew {
		return ""
	}
	c.lineIsNew = false
	return oneLine(string(c.last))
}

// capturedOutput is a complete output.
type capturedOutput struct {
	text  string // output for the model; a line replaces the part left out
	left  string // note about the part left out, with the file's path; "" if the text is whole
	lines int64
	total int64
}

// finish closes the capture and returns the output.
func (c *outputCapture) finish() capturedOutput {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := capturedOutput{lines: c.lines, total: c.total}
	if c.total > 0 && !bytes.HasSuffix(append(c.head, c.tail...), []byte{'\n'}) {
		out.lines++
	}
	tail := c.tail[max(0, len(c.tail)-c.limits.tail):]
	gone := c.total - int64(len(c.head)) - int64(len(tail))
	if out.left = c.closeFile(gone); out.left == "" {
		// a character may begin in the head and end in the tail
		out.text = validText(string(c.head) + string(tail))
		return out
	}
	out.text = validText(string(c.head)) + "\n[... " + out.left + " ...]\n" + validText(string(tail))
	return out
}

// discard closes the capture and removes the file.
func (c *outputCapture) discard() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.file != nil {
		_ = c.temp.removeOutput(c.file)
		c.file, c.fileErr = nil, errors.New("it was stopped")
	}
}

// closeFile closes the file, and removes it if the text is whole. Otherwise it returns a sentence
// about the omitted bytes.
func (c *outputCapture) closeFile(gone int64) string {
	if gone == 0 {
		if c.file != nil {
			_ = c.temp.removeOutput(c.file) // neither model nor user was told of the file
		}
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s of %s left out; ", amount.FormatBytes(gone), amount.FormatBytes(c.total))
	switch {
	case c.file == nil:
		fmt.Fprintf(&b, "they could not be kept: %v", c.fileErr)
	case c.kept < c.total:
		fmt.Fprintf(&b, "the first %s are in %s until two more are kept", amount.FormatBytes(c.kept), c.file.Name())
	default:
		fmt.Fprintf(&b, "the whole is in %s until two more are kept", c.file.Name())
	}
	if c.file != nil {
		_ = c.file.Close() // an error loses nothing: the file need not survive a crash
	}
	return b.String()
}
