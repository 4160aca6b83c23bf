package protocol_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"

	"mews/protocol"
	"mews/protocol/protocoltest"
)

var background = context.Background()

func TestCall_BothSidesAtOnce_GetAnswers(t *testing.T) {
	double := answerWith(func(_ context.Context, req *protocol.Request) (any, error) {
		var in protocol.BlobBeginResult
		if err := req.DecodeParams(&in); err != nil {
			return nil, err
		}
		return protocol.BlobBeginResult{Blob: 2 * in.Blob}, nil
	})
	a, b := protocoltest.NewConnPair(t, double, double)
	var wg sync.WaitGroup
	for i := range int64(200) {
		conn, method := a, "blob.double"
		if i%2 == 0 {
			conn = b
		}
		if i%3 == 0 {
			method = "double"
		}
		wg.Go(func() {
			var out protocol.BlobBeginResult
			for busy := new(protocol.Error); ; {
				err := conn.Call(background, method, protocol.BlobBeginResult{Blob: i}, &out)
				if errors.As(err, &busy) && busy.Code == protocol.CodeBusy {
					continue
				}
				if err != nil || out.Blob != 2*i {
					t.Errorf("double %d: got %d and %v", i, out.Blob, err)
				}
				return
			}
		})
	}
	wg.Wait()
}

func TestHandlerError_EachKind_HasItsCode(t *testing.T) {
	secret := errors.New("open /secret/key: permission denied")
	tests := []struct {
		name   string
		result any
		err    error
		want   protocol.Error
		report string
	}{
		{"an *Error as it is", nil, &protocol.Error{Code: protocol.CodeFailed, Message: "the disk is full"},
			protocol.Error{Code: protocol.CodeFailed, Message: "the disk is full"}, ""},
		{"an unknown method", nil, protocol.MethodNotFoundError("a"),
			protocol.Error{Code: protocol.CodeMethodNotFound, Message: `no method "a"`}, ""},
		{"a wrapped *Error", nil, fmt.Errorf("about %w", &protocol.Error{Code: protocol.CodeFailed, Message: "no"}),
			protocol.Error{Code: protocol.CodeFailed, Message: "no"}, ""},
		{"any other is withheld", nil, secret,
			protocol.Error{Code: protocol.CodeInternal, Message: "internal error"}, "answer a: " + secret.Error()},
		{"a result that cannot be encoded", make(chan int), nil,
			protocol.Error{Code: protocol.CodeInternal, Message: "internal error"}, "unsupported type"},
		{"a result that is too long", strings.Repeat("x", 2<<20), nil,
			protocol.Error{Code: protocol.CodeInternal, Message: "internal error"}, "line too long"},
		{"an error that is too long", nil, &protocol.Error{Code: 1, Message: strings.Repeat("x", 2<<20)},
			protocol.Error{Code: protocol.CodeInternal, Message: "internal error"}, "line too long"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			reports := make(chan error, 1)
			h := answerWith(func(context.Context, *protocol.Request) (any, error) { return tt.result, tt.err })
			a, _ := protocoltest.NewConnPair(t, handler{}, h,
				protocol.Options{Report: func(err error) { reports <- err }})
			err := a.Call(background, "a", nil, nil)
			var got *protocol.Error
			if !errors.As(err, &got) || *got != tt.want {
				t.Errorf("got %v, want %v", err, tt.want)
			}
			if tt.report == "" {
				return
			}
			if err := <-reports; !strings.Contains(err.Error(), tt.report) {
				t.Errorf("reported %.200v, want %s", err, tt.report)
			}
		})
	}
}

func TestCall_WrongResult_FailsOnlyThatCall(t *testing.T) {
	h := answerWith(func(context.Context, *protocol.Request) (any, error) { return map[string]int{"blub": 1}, nil })
	a, _ := protocoltest.NewConnPair(t, handler{}, h)
	err := a.Call(background, "blob.begin", nil, &protocol.BlobBeginResult{})
	if !errors.Is(err, protocol.ErrProtocolBroken) || !strings.Contains(err.Error(), `result: `) || a.Err() != nil {
		t.Errorf("got %v, and the connection ended with %v", err, a.Err())
	}
}

func TestCall_LineTooLong_IsRefusedUnsent(t *testing.T) {
	c, p, _ := runConn(t, handler{}, protocol.Options{MaxLine: 1000})
	long := protocol.ContentPart{Text: strings.Repeat("x", 1000)}
	if err := c.Notify(background, "a", long); !errors.Is(err, protocol.ErrLineTooLong) {
		t.Errorf("notify: got %v", err)
	}
	if err := c.Call(background, "a", long, nil); !errors.Is(err, protocol.ErrLineTooLong) {
		t.Errorf("call: got %v", err)
	}
	if err := c.Notify(background, "b", nil); err != nil {
		t.Error(err)
	}
	p.expect(`{"jsonrpc":"2.0","method":"b","params":{}}`)
}

func TestCall_LongLine_IsDecoded(t *testing.T) {
	echo := answerWith(func(_ context.Context, req *protocol.Request) (any, error) { return req.Params, nil })
	a, _ := protocoltest.NewConnPair(t, handler{}, echo)
	in, out := protocol.BlobReadResult{Data: bytes.Repeat([]byte{7}, 700<<10)}, protocol.BlobReadResult{}
	if err := a.Call(background, "echo", in, &out); err != nil || !bytes.Equal(in.Data, out.Data) {
		t.Errorf("got %d bytes and %v", len(out.Data), err)
	}
}

// TestRun_EachConnectionEnd_ReturnsCause shows what Run returns for each way in which a connection
// ends.
func TestRun_EachConnectionEnd_ReturnsCause(t *testing.T) {
	call := `{"jsonrpc":"2.0","id":1,"method":"a"}`
	tests := []struct {
		name  string
		lines string
		want  error
	}{
		{"the peer goes", "", io.EOF},
		{"the peer goes after a message", call + "\n", io.EOF},
		{"the peer goes within a line", call, io.ErrUnexpectedEOF},
		{"a line too long", strings.Repeat("x", 2<<20), protocol.ErrLineTooLong},
		{"an answer to nothing", `{"jsonrpc":"2.0","id":1,"result":null}` + "\n", protocol.ErrProtocolBroken},
		{"an error to nothing", `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}}` + "\n",
			protocol.ErrProtocolBroken},
		{"an id again", call + "\n" + call + "\n", protocol.ErrProtocolBroken},
		{"an id again by ping", strings.Replace(call+"\n"+call, `"a"`, `"ping"`, 2) + "\n", protocol.ErrProtocolBroken},
		{"an id below", strings.Replace(call, "1", "3", 1) + "\n" + call + "\n", protocol.ErrProtocolBroken},
		{"a cancel of no id", `{"jsonrpc":"2.0","method":"cancel"}` + "\n", protocol.ErrProtocolBroken},
		{"a cancel of an id that is text", `{"jsonrpc":"2.0","method":"cancel","params":{"id":"1"}}` + "\n",
			protocol.ErrProtocolBroken},
	}
	for name, line := range protocol.BrokenLines() {
		tests = append(tests, struct {
			name  string
			lines string
			want  error
		}{"broken: " + name, line + "\n", protocol.ErrProtocolBroken})
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, p, result := runConn(t, handler{}, protocol.Options{})
			io.WriteString(p, tt.lines) // the connection may end before the last byte is read
			p.ReadWriteCloser.(*net.UnixConn).CloseWrite()
			if err := <-result; !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
		})
	}
}

func TestSecondAnswer_EndsConnection(t *testing.T) {
	c, p, result := runConn(t, handler{}, protocol.Options{})
	answered := runLater(func() error { return c.Call(background, "a", nil, nil) })
	p.expect(`{"jsonrpc":"2.0","id":1,"method":"a","params":{}}`)
	p.send(`{"jsonrpc":"2.0","id":1,"result":null}`)
	if err := <-answered; err != nil {
		t.Error(err)
	}
	p.send(`{"jsonrpc":"2.0","id":1,"result":null}`)
	if err := <-result; !errors.Is(err, protocol.ErrProtocolBroken) {
		t.Errorf("got %v", err)
	}
}

func TestClose_EndsCallsAndHandlers(t *testing.T) {
	why := errors.New("the evictor says so")
	inside, seen := make(chan struct{}), make(chan error, 1)
	h := answerWith(func(ctx context.Context, _ *protocol.Request) (any, error) {
		close(inside)
		<-ctx.Done()
		seen <- context.Cause(ctx)
		return nil, ctx.Err()
	})
	c, p := newConn(t, h, protocol.Options{Report: func(err error) { t.Errorf("reported %v", err) }})
	ctx, cancel := context.WithCancelCause(background)
	result := runLater(func() error { return c.Run(ctx) })
	waiting := runLater(func() error { return c.Call(background, "a", nil, nil) })
	p.expect(`{"jsonrpc":"2.0","id":1,"method":"a","params":{}}`)
	p.send(`{"jsonrpc":"2.0","id":1,"method":"b"}`)
	<-inside
	cancel(why)
	if err := <-result; err != why || c.Err() != why {
		t.Errorf("run: got %v, and %v", err, c.Err())
	}
	if err := <-seen; err != why {
		t.Errorf("handler: got %v", err)
	}
	if err := <-waiting; !errors.Is(err, protocol.ErrClosed) || !errors.Is(err, why) {
		t.Errorf("call: got %v", err)
	}
	<-c.Done()
	if err := c.Notify(background, "a", nil); !errors.Is(err, protocol.ErrClosed) {
		t.Errorf("notify afterwards: got %v", err)
	}
	if err := c.Call(background, "a", nil, nil); !errors.Is(err, protocol.ErrClosed) {
		t.Errorf("call afterwards: got %v", err)
	}
}

func TestRun_SecondTimeOrAfterClose_Fails(t *testing.T) {
	c, _ := newConn(t, handler{}, protocol.Options{})
	if c.Err() != nil {
		t.Errorf("before: %v", c.Err())
	}
	c.Close(nil)
	c.Close(io.EOF)
	if err := c.Run(background); err != protocol.ErrClosed {
		t.Errorf("run of a closed one: got %v", err)
	}
	if err := c.Run(background); err == nil || err == protocol.ErrClosed {
		t.Errorf("run again: got %v", err)
	}
	if err := c.Call(background, "a", nil, nil); err.Error() != "call a: connection closed" {
		t.Errorf("call: got %v", err)
	}
}

// gonePeer is a closed peer: writing to it fails, but its last lines can still be read.
type gonePeer struct {
	failed chan struct{}
	text   io.Reader
}

func (l *gonePeer) Write([]byte) (int, error) { close(l.failed); return 0, io.ErrClosedPipe }
func (l *gonePeer) Close() error              { return nil }
func (l *gonePeer) Read(p []byte) (int, error) {
	<-l.failed
	return l.text.Read(p)
}

func TestWriteFails_LastLines_AreStillRead(t *testing.T) {
	l := &gonePeer{make(chan struct{}), strings.NewReader(`{"jsonrpc":"2.0","id":1,"result":{"blob":5}}` + "\n")}
	c := protocol.NewConn(l, handler{}, protocol.Options{})
	result := protocoltest.RunConn(t, c)
	var out protocol.BlobBeginResult
	if err := c.Call(background, "a", nil, &out); err != nil || out.Blob != 5 {
		t.Errorf("got %v and %v", out, err)
	}
	if err := <-result; err != io.EOF {
		t.Errorf("run: got %v", err)
	}
}
