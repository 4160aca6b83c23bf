package protocol_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mews/protocol"
	"mews/protocol/protocoltest"
)

func TestPing_BusyHandlers_IsAnswered(t *testing.T) {
	release := make(chan struct{})
	began := make(chan struct{}, 2)
	h := answerWith(func(ctx context.Context, _ *protocol.Request) (any, error) {
		began <- struct{}{}
		<-release
		return nil, nil
	})
	_, p, _ := runConn(t, h, protocol.Options{MaxCalls: 2})
	p.send(`{"jsonrpc":"2.0","id":1,"method":"a"}`, `{"jsonrpc":"2.0","id":2,"method":"a"}`)
	<-began
	<-began
	p.send(`{"jsonrpc":"2.0","id":3,"method":"a"}`)
	p.expect(`{"jsonrpc":"2.0","id":3,"error":{"code":-32003,"message":"\"a\": 2 calls are in flight"}}`)
	p.send(`{"jsonrpc":"2.0","id":4,"method":"ping"}`)
	p.expect(`{"jsonrpc":"2.0","id":4,"result":null}`)
	p.send(`{"jsonrpc":"2.0","id":5,"method":"ping","params":{"a":1}}`)
	p.expect(`{"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"ping: parameters given, but none are taken"}}`)
	release <- struct{}{}
	p.in.ReadString('\n') // the answer to call 1 or 2, which makes room for another call
	p.send(`{"jsonrpc":"2.0","id":6,"method":"a"}`)
	<-began
	close(release)
}

func TestBulkLane_WaitsForMainLane(t *testing.T) {
	c, p := newConn(t, handler{}, protocol.Options{})
	for i := range int64(3) {
		for _, method := range []string{"blob.write", "a"} {
			if err := c.Notify(background, method, protocol.CancelParams{ID: i}); err != nil {
				t.Fatal(err)
			}
		}
	}
	protocoltest.RunConn(t, c)
	for _, method := range []string{"a", "blob.write"} {
		for i := range 3 {
			p.expect(fmt.Sprintf(`{"jsonrpc":"2.0","method":"%s","params":{"id":%d}}`, method, i))
		}
	}
}

func TestBulkCalls_AreHandledInOrder(t *testing.T) {
	began, release := make(chan string, 10), make(chan struct{})
	h := answerWith(func(_ context.Context, req *protocol.Request) (any, error) {
		began <- string(req.Params)
		if req.Method != "a" {
			<-release
		}
		return nil, nil
	})
	_, p, _ := runConn(t, h, protocol.Options{})
	for id := range 5 {
		p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"blob.write","params":{"id":%d}}`, id+1, id))
	}
	for id := range 5 {
		if got, want := <-began, fmt.Sprintf(`{"id":%d}`, id); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"a"}`, id+100)) // the main lane still gets answers
		p.expect(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":null}`, id+100))
		if got := <-began; got != "" {
			t.Errorf("%s began beside another", got)
		}
		release <- struct{}{}
		p.expect(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":null}`, id+1))
	}
}

func TestLane_Lines_ArriveInOrder(t *testing.T) {
	const n = 500
	var server *protocol.Conn
	h := answerWith(func(ctx context.Context, _ *protocol.Request) (any, error) {
		for i := range n {
			if err := server.Notify(ctx, "turn.event", protocol.TurnEvent{Turn: int64(i)}); err != nil {
				return nil, err
			}
		}
		return nil, nil
	})
	seen := int64(0)
	client := handler{NotifyFunc: func(req *protocol.Request) {
		var e protocol.TurnEvent
		if err := req.DecodeParams(&e); err != nil || e.Turn != seen {
			t.Errorf("event %d: got %d and %v", seen, e.Turn, err)
		}
		seen++
	}}
	ours, theirs := protocoltest.NewSocketPair(t)
	server = protocol.NewConn(ours, h, protocol.Options{QueueBytes: 1000})
	a := protocol.NewConn(theirs, client, protocol.Options{})
	protocoltest.RunConn(t, server)
	protocoltest.RunConn(t, a)
	if err := a.Call(background, "turn.start", nil, nil); err != nil || seen != n {
		t.Errorf("%d events before the result, and %v", seen, err)
	}
}

func TestNotify_FullQueue_WaitsUntilContextEnds(t *testing.T) {
	c, p := newConn(t, handler{}, protocol.Options{QueueBytes: 100})
	first := protocol.ContentPart{Text: strings.Repeat("x", 100)} // an empty queue takes any line
	if err := c.Notify(background, "a", first); err != nil {
		t.Fatal(err)
	}
	why := errors.New("enough")
	ctx, cancel := context.WithCancelCause(background)
	given := runLater(func() error { return c.Notify(ctx, "b", nil) })
	waiting := runLater(func() error { return c.Notify(background, "c", nil) })
	bulk := c.Notify(background, "blob.write", nil) // the bulk lane has its own room
	cancel(why)
	if err := <-given; !errors.Is(err, why) || bulk != nil {
		t.Errorf("got %v and %v", err, bulk)
	}
	protocoltest.RunConn(t, c)
	if err := <-waiting; err != nil {
		t.Error(err)
	}
	p.in.ReadString('\n')
	rest := make([]byte, 0, 200)
	for range 2 {
		line, err := p.in.ReadBytes('\n')
		if err != nil {
			t.Fatal(err)
		}
		rest = append(rest, line...)
	}
	if s := string(rest); !strings.Contains(s, `"c"`) || !strings.Contains(s, `"blob.write"`) {
		t.Errorf("got %s", s)
	}
}

func TestBulkLane_MainQueueFull_HasOwnRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ours, _ := net.Pipe()
		c := protocol.NewConn(ours, handler{}, protocol.Options{QueueBytes: 4000})
		chunk := protocol.ContentPart{Text: strings.Repeat("x", 600)}
		for _, method := range []string{"blob.write", "a", "a"} {
			if err := c.Notify(background, method, chunk); err != nil {
				t.Fatal(err)
			}
		}
		second := runLater(func() error { return c.Notify(background, "blob.write", chunk) })
		synctest.Wait()
		select {
		case err := <-second:
			t.Errorf("it found room (%v)", err)
		default:
		}
		c.Close(nil)
		<-second
	})
}

func TestClose_EndsCallsThatWaitForRoom(t *testing.T) {
	c, _ := newConn(t, handler{}, protocol.Options{QueueBytes: 1})
	if err := c.Notify(background, "a", nil); err != nil {
		t.Fatal(err)
	}
	notify := runLater(func() error { return c.Notify(background, "b", nil) })
	call := runLater(func() error { return c.Call(background, "b", nil, nil) })
	c.Close(io.EOF)
	for _, result := range []<-chan error{notify, call} {
		if err := <-result; !errors.Is(err, protocol.ErrClosed) || !errors.Is(err, io.EOF) {
			t.Errorf("got %v", err)
		}
	}
}

// noDeadlines hides the deadlines of a connection.
type noDeadlines struct{ io.ReadWriteCloser }

func TestWrite_PeerDoesNotRead_EndsConnection(t *testing.T) {
	wraps := map[string]func(io.ReadWriteCloser) io.ReadWriteCloser{
		"with deadlines":    func(c io.ReadWriteCloser) io.ReadWriteCloser { return c },
		"without deadlines": func(c io.ReadWriteCloser) io.ReadWriteCloser { return noDeadlines{c} },
	}
	for name, wrap := range wraps {
		t.Run(name, func(t *testing.T) {
			ours, _ := protocoltest.NewSocketPair(t)
			o := protocol.Options{WriteTimeout: 20 * time.Millisecond, QueueBytes: 1 << 20}
			c := protocol.NewConn(wrap(ours), handler{}, o)
			result := protocoltest.RunConn(t, c)
			var err error
			for err == nil {
				err = c.Notify(background, "a", protocol.ContentPart{Text: strings.Repeat("x", 10_000)})
			}
			if !errors.Is(err, protocol.ErrClosed) || !errors.Is(err, protocol.ErrPeerStalled) {
				t.Errorf("notify: got %v", err)
			}
			if err := <-result; !errors.Is(err, protocol.ErrPeerStalled) {
				t.Errorf("run: got %v", err)
			}
		})
	}
}

func TestReader_FullSendQueue_NeverWaits(t *testing.T) {
	heard := make(chan struct{}, 100)
	h := handler{NotifyFunc: func(*protocol.Request) { heard <- struct{}{} }}
	c, p, result := runConn(t, h, protocol.Options{QueueBytes: 100_000, WriteTimeout: time.Hour})
	full, stop := context.WithCancel(background)
	filled := runLater(func() error {
		for {
			if err := c.Notify(full, "a", protocol.ContentPart{Text: strings.Repeat("x", 10_000)}); err != nil {
				return err
			}
		}
	})
	for range 100 { // the peer reads nothing, but the connection reads the peer's lines
		p.send(`{"jsonrpc":"2.0","method":"a"}`)
		<-heard
	}
	// answers of 40 bytes each use up the reader's room in the queue
	for id := 1; id < 20_000; id++ {
		line := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`+"\n", id)
		if _, err := io.WriteString(p, line); err != nil {
			break
		}
	}
	c.Close(errors.New("the reserve has no end"))
	if err := <-result; !errors.Is(err, protocol.ErrPeerStalled) {
		t.Errorf("got %v", err)
	}
	stop()
	if err := <-filled; err == nil {
		t.Error("the queue was never full")
	}
}

func FuzzConn(f *testing.F) {
	for _, line := range protocol.BrokenLines() {
		if len(line) < 1000 {
			f.Add([]byte(line + "\n"))
		}
	}
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"a"}` + "\n" +
		`{"jsonrpc":"2.0","method":"cancel","params":{"id":1}}` + "\n"))
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n" +
		`{"jsonrpc":"2.0","id":2,"method":"blob.read","params":{}}` + "\n"))
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"operation.start","params":{"operation":3,"kind":"archive","parameters":{}}}` + "\n" +
		`{"jsonrpc":"2.0","id":2,"method":"tools.changed","params":{"hash":"x"}}` + "\n"))
	f.Fuzz(func(t *testing.T, input []byte) {
		h := answerWith(func(_ context.Context, req *protocol.Request) (any, error) { return req.Params, nil })
		c, p := newConn(t, h, protocol.Options{MaxLine: 4 << 10, MaxCalls: 4, QueueBytes: 8 << 10})
		result := runLater(func() error { return c.Run(background) })
		read := runLater(func() error { _, err := io.Copy(io.Discard, p.in); return err })
		p.Write(input) // the connection may end before the last byte is read
		p.ReadWriteCloser.(interface{ CloseWrite() error }).CloseWrite()
		if err := <-result; err == nil {
			t.Error("run ended without a cause")
		}
		<-read
	})
}

func BenchmarkRoundTrip(b *testing.B) {
	echo := answerWith(func(_ context.Context, req *protocol.Request) (any, error) {
		var in protocol.ContentPart
		if err := req.DecodeParams(&in); err != nil {
			return nil, err
		}
		return in, nil
	})
	for name, size := range map[string]int{"100B": 100, "64KiB": 64 << 10} {
		b.Run(name, func(b *testing.B) {
			a, _ := protocoltest.NewConnPair(b, handler{}, echo)
			in := protocol.ContentPart{Text: strings.Repeat("x", size)}
			b.ReportAllocs()
			for b.Loop() {
				var out protocol.ContentPart
				if err := a.Call(background, "echo", in, &out); err != nil || len(out.Text) != size {
					b.Fatal(err)
				}
			}
		})
	}
}
