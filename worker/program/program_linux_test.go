package program

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// boundedWriter takes 64 KiB and then fails. It does not embed its bytes.Buffer, whose ReadFrom
// would read on.
type boundedWriter struct{ taken bytes.Buffer }

func (b *boundedWriter) Write(p []byte) (int, error) {
	if b.taken.Len()+len(p) > 64<<10 {
		return 0, errors.New("enough")
	}
	return b.taken.Write(p)
}

func TestRunner_EachProgramEnd_IsReported(t *testing.T) {
	r := &Runner{Children: NewChildren((*exec.Cmd).Start), Environment: Environment{Home: t.TempDir()}}
	sh := func(script string) Program {
		return Program{Name: "sh", Args: []string{"-c", script}, Timeout: time.Minute, Memory: 64 << 20}
	}
	for name, c := range map[string]struct {
		program Program
		out     string
		is      error
		says    string
	}{
		"it works":            {sh("pwd; echo two"), r.Environment.Home + "\ntwo\n", nil, ""},
		"it fails":            {sh("echo first >&2; echo no such page >&2; exit 3"), "", nil, "sh: exit 3: no such page"},
		"it is not there":     {Program{Name: "nosuchprogram"}, "", ErrNotInstalled, "nosuchprogram"},
		"timeout":             {Program{Name: "sleep", Args: []string{"1000"}, Timeout: time.Millisecond}, "", context.DeadlineExceeded, "no end"},
		"too much output":     {sh("yes"), "", nil, "enough"},
		"it takes memory":     {sh("exec python3 -c 'bytearray(512 << 20)'"), "", nil, "MemoryError"},
		"it leaves one there": {sh("sleep 1000 & echo done"), "done\n", nil, ""},
		"it is killed":        {sh("kill -9 $$"), "", nil, "sh: ended by a signal: killed"},
	} {
		t.Run(name, func(t *testing.T) {
			out := &boundedWriter{}
			c.program.Stdout = out
			err := r.Run(t.Context(), c.program)
			if c.says == "" && c.is == nil && err != nil || c.is != nil && !errors.Is(err, c.is) {
				t.Fatalf("got %v", err)
			}
			if c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
				t.Errorf("got %v, want %q in it", err, c.says)
			}
			if c.out != "" && out.taken.String() != c.out {
				t.Errorf("got %q, want %q", &out.taken, c.out)
			}
		})
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	stopped := errors.New("stopped")
	cancel(stopped)
	if err := r.Run(ctx, sh("sleep 1000")); !errors.Is(err, stopped) {
		t.Errorf("a context that has ended: %v", err)
	}
}
