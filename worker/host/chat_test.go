package host_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"mews/protocol"
	"mews/worker/host"
)

func TestAFileIsKeptAsItIsRead(t *testing.T) {
	for _, size := range []int{0, 1, protocol.BlobChunk, 3*protocol.BlobChunk + 3} {
		s, h := connect(t)
		text := strings.Repeat("mews ", size/5+1)[:size]
		kept, err := h.Turn(1).Keep(t.Context(), iotest.HalfReader(strings.NewReader(text)), int64(size))
		if err != nil || kept != ref([]byte(text)) || string(s.blob) != text {
			t.Errorf("%d bytes: got %+v, %v", size, kept, err)
		}
		if want := 2 + (size+protocol.BlobChunk-1)/protocol.BlobChunk; len(s.methods) != want {
			t.Errorf("%d bytes took %d calls, want %d", size, len(s.methods), want)
		}
	}
}

func TestAFileThatCannotBeKept(t *testing.T) {
	broken := errors.New("the disk is broken")
	long := strings.Repeat("x", 2*protocol.BlobChunk+1)
	for name, c := range map[string]struct {
		from io.Reader
		want error
	}{
		"longer than it may be": {strings.NewReader(long), host.ErrBlobTooLong},
		"unreadable":            {iotest.ErrReader(broken), broken},
		"unreadable later":      {io.MultiReader(strings.NewReader(long[1:]), iotest.ErrReader(broken)), broken},
	} {
		s, h := connect(t)
		if kept, err := h.Turn(1).Keep(t.Context(), c.from, int64(len(long)-1)); !errors.Is(err, c.want) {
			t.Errorf("%s: got %+v, %v", name, kept, err)
		}
		if last := s.methods[len(s.methods)-1]; last == protocol.MethodBlobCommit || len(s.blob) >= len(long) {
			t.Errorf("%s: %d bytes were sent, and the last call was %s", name, len(s.blob), last)
		}
	}
}

// slowAnswer is a connection that answers after a while.
type slowAnswer struct {
	asked protocol.ChatSend
	after time.Duration
	err   error
}

func (p *slowAnswer) Call(ctx context.Context, _ string, params, _ any) error {
	p.asked = params.(protocol.ChatSend)
	select {
	case <-time.After(p.after):
		return p.err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (*slowAnswer) Notify(context.Context, string, any) error { return nil }

func TestAFileWaitsForItsPersonAndForNoLongerThanItsTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		denied := &protocol.Error{Code: protocol.CodeFailed, Message: "They said no."}
		p := &slowAnswer{after: 10 * time.Minute}
		send := protocol.ChatSend{Call: "c1", ChatFile: protocol.ChatFile{Name: "a.png"}}
		ctx, cancel := context.WithTimeout(t.Context(), 15*time.Minute)
		defer cancel()
		if err := host.New(p).Turn(7).SendFile(ctx, send); err != nil || p.asked.Turn != 7 || p.asked.Call != "c1" {
			t.Errorf("got %v for %+v", err, p.asked)
		}
		p.after, p.err = time.Minute, denied
		if err := host.New(p).Turn(7).SendFile(ctx, send); !errors.Is(err, denied) {
			t.Errorf("got %v", err)
		}
		p.after = time.Hour
		if err := host.New(p).Turn(7).SendFile(ctx, send); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
	})
}
