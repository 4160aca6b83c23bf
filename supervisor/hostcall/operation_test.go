package hostcall_test

import (
	"bytes"
	"strings"
	"testing"

	"mews/protocol"
	"mews/supervisor/operation"
	"mews/supervisor/spool"
)

// operate begins an operation. most is the limit of its blobs, in bytes.
func (r *rig) operate(id, most int64) *spool.Spool {
	r.t.Helper()
	s, err := spool.Open(r.t.TempDir())
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { s.Close() })
	r.conn.BeginOperation(operation.Attempt{ID: id, Spool: s, MaxBytes: most})
	return s
}

// put writes a blob in an operation. It returns the error of the first call that fails.
func (r *rig) put(operation int64, data []byte) (ref protocol.BlobRef, err error) {
	begun, err := r.call(protocol.MethodBlobBegin, protocol.BlobBeginParams{Operation: operation})
	if err != nil {
		return ref, err
	}
	blob := begun.(protocol.BlobBeginResult).Blob
	for offset := 0; offset < len(data); offset += protocol.MaxBlobChunkBytes {
		chunk := data[offset:min(offset+protocol.MaxBlobChunkBytes, len(data))]
		p := protocol.BlobWriteParams{Operation: operation, Blob: blob, Offset: int64(offset), Data: chunk}
		if _, err := r.call(protocol.MethodBlobWrite, p); err != nil {
			return ref, err
		}
	}
	kept, err := r.call(protocol.MethodBlobCommit, protocol.BlobCommitParams{Operation: operation, Blob: blob})
	if err == nil {
		ref = kept.(protocol.BlobRef)
	}
	return ref, err
}

func TestOperationBlobs_UserCannotRead(t *testing.T) {
	r := newRig(t, says(protocol.ContentPart{Text: "hi"}))
	s := r.operate(7, 1<<20)
	data := bytes.Repeat([]byte("archive "), 20_000)
	ref, err := r.put(7, data)
	if err != nil {
		t.Fatal(err)
	}
	if _, owns, err := r.db.Blobs().IsOwner(t.Context(), "ann", ref.SHA256); owns || err != nil {
		t.Errorf("it is one of ann's outputs: %v, %v", owns, err)
	}
	head := make([]byte, 8)
	if n, size, err := s.ReadAt(ref.SHA256, head, 0); err != nil || string(head[:n]) != "archive " || size != int64(len(data)) {
		t.Errorf("kept is %q of %d, %v", head[:n], size, err)
	}
	read := protocol.BlobReadParams{Operation: 7, SHA256: ref.SHA256, Length: 8}
	if _, err := r.call(protocol.MethodBlobRead, read); wireCode(err) != protocol.CodeFailed || r.peer.ended != nil {
		t.Errorf("its worker reads it: %v; ended for %v", err, r.peer.ended)
	}
	if got := r.conn.EndOperation(7); len(got) != 1 || got[0] != ref {
		t.Errorf("committed were %v", got)
	}
	if r.conn.EndOperation(7) != nil {
		t.Error("it ended twice")
	}
	if _, err := r.put(7, data); err == nil || r.peer.ended == nil {
		t.Errorf("a call after its end: %v, ended for %v", err, r.peer.ended)
	}
}

func TestOperation_OverByteOrBlobLimit_IsRefused(t *testing.T) {
	r := newRig(t, says(protocol.ContentPart{Text: "hi"}))
	r.operate(7, 100_000)
	if _, err := r.put(7, make([]byte, 100_001)); err == nil || !strings.Contains(err.Error(), "100000 bytes") {
		t.Errorf("one that is too large: %v", err)
	}
	if _, err := r.put(7, make([]byte, 100_000)); err != nil {
		t.Error(err)
	}
	if _, err := r.put(7, []byte("x")); err == nil || !strings.Contains(err.Error(), "100000 bytes") {
		t.Errorf("one byte more: %v", err)
	}
	if r.peer.ended != nil {
		t.Errorf("ended for %v", r.peer.ended)
	}
}

func TestOperation_MakesTurnCall_EndsWorker(t *testing.T) {
	for _, c := range []struct {
		method string
		params any
	}{
		{protocol.MethodModelStream, protocol.ModelStreamParams{Turn: 7}},
		{protocol.MethodStepCommit, protocol.StepCommitParams{Turn: 7}},
		{protocol.MethodChatSend, protocol.ChatSendParams{Turn: 7}},
		{protocol.MethodBlobBegin, protocol.BlobBeginParams{Turn: 7}},
		{protocol.MethodBlobBegin, protocol.BlobBeginParams{Operation: 8}},
		{protocol.MethodBlobBegin, protocol.BlobBeginParams{Turn: 1, Operation: 7}},
	} {
		r := newRig(t, says(protocol.ContentPart{Text: "hi"}))
		r.operate(7, 100_000)
		if _, err := r.call(c.method, c.params); err == nil || r.peer.ended == nil || len(r.audited) != 1 {
			t.Errorf("%s %+v: %v, ended for %v, audited %q", c.method, c.params, err, r.peer.ended, r.audited)
		}
	}
}
