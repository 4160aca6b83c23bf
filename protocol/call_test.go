package protocol_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"mews/protocol"
	"mews/protocol/protocoltest"
)

func TestCancel_EndsHandlerAndReturnsItsAnswer(t *testing.T) {
	tests := []struct {
		name string
		end  func(ctx context.Context) (any, error)
		want int // expected error code; 0 means a result
	}{
		{"a result all the same",
			func(context.Context) (any, error) { return protocol.TurnEnd{Why: protocol.TurnEndStopped}, nil }, 0},
		{"its context's error",
			func(ctx context.Context) (any, error) { return nil, ctx.Err() }, protocol.CodeCancelled},
		{"its context's cause",
			func(ctx context.Context) (any, error) { return nil, context.Cause(ctx) }, protocol.CodeCancelled},
		{"another error",
			func(context.Context) (any, error) { return nil, io.EOF }, protocol.CodeInternal},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			inside := make(chan struct{})
			h := answerWith(func(ctx context.Context, _ *protocol.Request) (any, error) {
				close(inside)
				<-ctx.Done()
				return tt.end(ctx)
			})
			a, _ := protocoltest.NewConnPair(t, handler{}, h)
			ctx, cancel := context.WithCancel(background)
			var end protocol.TurnEnd
			result := runLater(func() error { return a.Call(ctx, "turn.start", nil, &end) })
			<-inside
			cancel()
			err := <-result
			var told *protocol.Error
			if tt.want == 0 && (err != nil || end.Why != protocol.TurnEndStopped) {
				t.Errorf("got %+v and %v", end, err)
			}
			if tt.want != 0 && (!errors.As(err, &told) || told.Code != tt.want) {
				t.Errorf("got %v, want code %d", err, tt.want)
			}
		})
	}
}

func TestCancel_OtherCalls_GoOn(t *testing.T) {
	began, release := make(chan int64, 2), make(chan struct{})
	h := answerWith(func(ctx context.Context, req *protocol.Request) (any, error) {
		began <- req.ID
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-release:
			return nil, nil
		}
	})
	_, p, _ := runConn(t, h, protocol.Options{})
	p.send(`{"jsonrpc":"2.0","id":1,"method":"a"}`, `{"jsonrpc":"2.0","id":2,"method":"a"}`)
	<-began
	<-began
	p.send(`{"jsonrpc":"2.0","method":"cancel","params":{"id":99}}`,
		`{"jsonrpc":"2.0","method":"cancel","params":{"id":2}}`)
	p.expect(`{"jsonrpc":"2.0","id":2,"error":{"code":-32002,"message":"a: cancelled"}}`)
	p.send(`{"jsonrpc":"2.0","method":"cancel","params":{"id":2}}`)
	close(release)
	p.expect(`{"jsonrpc":"2.0","id":1,"result":null}`)
}

func TestCall_EndedContext_SendsNothing(t *testing.T) {
	c, p, _ := runConn(t, handler{}, protocol.Options{})
	why := errors.New("over")
	ctx, cancel := context.WithCancelCause(background)
	cancel(why)
	if err := c.Call(ctx, "a", nil, nil); !errors.Is(err, why) {
		t.Errorf("call: got %v", err)
	}
	if err := c.Notify(ctx, "a", nil); !errors.Is(err, why) {
		t.Errorf("notify: got %v", err)
	}
	if err := c.Notify(background, "b", nil); err != nil {
		t.Error(err)
	}
	p.expect(`{"jsonrpc":"2.0","method":"b","params":{}}`)
}

// runInBubble runs a connection over an in-memory pipe. Its waits take no real time, because the
// clock is synthetic.
func runInBubble(t *testing.T, o protocol.Options, f func(c *protocol.Conn, p *peer, result <-chan error)) {
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := net.Pipe()
		c := protocol.NewConn(ours, handler{}, o)
		result := runLater(func() error { return c.Run(background) })
		f(c, &peer{theirs, t, bufio.NewReader(theirs)}, result)
		c.Close(nil)
		synctest.Wait()
	})
}

func TestCancel_NoAnswer_GivesUpAfterGrace(t *testing.T) {
	runInBubble(t, protocol.Options{CancelGrace: 3 * time.Second}, func(c *protocol.Conn, p *peer, _ <-chan error) {
		ctx, cancel := context.WithTimeout(background, time.Minute)
		defer cancel()
		start := time.Now()
		result := runLater(func() error { return c.Call(ctx, "a", nil, nil) })
		p.expect(`{"jsonrpc":"2.0","id":1,"method":"a","params":{}}`,
			`{"jsonrpc":"2.0","method":"cancel","params":{"id":1}}`)
		if err := <-result; !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		if took := time.Since(start); took != time.Minute+3*time.Second {
			t.Errorf("took %v", took)
		}
		// the answer comes late, but within Options.CancelGrace
		p.send(`{"jsonrpc":"2.0","id":1,"result":null}`)
		again := runLater(func() error { return c.Call(background, "b", nil, nil) })
		p.expect(`{"jsonrpc":"2.0","id":2,"method":"b","params":{}}`)
		p.send(`{"jsonrpc":"2.0","id":2,"result":null}`)
		if err := <-again; err != nil {
			t.Error(err)
		}
	})
}

func TestCancel_AnswerWithinGrace_IsReturned(t *testing.T) {
	runInBubble(t, protocol.Options{}, func(c *protocol.Conn, p *peer, _ <-chan error) {
		ctx, cancel := context.WithCancel(background)
		result := runLater(func() error { return c.Call(ctx, "a", nil, nil) })
		p.expect(`{"jsonrpc":"2.0","id":1,"method":"a","params":{}}`)
		cancel()
		p.expect(`{"jsonrpc":"2.0","method":"cancel","params":{"id":1}}`)
		time.Sleep(4 * time.Second) // takes no real time: the clock is synthetic
		p.send(`{"jsonrpc":"2.0","id":1,"result":null}`)
		if err := <-result; err != nil {
			t.Error(err)
		}
	})
}

func TestCancel_NeverAnswered_EndsConnection(t *testing.T) {
	runInBubble(t, protocol.Options{}, func(c *protocol.Conn, p *peer, result <-chan error) {
		go io.Copy(io.Discard, p)
		for c.Err() == nil {
			ctx, cancel := context.WithTimeout(background, time.Second)
			c.Call(ctx, "a", nil, nil)
			cancel()
		}
		if err := <-result; !errors.Is(err, protocol.ErrPeerStalled) {
			t.Errorf("got %v", err)
		}
		p.Close()
	})
}

func TestCancel_NeverOvertakesItsCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := net.Pipe()
		c, p := protocol.NewConn(ours, handler{}, protocol.Options{}), &peer{theirs, t, bufio.NewReader(theirs)}
		ctx, cancel := context.WithCancel(background)
		called := runLater(func() error { return c.Call(ctx, "blob.read", nil, nil) })
		synctest.Wait()
		cancel()
		synctest.Wait()
		result := runLater(func() error { return c.Run(background) })
		p.expect(`{"jsonrpc":"2.0","id":1,"method":"blob.read","params":{}}`,
			`{"jsonrpc":"2.0","method":"cancel","params":{"id":1}}`)
		c.Close(nil)
		if err := <-called; !errors.Is(err, protocol.ErrClosed) {
			t.Errorf("got %v", err)
		}
		<-result
	})
}
