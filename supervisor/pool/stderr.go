package pool

import (
	"bufio"
	"io"
	"strconv"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"
)

// What is read of a process's standard error, which may be anything and any amount of it.
const (
	lineBytes  = 1 << 10                // a longer line is taken for several
	keptLines  = 20                     // the last ones, for the error that says how it ended
	loggedMost = 20                     // lines logged in loggedSpan; the rest is counted
	loggedSpan = 10 * time.Second       //
	burstBytes = 64 << 10               // read without a pause; a flood then blocks who writes it, and not us
	burstPause = 100 * time.Millisecond //
)

// tail keeps the last lines. The zero value is ready.
type tail struct {
	mu    sync.Mutex // of lines
	lines []string
}

func (t *tail) add(line string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.lines) == keptLines {
		t.lines = append(t.lines[:0], t.lines[1:]...)
	}
	t.lines = append(t.lines, line)
}

func (t *tail) last() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]string(nil), t.lines...)
}

// drain reads r to its end and closes it: it keeps the last lines in t and logs some. It does not pause once done is
// closed, because the writer is gone then.
func drain(r io.ReadCloser, t *tail, log hclog.Logger, done <-chan struct{}) {
	in := bufio.NewReaderSize(r, lineBytes)
	budget := logBudget{now: time.Now}
	for read := 0; ; {
		raw, err := in.ReadSlice('\n')
		if len(raw) > 0 {
			line := escape(raw)
			t.add(line)
			budget.log(log, line)
		}
		if err != nil && err != bufio.ErrBufferFull {
			break // the end, its deadline, or a read that fails: there is no more
		}
		if read += len(raw); read >= burstBytes {
			read = 0
			waitFor(burstPause, done)
		}
	}
	budget.flush(log)
	if err := r.Close(); err != nil {
		log.Warn("close standard error", "error", err)
	}
}

// escape makes a line harmless in a log and on a terminal: control characters, escape sequences and what is not UTF-8
// are spelled out.
func escape(raw []byte) string {
	for len(raw) > 0 && (raw[len(raw)-1] == '\n' || raw[len(raw)-1] == '\r') {
		raw = raw[:len(raw)-1]
	}
	quoted := strconv.QuoteToGraphic(string(raw))
	return quoted[1 : len(quoted)-1]
}

// logBudget logs at most loggedMost lines in each loggedSpan, and says how many it left out.
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

// flush says what was left out.
func (b *logBudget) flush(log hclog.Logger) {
	if b.left > 0 {
		log.Warn("standard error: lines left out", "lines", b.left)
		b.left = 0
	}
}
