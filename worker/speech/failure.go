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

// speechError is the reason why a recording could not be transcribed.
type speechError struct {
	kind   protocol.SpeechFailure
	detail string
}

func (f *speechError) Error() string { return string(f.kind) + ": " + f.detail }

// phrases maps words on a program's standard error to kinds of failures. The first matching row
// counts. The words are those of whisper.cpp 1.9, C++ and Python. (Without enough memory
// whisper.cpp ends with abort(3). With a model without tensors it ends with status 0.)
var phrases = []struct {
	words string
	kind  protocol.SpeechFailure
}{
	{"failed to allocate", protocol.SpeechFailureOutOfMemory},
	{"mem_buffer != NULL", protocol.SpeechFailureOutOfMemory},
	{"bad_alloc", protocol.SpeechFailureOutOfMemory},
	{"Cannot allocate memory", protocol.SpeechFailureOutOfMemory},
	{"MemoryError", protocol.SpeechFailureOutOfMemory},
	{"no tensors loaded from model file", protocol.SpeechFailureNoModel},
	{"failed to initialize whisper context", protocol.SpeechFailureNoModel},
}

// stderrParser reads a program's standard error line by line.
type stderrParser struct {
	onLine func(line string) // hook for every line; may be nil
	line   []byte
	last   string // last line about an error, otherwise the last line
	phrase int    // 1 + index of the lowest matching row of phrases; 0 means none
	said   string // line that matched the row of phrase
}

// maxLine bounds the part of a line that is read, in bytes.
const maxLine = 1 << 10

// Write takes all of p.
func (l *stderrParser) Write(p []byte) (int, error) {
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

// close handles a last line without an end.
func (l *stderrParser) close() { l.keep(strings.TrimSpace(string(l.line))) }

func (l *stderrParser) keep(line string) {
	if line == "" {
		return
	}
	if l.onLine != nil {
		l.onLine(line)
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

// failureOf returns the failure that a program's error and last words mean. If ctx has ended,
// failureOf returns the error itself.
func (l *stderrParser) failureOf(ctx context.Context, err error, missing protocol.SpeechFailure) error {
	l.close()
	if ctx.Err() != nil {
		return err
	}
	kind := kindOf(err, missing, protocol.SpeechFailureProgramFailed)
	switch {
	case kind == "":
		return err
	case l.phrase > 0 && kind != protocol.SpeechFailureTimeout:
		return &speechError{phrases[l.phrase-1].kind, l.said}
	case kind != protocol.SpeechFailureProgramFailed:
		return &speechError{kind, err.Error()}
	}
	ended, _ := errors.AsType[*program.ExitError](err)
	return &speechError{kind, program.DescribeExit(ended.State) + ": " + l.last}
}

// kindOf returns the kind of a program's error: missing if the program is not installed, exit if
// the program failed by itself, "" for any other error.
func kindOf(err error, missing, exit protocol.SpeechFailure) protocol.SpeechFailure {
	ended, _ := errors.AsType[*program.ExitError](err)
	switch {
	case errors.Is(err, program.ErrNotInstalled):
		return missing
	case errors.Is(err, context.DeadlineExceeded):
		return protocol.SpeechFailureTimeout
	case ended == nil:
		return ""
	case killed(ended):
		return protocol.SpeechFailureOutOfMemory
	}
	return exit
}

// killed reports whether another process killed the program. The kernel and the spawner do so if
// there is too little memory.
func killed(e *program.ExitError) bool {
	status, ok := e.State.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGKILL
}

// oneLine returns a text without line ends and control characters, at most as long as a detail.
func oneLine(text string) string {
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsControl(r) || r == ' ' }), " ")
	return cutText(text, protocol.MaxSpeechDetailBytes)
}
