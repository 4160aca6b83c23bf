package speech

import (
	"context"
	"errors"
	"strings"
	"syscall"
	"unicode"

	"mews/protocol"
	"mews/worker/program"
)

// speechError is why a recording could not be transcribed.
type speechError struct {
	kind   protocol.SpeechFailure
	detail string
}

func (f *speechError) Error() string { return string(f.kind) + ": " + f.detail }

// phrases are what programs write to standard error when they fail, and what it means. The first
// row that fits counts. The words are whisper.cpp 1.9's (it ends with abort(3) without memory, and
// with status 0 without tensors), C++'s and Python's.
var phrases = []struct {
	words string
	kind  protocol.SpeechFailure
}{
	{"failed to allocate", protocol.SpeechMemory},
	{"mem_buffer != NULL", protocol.SpeechMemory},
	{"bad_alloc", protocol.SpeechMemory},
	{"Cannot allocate memory", protocol.SpeechMemory},
	{"MemoryError", protocol.SpeechMemory},
	{"no tensors loaded from model file", protocol.SpeechNoModel},
	{"failed to initialize whisper context", protocol.SpeechNoModel},
}

// listener takes a program's standard error line by line.
type listener struct {
	take   func(line string) // takes every line; nil: nobody does
	line   []byte
	last   string // that says something of an error, else the last
	phrase int    // 1 + the lowest row of phrases that was heard; 0: none
	said   string // the line with it
}

// maxLine is how much of a line is looked at, in bytes.
const maxLine = 1 << 10

// Write takes everything.
func (l *listener) Write(p []byte) (int, error) {
	for _, c := range p {
		switch {
		case c == '\n' || c == '\r':
			l.keep(strings.TrimSpace(string(l.line)))
			l.line = l.line[:0]
		case len(l.line) < maxLine:
			l.line = append(l.line, c)
		}
	}
	return len(p), nil
}

// close takes a last line that has no end.
func (l *listener) close() { l.keep(strings.TrimSpace(string(l.line))) }

func (l *listener) keep(line string) {
	if line == "" {
		return
	}
	if l.take != nil {
		l.take(line)
	}
	if isError(line) || !isError(l.last) {
		l.last = line
	}
	for i, p := range phrases {
		if (l.phrase == 0 || i+1 < l.phrase) && strings.Contains(line, p.words) {
			l.phrase, l.said = i+1, line
		}
	}
}

func isError(line string) bool { return strings.Contains(strings.ToLower(line), "error") }

// failed is the failure that a program's error and its last words mean. It returns the error itself
// where ctx has ended.
func (l *listener) failed(ctx context.Context, err error, missing protocol.SpeechFailure) error {
	l.close()
	if ctx.Err() != nil {
		return err
	}
	kind := kindOf(err, missing, protocol.SpeechExit)
	switch {
	case kind == "":
		return err
	case l.phrase > 0 && kind != protocol.SpeechTimeout:
		return &speechError{phrases[l.phrase-1].kind, l.said}
	case kind != protocol.SpeechExit:
		return &speechError{kind, err.Error()}
	}
	ended, _ := errors.AsType[*program.EndError](err)
	return &speechError{kind, program.Status(ended.State) + ": " + l.last}
}

// kindOf is what the error of a program means: missing where it is not installed, exit where it has
// failed by itself. "" is any other error.
func kindOf(err error, missing, exit protocol.SpeechFailure) protocol.SpeechFailure {
	ended, _ := errors.AsType[*program.EndError](err)
	switch {
	case errors.Is(err, program.ErrNotFound):
		return missing
	case errors.Is(err, context.DeadlineExceeded):
		return protocol.SpeechTimeout
	case ended == nil:
		return ""
	case killed(ended):
		return protocol.SpeechMemory
	}
	return exit
}

// killed tells whether somebody else has killed the program: the kernel does where there is no
// memory left, and so does the spawner.
func killed(e *program.EndError) bool {
	status, ok := e.State.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGKILL
}

// oneLine is a text without line ends and control characters, as long as a detail may be.
func oneLine(text string) string {
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsControl(r) || r == ' ' }), " ")
	return cutText(text, protocol.MaxSpeechDetail)
}
