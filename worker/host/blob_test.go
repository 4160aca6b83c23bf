package host_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"mews/protocol"
	"mews/worker/host"
)

func TestStoreBlob_SlowReader_SendsFullChunks(t *testing.T) {
	for _, size := range []int{0, 1, protocol.MaxBlobChunkBytes, 3*protocol.MaxBlobChunkBytes + 3} {
		s, h := connect(t)
		text := strings.Repeat("mews ", size/5+1)[:size]
		kept, err := h.Turn(1).StoreBlob(t.Context(), iotest.HalfReader(strings.NewReader(text)), int64(size))
		if err != nil || kept != ref([]byte(text)) || string(s.blob) != text {
			t.Errorf("%d bytes: got %+v, %v", size, kept, err)
		}
		if want := 2 + (size+protocol.MaxBlobChunkBytes-1)/protocol.MaxBlobChunkBytes; len(s.methods) != want {
			t.Errorf("%d bytes took %d calls, want %d", size, len(s.methods), want)
		}
	}
}

func TestStoreBlob_BadReader_StoresNoBlob(t *testing.T) {
	broken := errors.New("the disk is broken")
	long := strings.Repeat("x", 2*protocol.MaxBlobChunkBytes+1)
	for name, c := range map[string]struct {
		from io.Reader
		want error
	}{
		"longer than it may be": {strings.NewReader(long), host.ErrBlobTooLong},
		"unreadable":            {iotest.ErrReader(broken), broken},
		"unreadable later":      {io.MultiReader(strings.NewReader(long[1:]), iotest.ErrReader(broken)), broken},
	} {
		s, h := connect(t)
		if kept, err := h.Turn(1).StoreBlob(t.Context(), c.from, int64(len(long)-1)); !errors.Is(err, c.want) {
			t.Errorf("%s: got %+v, %v", name, kept, err)
		}
		if last := s.methods[len(s.methods)-1]; last == protocol.MethodBlobCommit || len(s.blob) >= len(long) {
			t.Errorf("%s: %d bytes were sent, and the last call was %s", name, len(s.blob), last)
		}
	}
}
