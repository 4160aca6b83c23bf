package control_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"mews/protocol"
	"mews/supervisor/control"
)

func TestListen_SocketIsOnlyForItsGroup(t *testing.T) {
	h := newRig(t)
	h.must(os.WriteFile(h.path, []byte("left by a dead process"), 0o600))
	end := h.live()
	info, err := os.Stat(h.path)
	h.must(err)
	if info.Mode() != fs.ModeSocket|0o660 {
		t.Errorf("the socket's mode is %v", info.Mode())
	}
	end()
	if _, err := os.Stat(h.path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("after the end: %v", err)
	}
	long := filepath.Join(filepath.Dir(h.path), strings.Repeat("x", 108))
	if _, err := control.Listen(long, h.options); err == nil || !strings.Contains(err.Error(), "choose a shorter state folder") {
		t.Errorf("with a long path: %v", err)
	}
}

// TestListen_LeavesUmaskUnchanged checks that the umask of the process stays the same, because
// files that the process creates meanwhile depend on the umask.
func TestListen_LeavesUmaskUnchanged(t *testing.T) {
	h := newRig(t)
	dir, was := t.TempDir(), unix.Umask(0o022)
	defer unix.Umask(was)
	var all sync.WaitGroup
	for i := range 50 {
		all.Go(func() {
			path := filepath.Join(dir, strconv.Itoa(i))
			s, err := control.Listen(path, h.options)
			if err != nil {
				t.Error(err)
				return
			}
			if info, err := os.Stat(path); err != nil || info.Mode() != fs.ModeSocket|0o660 {
				t.Errorf("%v, %v", info, err)
			}
			ended, end := context.WithCancel(t.Context())
			end()
			if err := s.Run(ended); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if now := unix.Umask(0o022); now != 0o022 {
		t.Errorf("the umask is %#o", now)
	}
}

func TestCallOnce_AddedMethod_IsAnswered(t *testing.T) {
	h := newRig(t)
	var got status
	var gone *control.NotRunningError
	if err := control.CallOnce(t.Context(), h.path, methodStatus, nil, &got); !errors.As(err, &gone) {
		t.Errorf("with nothing running: %v", err)
	}
	h.live()
	h.must(control.CallOnce(t.Context(), h.path, methodStatus, nil, &got))
	if got.Version != "1.2" {
		t.Errorf("the status is %+v", got)
	}
	h.people.stranger.Store(true)
	if err := control.CallOnce(t.Context(), h.path, methodStatus, nil, &got); err == nil ||
		err.Error() != "You are a stranger." {
		t.Errorf("to a stranger: %v", err)
	}
}

func TestDial_DeadSocket_ReturnsNotRunning(t *testing.T) {
	h := newRig(t)
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: h.path, Net: "unix"})
	h.must(err)
	l.SetUnlinkOnClose(false)
	h.must(l.Close())
	var gone *control.NotRunningError
	err = control.CallOnce(t.Context(), h.path, methodStatus, nil, nil)
	if !errors.As(err, &gone) || !strings.Contains(err.Error(), "mews run") {
		t.Errorf("got %v", err)
	}
}

// raw is a client that does not use this package's client.
type raw struct{ *protocol.Conn }

type decliningClient struct{}

func (decliningClient) HandleCall(_ context.Context, req *protocol.Request) (any, error) {
	if req.Method == control.MethodDeliver {
		return control.DeliverResult{}, nil
	}
	return nil, protocol.MethodNotFoundError(req.Method)
}
func (decliningClient) HandleNotification(*protocol.Request) {}

func (h *rig) dial() *net.UnixConn {
	h.Helper()
	conn, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: h.path, Net: "unix"})
	h.must(err)
	h.Cleanup(func() { conn.Close() })
	return conn
}

func (h *rig) raw() raw {
	h.Helper()
	r := raw{Conn: protocol.NewConn(h.dial(), decliningClient{}, protocol.Options{})}
	ctx, cancel := context.WithCancel(context.Background())
	ran := make(chan struct{})
	go func() {
		defer close(ran)
		r.Run(ctx)
	}()
	h.Cleanup(func() {
		cancel()
		<-ran
	})
	return r
}

func TestServer_InvalidCall_IsRefused(t *testing.T) {
	h := newRig(t)
	h.live()
	bobs := h.noticeIn(h.conversation("bob", ""), "for bob")
	anns, bobsToo := h.ask(h.conversation("ann", "")), h.ask(h.conversation("bob", ""))
	attach := control.JoinChatRequest{After: control.StartFromNow}
	for name, c := range map[string]struct {
		before any // parameters of a chat.attach before the call; nil means no chat.attach
		method string
		params any
		want   string
	}{
		"a method that is none": {nil, "chat.everything", struct{}{}, "no method"},
		"to attach twice":       {attach, control.MethodJoinChat, attach, "attached already"},
		"to say before one is anywhere": {nil, control.MethodSendMessage, control.SendMessageRequest{Key: "k",
			Text: "hi"},
			"Attach to a conversation first"},
		"to take before": {nil, control.MethodConfirmDelivery, control.ConfirmDeliveryRequest{Delivery: 1},
			"Attach to a conversation first"},
		"to take another's": {attach, control.MethodConfirmDelivery,
			control.ConfirmDeliveryRequest{Delivery: bobs}, "no such delivery"},
		"to take what is not there": {attach, control.MethodConfirmDelivery,
			control.ConfirmDeliveryRequest{Delivery: 1 << 62}, "no such delivery"},
		"to take below zero": {attach, control.MethodConfirmDelivery,
			control.ConfirmDeliveryRequest{Delivery: -1 << 63}, "no such delivery"},
		"to press before one is there": {nil, control.MethodPress, control.PressRequest{Key: "k", Delivery: anns,
			Press: "y"}, "Attach to a conversation first"},
		"to press another's": {attach, control.MethodPress, control.PressRequest{Key: "k", Delivery: bobsToo,
			Press: "y"}, "no such delivery"},
		"to press what is not there": {attach, control.MethodPress, control.PressRequest{Key: "k", Delivery: anns,
			Press: "Y"}, "no such button"},
		"to press nothing": {attach, control.MethodPress, control.PressRequest{Key: "k", Delivery: anns},
			"no such button"},
		"to press without a key": {attach, control.MethodPress, control.PressRequest{Delivery: anns, Press: "y"},
			"key"},
		"to upload before one is there": {nil, control.MethodUpload, control.UploadPart{Data: []byte("x")},
			"Attach to a conversation first"},
		"a part of no file": {attach, control.MethodUpload, control.UploadPart{Offset: 1,
			Data: []byte("x")}, "again from its beginning"},
		"a part below zero": {attach, control.MethodUpload, control.UploadPart{Offset: -1,
			Data: []byte("x")}, "again from its beginning"},
		"too long a part": {attach, control.MethodUpload, control.UploadPart{Data: make([]byte,
			control.MaxUploadPartBytes+1)}, "at most 256 KiB"},
		"too large a file": {attach, control.MethodUpload,
			control.UploadPart{Offset: control.MaxUploadFileBytes, Data: []byte("x")}, "at most 2000 MiB"},
		"an unknown place to begin": {nil, control.MethodJoinChat, control.JoinChatRequest{After: -7}, "below zero"},
		"a start below zero":        {nil, control.MethodJoinChat, control.JoinChatRequest{Start: -1}, "below zero"},
		"an unknown user": {nil, control.MethodJoinChat, control.JoinChatRequest{User: "eve"},
			"no such user"},
		"a user's name without end": {nil, control.MethodJoinChat, control.JoinChatRequest{User: strings.Repeat("x",
			65)}, "64 bytes"},
		"a chat's name without end": {nil, control.MethodJoinChat, control.JoinChatRequest{Chat: strings.Repeat("x",
			65)}, "64 bytes"},
		"a chat's name of two lines": {nil, control.MethodJoinChat, control.JoinChatRequest{Chat: "a\nINFO forged"},
			"control characters"},
		"an unknown key":          {nil, control.MethodJoinChat, map[string]any{"after": 0, "admin": true}, "admin"},
		"a wrong type":            {nil, control.MethodJoinChat, map[string]any{"after": "0"}, "after"},
		"an empty message":        {attach, control.MethodSendMessage, control.SendMessageRequest{Key: "k"}, "empty"},
		"a message without a key": {attach, control.MethodSendMessage, control.SendMessageRequest{Text: "hi"}, "key"},
	} {
		t.Run(name, func(t *testing.T) {
			r := h.raw()
			if c.before != nil {
				h.must(r.Call(t.Context(), control.MethodJoinChat, c.before, nil))
			}
			err := r.Call(t.Context(), c.method, c.params, nil)
			var told *protocol.Error
			if !errors.As(err, &told) || !strings.Contains(told.Message, c.want) {
				t.Errorf("got %v, want one that says %q", err, c.want)
			}
			if err := r.Call(t.Context(), protocol.MethodPing, nil, nil); err != nil {
				t.Errorf("after it: %v", err)
			}
		})
	}
	if pending, err := h.db.Outbox().ListPending(t.Context(), h.conversation("bob", "").ID, 0, 9); err != nil || len(pending) != 2 {
		t.Errorf("of bob's wait %v, %v", pending, err)
	}
}

func TestServer_InternalError_HidesDetails(t *testing.T) {
	h := newRig(t)
	h.options.Methods[methodStatus] = func(context.Context, uint32, *protocol.Request) (any, error) {
		return nil, errors.New("secret path /x")
	}
	h.live()
	err := control.CallOnce(t.Context(), h.path, methodStatus, nil, nil)
	if err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("told was %v", err)
	}
}

// attachLine returns the line of chat.attach, for a client that never reads.
func attachLine(t testing.TB, a control.JoinChatRequest) []byte {
	t.Helper()
	line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": control.MethodJoinChat, "params": a})
	if err != nil {
		t.Fatal(err)
	}
	return append(line, '\n')
}

func TestPeer_StopsReading_DelaysNobody(t *testing.T) {
	h := newRig(t)
	end := h.live()
	for range 3 {
		_, err := h.dial().Write(attachLine(t, control.JoinChatRequest{After: 0}))
		h.must(err)
	}
	v := h.attach(control.JoinChatRequest{After: 0})
	v.say(h, "hello")
	turn, s := h.begin()
	for range 40 {
		s.CommitStep(strings.Repeat("x", 32<<10)) // all steps together exceed a socket's buffer
		h.notice("a notice")
		next[control.Delivery](h, v)
	}
	h.finish(turn, s, "done")
	same(h, "the answer", v.texts(h, 1), []string{"done"})
	end() // the service ends although clients are still connected
}

func TestPeer_NeverAnswersDelivery_IsCutOff(t *testing.T) {
	h := newRig(t)
	h.options.CallTimeout = 2 * time.Second // a client must also attach within CallTimeout
	h.live()
	h.notice("hello")
	conn := h.dial()
	_, err := conn.Write(attachLine(t, control.JoinChatRequest{After: control.StartAtUndelivered}))
	h.must(err)
	lines := bufio.NewReader(conn)
	var got []string
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			break
		}
		got = append(got, line)
	}
	if len(got) < 2 || !strings.Contains(strings.Join(got, ""), control.MethodDeliver) {
		t.Errorf("it got %q", got)
	}
	same(h, "waiting", h.pending(), []string{"hello"})
}

func TestPeer_Silent_IsCutOff(t *testing.T) {
	h := newRig(t)
	h.options.CallTimeout = 50 * time.Millisecond
	h.live()
	if n, err := h.dial().Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("read %d bytes, %v", n, err)
	}
}

func TestConnectionLimit_Reached_KeepsOldClients(t *testing.T) {
	h := newRig(t)
	turned := make(chan string, 1)
	h.options.Refused = func(_ uint32, why error) { turned <- why.Error() }
	h.live()
	v := h.attach(control.JoinChatRequest{After: 0})
	for range 63 {
		h.dial()
	}
	err := control.CallOnce(t.Context(), h.path, methodStatus, nil, nil)
	if err == nil || err.Error() != "Too many terminals of this account are connected (64). Leave one of them with Ctrl-D." {
		t.Errorf("one too many is told %v", err)
	}
	if why := <-turned; !strings.HasPrefix(why, "Too many terminals") {
		t.Errorf("it was turned away for %q", why)
	}
	h.notice("hello")
	same(h, "those who are there", v.texts(h, 1), []string{"hello"})
}

func TestConnectionLimit_NonAdmin_HasSmallerShare(t *testing.T) {
	h := newRig(t)
	h.people.plain.Store(true)
	h.live()
	for range 15 {
		h.dial()
	}
	v := h.attach(control.JoinChatRequest{After: 0})
	sixteenth := <-h.startAttach(control.JoinChatRequest{After: 0}, false).ran
	if sixteenth == nil || !strings.Contains(sixteenth.Error(), "Too many terminals of this account are connected (16).") {
		t.Errorf("one too many is told %v", sixteenth)
	}
	v.end() // now the slot is free for the next client
	for control.CallOnce(t.Context(), h.path, methodStatus, nil, &status{}) != nil {
		h.must(t.Context().Err())
	}
}

func TestConnectionLimit_RefusedClients_UseNoSlot(t *testing.T) {
	h := newRig(t)
	h.people.stranger.Store(true)
	end := h.live()
	for range 200 {
		h.dial() // this client makes no call
	}
	end()
	h.people.stranger.Store(false)
	h.live()
	h.must(control.CallOnce(t.Context(), h.path, methodStatus, nil, &status{}))
}

func TestPeer_NoFirstCallInTime_IsCutOff(t *testing.T) {
	h := newRig(t)
	h.options.FirstCallTimeout = 2 * time.Second // a client must make its first call within FirstCallTimeout
	h.live()
	asks := h.raw()
	h.must(asks.Call(t.Context(), methodStatus, nil, nil))
	if n, err := h.dial().Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("read %d bytes, %v", n, err)
	}
	h.must(asks.Call(t.Context(), methodStatus, nil, nil))
}

func FuzzControl(f *testing.F) {
	h := newRig(f)
	h.live()
	for _, line := range []string{
		"", "\n", "{}", "[]", "null\n", "\x00\xff\n", `{"jsonrpc":"2.0","id":1,"method":"status"}` + "\n",
		`{"jsonrpc":"2.0","id":1,"method":"status","params":{}}` + "\n" + `{"jsonrpc":"2.0","id":1,"method":"status"}` + "\n",
		string(attachLine(f, control.JoinChatRequest{After: control.StartFromNow})) +
			`{"jsonrpc":"2.0","id":2,"method":"chat.say","params":{"key":"k","text":"hello"}}` + "\n",
		string(attachLine(f, control.JoinChatRequest{After: 0, User: "bob", Chat: "x"})) +
			`{"jsonrpc":"2.0","id":2,"method":"chat.took","params":{"delivery":9223372036854775807}}` + "\n",
		`{"jsonrpc":"2.0","id":7,"result":{"taken":true}}` + "\n",
		`{"jsonrpc":"2.0","method":"cancel","params":{"id":1}}` + "\n",
		`{"jsonrpc":"2.0","id":1,"method":"blob.write","params":{"a":{"a":[[[[[1e999]]]]]}}}` + "\n",
	} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, lines []byte) {
		conn, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: h.path, Net: "unix"})
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if _, err := conn.Write(lines); err == nil { // an error means that the server has closed the connection
			if err := conn.CloseWrite(); err != nil {
				t.Fatal(err)
			}
		}
		_, _ = io.Copy(io.Discard, conn) // waits until the server closes the connection
		for len(h.accepted) > 0 {
			<-h.accepted
		}
		var told status
		if err := control.CallOnce(t.Context(), h.path, methodStatus, nil, &told); err != nil || told.Version != "1.2" {
			t.Fatalf("after %q the server answers %+v, %v", lines, told, err)
		}
	})
}

// TestRemovedUser_NeitherSendsNorReceives removes a user while their client is attached.
func TestRemovedUser_NeitherSendsNorReceives(t *testing.T) {
	h := newRig(t)
	h.live()
	anns := h.ask(h.conversation("ann", ""))
	r := h.raw()
	h.must(r.Call(t.Context(), control.MethodJoinChat, control.JoinChatRequest{After: control.StartFromNow}, nil))
	h.people.stranger.Store(true)
	for method, params := range map[string]any{
		control.MethodSendMessage:     control.SendMessageRequest{Key: "k", Text: "hi"},
		control.MethodPress:           control.PressRequest{Key: "k", Delivery: anns, Press: "y"},
		control.MethodConfirmDelivery: control.ConfirmDeliveryRequest{Delivery: anns},
	} {
		err := r.Call(t.Context(), method, params, nil)
		told := new(protocol.Error)
		if !errors.Is(err, protocol.ErrClosed) && (!errors.As(err, &told) || told.Message != "You are a stranger.") {
			t.Errorf("%s: got %v", method, err) // the server may already have closed the connection
		}
	}
	waiting := h.pending()
	h.notice("not for a stranger")
	<-r.Done()
	same(h, "waiting", h.pending(), append(waiting, "not for a stranger"))
	if n := len(h.accepted); n != 0 {
		t.Errorf("%d were accepted", n)
	}
}
