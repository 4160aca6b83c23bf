package host_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"mews/protocol"
	"mews/worker/host"
)

// slowConn is a connection that answers after a while.
type slowConn struct {
	asked protocol.ChatSendParams
	after time.Duration
	err   error
}

func (p *slowConn) Call(ctx context.Context, _ string, params, _ any) error {
	p.asked = *params.(*protocol.ChatSendParams)
	select {
	case <-time.After(p.after):
		return p.err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (*slowConn) Notify(context.Context, string, any) error { return nil }

// sendFile sends a file for turn 7, whichever turn the file names.
func sendFile(ctx context.Context, c host.Conn, file protocol.ChatSendParams) error {
	_, err := host.CallMethod[protocol.ChatSendResult](ctx, host.New(c).Turn(7), protocol.MethodChatSend, file)
	return err
}

func TestHostCall_SlowAnswer_WaitsForContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		denied := &protocol.Error{Code: protocol.CodeFailed, Message: "They said no."}
		p := &slowConn{after: 10 * time.Minute}
		send := protocol.ChatSendParams{Turn: 8, Call: "c1", ChatFile: protocol.ChatFile{Name: "a.png"}}
		ctx, cancel := context.WithTimeout(t.Context(), 15*time.Minute)
		defer cancel()
		if err := sendFile(ctx, p, send); err != nil || p.asked.Turn != 7 || p.asked.Call != "c1" {
			t.Errorf("got %v for %+v", err, p.asked)
		}
		p.after, p.err = time.Minute, denied
		if err := sendFile(ctx, p, send); !errors.Is(err, denied) {
			t.Errorf("got %v", err)
		}
		p.after = time.Hour
		if err := sendFile(ctx, p, send); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
	})
}

func TestOperationCall_NoAnswer_TimesOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		end := protocol.IndexEndParams{Operation: 4}
		_, err := host.CallMethod[protocol.IndexEndResult](
			t.Context(),
			host.New(silentConn{}).Operation(5),
			protocol.MethodIndexEnd,
			end,
		)
		if waited := time.Since(begun); err == nil || waited != 30*time.Second || end.Operation != 4 {
			t.Errorf("after %v: %v, %+v", waited, err, end)
		}
	})
}
