package spawnwire

import (
	"errors"
	"io"
	"os"
	"reflect"
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
	if err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	b, err := NewConn(fd)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	return a, b
}

func TestMessages_ArriveCompleteAndInOrder(t *testing.T) {
	a, b := pair(t)
	for _, m := range every {
		if err := a.Send(m, time.Second); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range every {
		got, fds, err := b.Receive()
		if err != nil || !reflect.DeepEqual(got, want) || len(fds) != 0 {
			t.Fatalf("got %+v with %d descriptors, %v; want %+v", got, len(fds), err, want)
		}
	}
}

func TestReceivedDescriptors_CloseOnExec(t *testing.T) {
	a, b := pair(t)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	if err := a.Send(SpawnRequest{ID: 1, Root: "/srv", Path: "alice"}, time.Second, int(w.Fd())); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	_, fds, err := b.Receive()
	if err != nil || len(fds) != 1 {
		t.Fatalf("%d descriptors, %v", len(fds), err)
	}
	flags, _, errno := syscall.Syscall(syscall.SYS_FCNTL, uintptr(fds[0]), syscall.F_GETFD, 0)
	if errno != 0 || flags&syscall.FD_CLOEXEC == 0 {
		t.Errorf("flags %x, %v: it would leak into a worker", flags, errno)
	}
	if _, err := syscall.Write(fds[0], []byte("hi")); err != nil {
		t.Fatal(err)
	}
	CloseDescriptors(fds)
	if got, err := io.ReadAll(r); err != nil || string(got) != "hi" {
		t.Errorf("read %q, %v", got, err)
	}
}

func TestReceive_BadPacket_KeepsNoDescriptor(t *testing.T) {
	for name, packet := range map[string][]byte{
		"garbage":         []byte("GET / HTTP/1.1\r\n"),
		"a packet cut":    {byte(kindKill), 1},
		"one too long":    make([]byte, MaxPacketBytes+1),
		"a lone kind":     {byte(kindSpawn)},
		"an unknown verb": {99, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			a, b := pair(t)
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = r.Close() }()
			sendRaw(t, a, packet, int(w.Fd()))
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			if m, _, err := b.Receive(); !errors.Is(err, ErrMalformed) {
				t.Fatalf("received %+v, %v", m, err)
			}
			if _, err := io.ReadAll(r); err != nil { // ReadAll ends only after the last copy of w is closed
				t.Fatal(err)
			}
		})
	}
}

func TestReceive_TooManyDescriptors_IsRefused(t *testing.T) {
	a, b := pair(t)
	packet, err := Encode(SpawnRequest{ID: 1})
	if err != nil {
		t.Fatal(err)
	}
	sendRaw(t, a, packet, 0, 0, 0, 0, 0)
	if m, _, err := b.Receive(); !errors.Is(err, ErrMalformed) {
		t.Errorf("received %+v, %v", m, err)
	}
}

func TestReceive_PeerGone_IsEOF(t *testing.T) {
	a, b := pair(t)
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := b.Receive(); !errors.Is(err, io.EOF) {
		t.Errorf("%v, want EOF", err)
	}
	if err := b.Send(KillRequest{ID: 1, Signal: 9}, time.Second); err == nil {
		t.Error("sent to nobody")
	}
}

func TestClose_EndsWaitingReceive(t *testing.T) {
	a, _ := pair(t)
	ended := make(chan error, 1)
	go func() {
		_, _, err := a.Receive()
		ended <- err
	}()
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err == nil {
		t.Error("received from a closed connection")
	}
}

func TestSend_FullSocket_TimesOut(t *testing.T) {
	a, _ := pair(t)
	for range 1 << 16 {
		if err := a.Send(every[0], time.Millisecond); err != nil {
			if !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("%v, want a deadline", err)
			}
			return
		}
	}
	t.Error("65536 packets were taken")
}

func TestNewConn_WrongDescriptor_IsRefused(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = r.Close(), w.Close() }()
	fd, err := syscall.Dup(int(r.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := NewConn(fd); err == nil {
		t.Error("a pipe was taken for the spawner's socket")
	}
}

func sendRaw(t *testing.T, c *Conn, packet []byte, fds ...int) {
	t.Helper()
	err := c.raw.Write(func(fd uintptr) bool {
		if err := syscall.Sendmsg(int(fd), packet, syscall.UnixRights(fds...), nil, 0); err != nil {
			t.Error(err)
		}
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
}
