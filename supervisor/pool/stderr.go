package pool

import (
	"bufio"
	"os"
	"strconv"
	"time"

	"github.com/hashicorp/go-hclog"
)

// Limits for reading a process's standard error, which may contain any bytes in any amount.
const (
	lineBytes  = 1 << 10 // maximum bytes in a line; a longer line counts as several lines
	keptLines  = 20      // number of last lines in the error about the process's end
	loggedMost = 20      // maximum of lines logged within loggedSpan; further lines are only counted
	loggedSpan = 10 * time.Second
	// bytes read before a pause; a flood then blocks its writer, but not us
	burstBytes = 64 << 10
	burstPause = 100 * time.Millisecond
)

// stderrLinger is how long the standard error of a dead process is still read. Another process may
// still have it open.
const stderrLinger = time.Second

// stderr is a process's standard error. A goroutine reads it to its end, keeps the last lines, and
// logs some lines.
type stderr struct {
	file  *os.File
	read  chan struct{} // closed when reading has ended
	lines []string      // the last lines; only run uses them until read is closed
	// short says whether a line reported a shortage. It is separate, because a stack trace may push
	// that line out of lines. Only run uses it until read is closed.
	short bool
}

// readStderr reads the file in a goroutine, and closes it at the end. After dead is closed it does
// not pause, because the writer is gone. The caller must call end.
func readStderr(file *os.File, log hclog.Logger, dead <-chan struct{}) *stderr {
	s := &stderr{file: file, read: make(chan struct{})}
	go s.run(log, dead)
	return s
}

// end waits until the standard error of a dead process was read, and returns the last lines.
func (s *stderr) end() []string {
	// fails only if run has already closed the file
	_ = s.file.SetReadDeadline(time.Now().Add(stderrLinger))
	<-s.read
	return s.lines
}

func (s *stderr) run(log hclog.Logger, dead <-chan struct{}) {
	defer close(s.read)
	in := bufio.NewReaderSize(s.file, lineBytes)
	budget := logBudget{now: time.Now}
	for read := 0; ; {
		raw, err := in.ReadSlice('\n')
		if len(raw) > 0 {
			line := escape(raw)
			s.short = s.short || saysShortage(line)
			s.lines = append(s.lines[max(0, len(s.lines)-keptLines+1):], line)
			budget.log(log, line)
		}
		if err != nil && err != bufio.ErrBufferFull {
			break // end of file, deadline or read error
		}
		if read += len(raw); read >= burstBytes {
			read = 0
			waitFor(burstPause, dead)
		}
	}
	budget.flush(log)
	if err := s.file.Close(); err != nil {
		log.Warn("close standard error", "error", err)
	}
}

// escape makes a line safe for a log and a terminal. It escapes control characters, escape
// sequences and invalid UTF-8.
func escape(raw []byte) string {
	for len(raw) > 0 && (raw[len(raw)-1] == '\n' || raw[len(raw)-1] == '\r') {
		raw = raw[:len(raw)-1]
	}
	quoted := strconv.QuoteToGraphic(string(raw))
	return quoted[1 : len(quoted)-1]
}

// logBudget logs at most loggedMost lines within loggedSpan, and reports how many it left out.
type logBudget struct {
	now   func() time.Time
	since time.Time
	used  int
	left  int
}

func (b *logBudget) log(log hclog.Logger, line string) {
	if now := b.now(); now.Sub(b.since) >= loggedSpan {
		b.flush(log)
		b.since, b.used = now, 0
	}
	if b.used == loggedMost {
		b.left++
		return
	}
	b.used++
	log.Warn("standard error", "line", line)
}

// flush logs how many lines were left out.
func (b *logBudget) flush(log hclog.Logger) {
	if b.left > 0 {
		log.Warn("standard error: lines left out", "lines", b.left)
		b.left = 0
	}
}
