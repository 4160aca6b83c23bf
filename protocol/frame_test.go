package protocol

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"
)

func TestFrameReader_Streams_AreCutIntoLines(t *testing.T) {
	long := strings.Repeat("x", 100)
	tests := []struct {
		name  string
		input string
		limit int
		lines []string
		end   error
	}{
		{"nothing", "", 10, nil, io.EOF},
		{"two lines", "a\nbc\n", 10, []string{"a", "bc"}, io.EOF},
		{"empty lines are lines", "\n\n", 10, []string{"", ""}, io.EOF},
		{"half a line is not a message", "a\nbc", 10, []string{"a"}, io.ErrUnexpectedEOF},
		{"exactly the limit", long + "\n", 100, []string{long}, io.EOF},
		{"one byte over the limit", "a\n" + long + "\n", 99, []string{"a"}, ErrLineTooLong},
		{"over the limit without an end", long, 50, nil, ErrLineTooLong},
		{"a short line before a long one", "a\n" + long, 100, []string{"a"}, io.ErrUnexpectedEOF},
	}
	readers := map[string]func(io.Reader) io.Reader{
		"whole":           func(r io.Reader) io.Reader { return r },
		"byte by byte":    iotest.OneByteReader,
		"halves":          iotest.HalfReader,
		"error with data": iotest.DataErrReader,
	}
	for _, tt := range tests {
		for how, reader := range readers {
			t.Run(tt.name+"/"+how, func(t *testing.T) {
				f := newFrameReader(reader(strings.NewReader(tt.input)), tt.limit)
				lines, err := drain(f)
				if strings.Join(lines, "|") != strings.Join(tt.lines, "|") || !errors.Is(err, tt.end) {
					t.Errorf("got %q and %v, want %q and %v", lines, err, tt.lines, tt.end)
				}
			})
		}
	}
}

func drain(f *frameReader) ([]string, error) {
	var lines []string
	for {
		line, err := f.next()
		if err != nil {
			return lines, err
		}
		lines = append(lines, string(line))
	}
}

func TestFrameReader_EachEnd_HasItsError(t *testing.T) {
	tests := []struct {
		name string
		r    io.Reader
		want error
	}{
		{"a reset peer is gone", iotest.ErrReader(syscall.ECONNRESET), io.EOF},
		{"reset within a line", io.MultiReader(strings.NewReader("{"), iotest.ErrReader(syscall.ECONNRESET)),
			io.ErrUnexpectedEOF},
		{"another error stays", iotest.ErrReader(io.ErrClosedPipe), io.ErrClosedPipe},
		{"a reader that reads nothing", emptyReader{}, io.ErrNoProgress},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := newFrameReader(tt.r, 10).next(); !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
		})
	}
}

type emptyReader struct{}

func (emptyReader) Read([]byte) (int, error) { return 0, nil }

// endlessLine is a line without end.
type endlessLine struct{ read int }

func (e *endlessLine) Read(p []byte) (int, error) {
	e.read += len(p)
	return copy(p, bytes.Repeat([]byte("x"), len(p))), nil
}

func TestFrameReader_LongLine_IsRefusedEarly(t *testing.T) {
	const limit = 100_000
	r := new(endlessLine)
	f := newFrameReader(r, limit)
	if _, err := f.next(); !errors.Is(err, ErrLineTooLong) || !errors.Is(err, ErrProtocolBroken) {
		t.Fatalf("got %v, want %v", err, ErrLineTooLong)
	}
	if r.read > limit+1 || cap(f.buf) > limit+1 {
		t.Errorf("read %d bytes into %d for a limit of %d", r.read, cap(f.buf), limit)
	}
}

func TestFrameReader_LargeBuffer_IsFreed(t *testing.T) {
	big := strings.Repeat("x", 900<<10) + "\n"
	r, w := io.Pipe()
	f := newFrameReader(r, 1<<20)
	go func() {
		io.WriteString(w, big)
		io.WriteString(w, "small\n")
		w.Close()
	}()
	var sizes []int
	for {
		if _, err := f.next(); err != nil {
			break
		}
		sizes = append(sizes, len(f.buf))
	}
	if len(sizes) != 2 || sizes[0] < 900<<10 || sizes[1] > bufferKept {
		t.Errorf("buffer sizes %v", sizes)
	}
	runtime.KeepAlive(f)
}

func FuzzFrameReader(f *testing.F) {
	f.Add([]byte("a\nbc\n"), uint16(2), uint8(1))
	f.Add([]byte("a\n\nb"), uint16(1), uint8(7))
	f.Add(bytes.Repeat([]byte("x"), 10_000), uint16(9_000), uint8(0))
	f.Fuzz(func(t *testing.T, input []byte, limit uint16, chunk uint8) {
		most := int(limit) + 1
		frames := newFrameReader(&chunkedReader{bytes.NewReader(input), int(chunk) + 1}, most)
		got, err := drain(frames)
		want, wantErr := cutSimply(input, most)
		if strings.Join(got, "\n") != strings.Join(want, "\n") || len(got) != len(want) || !errors.Is(err, wantErr) {
			t.Errorf("got %q and %v, want %q and %v", got, err, want, wantErr)
		}
		if len(frames.buf) > max(most+1, bufferStart) {
			t.Errorf("%d bytes of buffer for lines of at most %d", len(frames.buf), most)
		}
	})
}

// chunkedReader reads at most n bytes at once.
type chunkedReader struct {
	r io.Reader
	n int
}

func (c *chunkedReader) Read(p []byte) (int, error) { return c.r.Read(p[:min(len(p), c.n)]) }

// cutSimply cuts input into lines in the simplest way, to compare with frameReader.
func cutSimply(input []byte, limit int) ([]string, error) {
	var lines []string
	for {
		line, rest, found := bytes.Cut(input, []byte("\n"))
		switch {
		case len(line) > limit:
			return lines, ErrLineTooLong
		case !found && len(line) > 0:
			return lines, io.ErrUnexpectedEOF
		case !found:
			return lines, io.EOF
		}
		lines, input = append(lines, string(line)), rest
	}
}

// TestFrameReader_ShortLines_FreeTheBuffer: after a long line an idle connection keeps no large
// buffer.
func TestFrameReader_ShortLines_FreeTheBuffer(t *testing.T) {
	long := strings.Repeat("x", 3*bufferStart)
	f := newFrameReader(strings.NewReader(long+"\n"+strings.Repeat("short\n", shortLines+1)), 1<<20)
	for i := range shortLines + 2 {
		line, err := f.next()
		if want := map[bool]string{true: long, false: "short"}[i == 0]; err != nil || string(line) != want {
			t.Fatalf("line %d: %d bytes, %v", i, len(line), err)
		}
	}
	if _, err := f.next(); err != io.EOF || len(f.buf) > bufferStart {
		t.Errorf("%v; the buffer has %d bytes, at most %d", err, len(f.buf), bufferStart)
	}
}
