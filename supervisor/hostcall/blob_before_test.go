package hostcall_test

import (
	"strings"
	"testing"

	"mews/protocol"
)

// TestOldFileBytes_LimitedPerFileAndTurn checks the limits for the bytes of files from before a
// change: 16 MiB for a file, and 64 MiB for a turn. The user's other blobs do not count.
func TestOldFileBytes_LimitedPerFileAndTurn(t *testing.T) {
	r := newRig(t, says(protocol.ContentPart{Text: "hi"}))
	begin := func() (int64, error) {
		begun, err := r.call(protocol.MethodBlobBegin, protocol.BlobBeginParams{Turn: r.open.Turn.ID, Before: true})
		if err != nil {
			return 0, err
		}
		return begun.(protocol.BlobBeginResult).Blob, nil
	}
	keep := func(name string, size int64) {
		t.Helper()
		if err := r.db.Blobs().PutFileBackup(t.Context(), "ann", protocol.BlobRef{SHA256: hash(name), Size: size},
			r.open.Turn.ID); err != nil {
			t.Fatal(err)
		}
	}
	refused := func(what string, err error) {
		t.Helper()
		if wireCode(err) != protocol.CodeFailed || !strings.Contains(err.Error(), "64 MiB for a turn") {
			t.Errorf("%s: %v", what, err)
		}
	}
	r.hoard("outputs", quota)
	keep("much", protocol.MaxUndoBytesPerTurn-3)
	blob, err := begin()
	if err != nil {
		t.Fatal(err)
	}
	refused("4 bytes where 3 are left", r.write(blob, 0, "1234"))
	keep("rest", 3)
	_, err = begin()
	refused("where none is left", err)
}
