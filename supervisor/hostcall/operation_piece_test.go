package hostcall_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/operation"
)

// transcribe begins an operation for a recording of one piece. It records the commits in done.
func (r *rig) transcribe(id int64, done *[]string) {
	r.conn.BeginOperation(operation.Attempt{ID: id, Seconds: 100,
		Pieces:   []protocol.TranscribedPiece{{Text: strings.Repeat("x", protocol.MaxTranscriptBytes-10)}},
		Progress: func(int) {},
		Piece: func(_ context.Context, p protocol.OperationPiece) error {
			if p.Done != nil {
				*done = append(*done, p.Done.Text)
			}
			return nil
		}})
}

func transcribed(text string) *protocol.TranscribedPiece {
	return &protocol.TranscribedPiece{Text: text}
}

func TestPieces_AreCommittedInOrder(t *testing.T) {
	r := newRig(t, says(protocol.ContentPart{Text: "hi"}))
	var done []string
	r.transcribe(7, &done)
	for _, p := range []protocol.OperationPiece{
		{Operation: 7, Piece: 1, Total: 3, Seconds: 41},
		{Operation: 7, Piece: 2, Total: 3, Seconds: 41, Done: transcribed("one")},
		{Operation: 7, Piece: 3, Total: 3, Done: transcribed("")},
	} {
		if _, err := r.call(protocol.MethodOperationPiece, p); err != nil {
			t.Error(err)
		}
	}
	if !slices.Equal(done, []string{"one", ""}) || r.peer.ended != nil {
		t.Errorf("committed %q, ended for %v", done, r.peer.ended)
	}
}

// TestPieces_Invalid_EndWorker checks that each invalid piece ends the worker and is audited.
func TestPieces_Invalid_EndWorker(t *testing.T) {
	first := protocol.OperationPiece{Operation: 7, Piece: 1, Total: 3, Seconds: 40}
	for name, pieces := range map[string][]protocol.OperationPiece{
		"of another operation":       {{Operation: 8, Piece: 1, Total: 3, Seconds: 40}},
		"of one without pieces":      {{Operation: 9, Piece: 1, Total: 3, Seconds: 40}},
		"an already committed piece": {{Operation: 7, Piece: 0, Total: 3, Seconds: 40}},
		"out of order":               {{Operation: 7, Piece: 2, Total: 3, Seconds: 40}},
		"twice":                      {first, first},
		"one left out":               {first, {Operation: 7, Piece: 3, Total: 3, Done: transcribed("x")}},
		"done before it was begun":   {{Operation: 7, Piece: 1, Total: 3, Seconds: 40, Done: transcribed("x")}},
		"not done":                   {first, {Operation: 7, Piece: 2, Total: 3, Seconds: 40}},
		"of another number":          {first, {Operation: 7, Piece: 2, Total: 4, Seconds: 40, Done: transcribed("x")}},
		"of too many":                {{Operation: 7, Piece: 1, Total: 7, Seconds: 40}},
		"of none":                    {{Operation: 7, Piece: 1, Total: 0, Seconds: 40}},
		"behind the last":            {first, {Operation: 7, Piece: 2, Total: 3, Seconds: 9, Done: transcribed("x")}, {Operation: 7, Piece: 3, Total: 3, Done: transcribed("x")}, {Operation: 7, Piece: 4, Total: 3, Done: transcribed("x")}},
		"of no length":               {{Operation: 7, Piece: 1, Total: 3}},
		"too long":                   {{Operation: 7, Piece: 1, Total: 3, Seconds: 301}},
		"longer than the recording":  {{Operation: 7, Piece: 1, Total: 3, Seconds: 60}, {Operation: 7, Piece: 2, Total: 3, Seconds: 60, Done: transcribed("x")}},
		"too long a text": {first, {Operation: 7, Piece: 2, Total: 3, Seconds: 40,
			Done: transcribed(strings.Repeat("x", protocol.MaxPieceTextBytes+1))}},
		"too long texts together": {first, {Operation: 7, Piece: 2, Total: 3, Seconds: 40, Done: transcribed(strings.Repeat("x", 11))}},
		"too long parameters": {first, {Operation: 7, Piece: 2, Total: 3, Seconds: 40,
			Done: transcribed(strings.Repeat("\x01", protocol.MaxPieceTextBytes))}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, says(protocol.ContentPart{Text: "hi"}))
			var done []string
			r.transcribe(7, &done)
			r.conn.BeginOperation(operation.Attempt{ID: 9})
			for i, p := range pieces {
				_, err := r.call(protocol.MethodOperationPiece, p)
				if last := i == len(pieces)-1; last != (err != nil) || last != (r.peer.ended != nil) {
					t.Errorf("%+v: %v, ended for %v", p, err, r.peer.ended)
				}
			}
			if len(r.audited) != 1 || !strings.Contains(r.audited[0], "ann worker.offence host call operation.piece") {
				t.Errorf("audited %q", r.audited)
			}
		})
	}
}

func TestPiece_FullDisk_IsCommittedLater(t *testing.T) {
	r := newRig(t, says(protocol.ContentPart{Text: "hi"}))
	tries := 0
	r.conn.BeginOperation(operation.Attempt{ID: 7, Seconds: 9, Piece: func(context.Context, protocol.OperationPiece) error {
		if tries++; tries < 2 {
			return &supervisor.Error{Code: supervisor.CodeUnavailable, Message: "the disk is full"}
		}
		return errors.New("a shorter recording goes first")
	}})
	_, err := r.call(protocol.MethodOperationPiece, protocol.OperationPiece{Operation: 7, Total: 1, Seconds: 9})
	if wireCode(err) != protocol.CodeFailed || tries != 2 || r.peer.ended != nil {
		t.Errorf("%v after %d tries, ended for %v", err, tries, r.peer.ended)
	}
}

// TestOperation_OfUser_CommitsUsersBlobs checks that an operation with a user commits blobs within
// its limits, and may read all blobs of the user.
func TestOperation_OfUser_CommitsUsersBlobs(t *testing.T) {
	r := newRig(t, says(protocol.ContentPart{Text: "hi"}))
	r.conn.BeginOperation(operation.Attempt{ID: 7, MaxBytes: 100, MaxBlobs: 2})
	if _, err := r.put(7, make([]byte, 101)); err == nil || !strings.Contains(err.Error(), "100 bytes") {
		t.Errorf("one that is too large: %v", err)
	}
	for _, text := range []string{"one", "two"} {
		ref, err := r.put(7, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if size, owns, err := r.db.Blobs().IsOwner(t.Context(), "ann", ref.SHA256); size != 3 || !owns || err != nil {
			t.Errorf("%s is ann's: %v of %d, %v", text, owns, size, err)
		}
		got, err := r.call(protocol.MethodBlobRead, protocol.BlobReadParams{Operation: 7, SHA256: ref.SHA256,
			Length: 8})
		if err != nil || string(got.(protocol.BlobReadResult).Data) != text {
			t.Errorf("read %v, %v", got, err)
		}
	}
	if _, err := r.put(7, []byte("x")); err == nil || !strings.Contains(err.Error(), "2 blobs") {
		t.Errorf("a third one: %v", err)
	}
	if got := r.conn.EndOperation(7); len(got) != 2 || r.peer.ended != nil {
		t.Errorf("committed were %v, ended for %v", got, r.peer.ended)
	}
}

// TestUndo_ReplacedBytes_CountAsOldFileBytes checks that the bytes that an undo replaces count as
// bytes from before a change, and not as outputs.
func TestUndo_ReplacedBytes_CountAsOldFileBytes(t *testing.T) {
	const room = 512 << 20
	r := newRig(t, says(protocol.ContentPart{Text: "hi"}))
	r.conn.BeginOperation(operation.Attempt{ID: 7, MaxBytes: room})
	begin := func() (int64, error) {
		begun, err := r.call(protocol.MethodBlobBegin, protocol.BlobBeginParams{Operation: 7, Before: true})
		if err != nil {
			return 0, err
		}
		return begun.(protocol.BlobBeginResult).Blob, nil
	}
	blob, err := begin()
	if err == nil {
		_, err = r.call(protocol.MethodBlobWrite, protocol.BlobWriteParams{Operation: 7, Blob: blob,
			Data: []byte("one")})
	}
	if err == nil {
		_, err = r.call(protocol.MethodBlobCommit, protocol.BlobCommitParams{Operation: 7, Blob: blob})
	}
	_, before, err2 := r.db.Blobs().SumFileBackups(t.Context(), "ann", 0, time.Unix(0, 0))
	outputs, err3 := r.db.Blobs().SumTurnBytes(t.Context(), "ann", time.Unix(0, 0))
	if err := errors.Join(err, err2, err3); err != nil || before != 3 || outputs != 0 {
		t.Fatalf("%d bytes from before and %d of outputs, %v", before, outputs, err)
	}
	if err := r.db.Blobs().PutFileBackup(t.Context(), "ann", protocol.BlobRef{SHA256: hash("much"), Size: room - 3},
		0); err != nil {
		t.Fatal(err)
	}
	if _, err := begin(); wireCode(err) != protocol.CodeFailed || !strings.Contains(err.Error(), "512 MiB") {
		t.Errorf("where no room is left: %v", err)
	}
}
