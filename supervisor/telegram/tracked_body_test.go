package telegram

import (
	"bytes"
	"io"
	"testing"

	"pgregory.net/rapid"

	_ "mews/internal/fixedseed"
)

// TestBody_SentOnOneConnection_IsComplete also checks that an ended body gives out no bytes.
func TestBody_SentOnOneConnection_IsComplete(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		body := rapid.SliceOfN(rapid.Byte(), 1, 40).Draw(t, "body")
		out := bytesBody(body)
		reader, _ := out.reader()
		var got []byte
		for range rapid.IntRange(0, 12).Draw(t, "steps") {
			if rapid.IntRange(0, 5).Draw(t, "again") == 0 {
				old := reader
				reader, _ = out.reader()
				got = nil
				if n, err := old.Read(make([]byte, 8)); n != 0 || err == nil {
					t.Fatalf("a connection that was given up read %d bytes: %v", n, err)
				}
			}
			buf := make([]byte, rapid.IntRange(1, 16).Draw(t, "room"))
			n, err := reader.Read(buf)
			if got = append(got, buf[:n]...); err != nil && (err != io.EOF || len(got) < len(body)) {
				t.Fatalf("after %d bytes: %v", len(got), err)
			}
		}
		if whole, broken := out.stop(); broken != nil || whole != bytes.Equal(got, body) {
			t.Fatalf("%d of %d bytes are out, and it says %v, %v", len(got), len(body), whole, broken)
		}
		if n, err := reader.Read(make([]byte, 64)); n != 0 || (err == io.EOF) != (len(got) == len(body)) {
			t.Fatalf("after its end it gave %d bytes: %v", n, err)
		}
	})
}

// TestBody_ClosedEarly_IsNotReportedBroken covers a connection that closes an undamaged body early.
func TestBody_ClosedEarly_IsNotReportedBroken(t *testing.T) {
	source := &closedReadChecker{Reader: bytes.NewReader([]byte("abcd"))}
	out := &trackedBody{size: 4, open: func() (io.ReadCloser, error) { return source, nil }}
	reader, err := out.reader()
	if err != nil {
		t.Fatal(err)
	}
	if n, err := reader.Read(make([]byte, 2)); n != 2 || err != nil {
		t.Fatalf("read %d bytes: %v", n, err)
	}
	if err := reader.Close(); err != nil || !source.closed {
		t.Fatalf("closed is %v: %v", source.closed, err)
	}
	if n, err := reader.Read(make([]byte, 2)); n != 0 || err != errEnded {
		t.Errorf("read %d bytes after that: %v", n, err)
	}
	if whole, broken := out.stop(); whole || broken != nil {
		t.Errorf("whole is %v, broken %v", whole, broken)
	}
}

// closedReadChecker is a body that fails if it is read after Close.
type closedReadChecker struct {
	io.Reader
	closed bool
}

func (o *closedReadChecker) Read(buf []byte) (int, error) {
	if o.closed {
		return 0, io.ErrClosedPipe
	}
	return o.Reader.Read(buf)
}

func (o *closedReadChecker) Close() error {
	o.closed = true
	return nil
}
