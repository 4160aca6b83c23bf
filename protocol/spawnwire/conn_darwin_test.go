package spawnwire

import (
	"errors"
	"io"
	"os"
	"reflect"
	"slices"
	"syscall"
	"testing"
	"time"
)

// pair returns two connected ends, closed with the test.
func pair(t *testing.T) (*Conn, *Conn) {
	t.Helper()
	a, file, err := NewConnPair()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.Close() })
	fd, err := syscall.Dup(int(file.Fd()))
	if err == nil {
		err = file.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	b, err := NewConn(fd)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	return a, b
}

// TestMessages_ArriveCompleteAndInOrder: each message has its own descriptor. The socket has no
// room for a whole message.
func TestMessages_ArriveCompleteAndInOrder(t *testing.T) {
	a, b := pair(t)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	sent := make(chan error, 1)
	go func() {
		for _, m := range slices.Repeat(every, 9) {
			if err := a.Send(m, 10*time.Second, int(w.Fd())); err != nil {
				sent <- err
				return
			}
		}
		sent <- w.Close()
	}()
	for _, want := range slices.Repeat(every, 9) {
		got, fds, err := b.Receive()
		if err != nil || !reflect.DeepEqual(got, want) || len(fds) != 1 {
			t.Fatalf("got %+v with %d descriptors, %v; want %+v", got, len(fds), err, want)
		}
		if _, err := syscall.Write(fds[0], []byte(".")); err != nil {
			t.Error(err)
		}
		CloseDescriptors(fds)
	}
	if err := <-sent; err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(r); err != nil || len(got) != 9*len(every) {
		t.Errorf("%d of %d descriptors worked, %v", len(got), 9*len(every), err)
	}
}

func TestReceive_BadMessage_KeepsNoDescriptor(t *testing.T) {
	long := make([]byte, headSize+MaxPacketBytes+1)
	long[0], long[1], long[2] = byte((MaxPacketBytes+1)&0xff), byte((MaxPacketBytes+1)>>8&0xff),
		byte((MaxPacketBytes+1)>>16)
	for name, c := range map[string]struct {
		bytes []byte
		many  int // number of descriptors to send
		want  error
	}{
		"garbage":          {[]byte("GET / HTTP/1.1\r\n"), 1, ErrMalformed},
		"an empty one":     {make([]byte, headSize), 1, ErrMalformed},
		"one too long":     {long[:headSize], 1, ErrMalformed},
		"an unknown verb":  {[]byte{3, 0, 0, 0, 99, 0, 0}, 1, ErrMalformed},
		"many descriptors": {[]byte{3, 0, 0, 0, byte(kindSpawn), 0, 0}, 5, ErrMalformed},
		"a length cut":     {[]byte{3, 0}, 1, io.ErrUnexpectedEOF},
		"a packet cut":     {[]byte{9, 0, 0, 0, byte(kindKill), 1}, 1, io.ErrUnexpectedEOF},
	} {
		t.Run(name, func(t *testing.T) {
			a, b := pair(t)
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = r.Close() }()
			rights := syscall.UnixRights(slices.Repeat([]int{int(w.Fd())}, c.many)...)
			if err := (&outgoing{rest: c.bytes, rights: rights}).write(int(a.file.Fd())); err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(w.Close(), a.Close()); err != nil {
				t.Fatal(err)
			}
			if m, _, err := b.Receive(); !errors.Is(err, c.want) {
				t.Fatalf("received %+v, %v; want %v", m, err, c.want)
			}
			if _, err := io.ReadAll(r); err != nil { // ReadAll ends only after the last copy of w is closed
				t.Fatal(err)
			}
		})
	}
}

func TestReceive_PeerGone_IsEOF(t *testing.T) {
	a, b := pair(t)
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := b.Receive(); err != io.EOF {
		t.Errorf("%v, want EOF", err)
	}
	if err := b.Send(KillRequest{ID: 1, Signal: 9}, time.Second); err == nil {
		t.Error("sent to nobody")
	}
}

// TestSend_PeerDoesNotRead_TimesOut also checks that the incomplete message ends the connection.
func TestSend_PeerDoesNotRead_TimesOut(t *testing.T) {
	a, b := pair(t)
	if err := b.SetReceiveDeadline(time.Now().Add(time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := b.Receive(); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("%v, want a deadline", err)
	}
	var err error
	for range 1 << 16 {
		if err = a.Send(every[0], time.Millisecond); err != nil {
			break
		}
	}
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("%v, want a deadline", err)
	}
	if err := errors.Join(b.SetReceiveDeadline(time.Time{}), a.Send(every[1], time.Second)); err == nil {
		t.Error("sent after half a message")
	}
	for err = nil; err == nil; {
		_, _, err = b.Receive()
	}
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%v, want the end of half a message", err)
	}
}
