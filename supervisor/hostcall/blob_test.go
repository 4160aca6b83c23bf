package hostcall_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/hostcall"
	"mews/supervisor/spool"
)

const quota = 256 << 20

// hoard records that ann owns a blob of the given size, without storing its bytes.
func (r *rig) hoard(sha string, size int64) {
	r.t.Helper()
	ref := protocol.BlobRef{SHA256: hash(sha), Size: size}
	if err := r.db.Blobs().AddOwner(r.t.Context(), "ann", ref, r.open.Turn.ID); err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) begin() (int64, error) {
	begun, err := r.call(protocol.MethodBlobBegin, protocol.BlobBeginParams{Turn: r.open.Turn.ID})
	if err != nil {
		return 0, err
	}
	return begun.(protocol.BlobBeginResult).Blob, nil
}

func (r *rig) write(blob, offset int64, text string) error {
	_, err := r.call(protocol.MethodBlobWrite,
		protocol.BlobWriteParams{Turn: r.open.Turn.ID, Blob: blob, Offset: offset, Data: []byte(text)})
	return err
}

func (r *rig) commit(blob int64) error {
	_, err := r.call(protocol.MethodBlobCommit, protocol.BlobCommitParams{Turn: r.open.Turn.ID, Blob: blob})
	return err
}

// checkQuota checks that err tells the worker about the quota.
func checkQuota(t *testing.T, what string, err error) {
	t.Helper()
	if wireCode(err) != protocol.CodeFailed || !strings.Contains(err.Error(), "256 MiB") {
		t.Errorf("%s: %v", what, err)
	}
}

func TestBlobs_OverQuota_AreRefused(t *testing.T) {
	r := newRig(t, says(protocol.ContentPart{Text: "hi"}))
	r.hoard("much", quota-10)
	first, err := r.begin()
	if err != nil {
		t.Fatal(err)
	}
	second, err := r.begin()
	if err != nil {
		t.Fatal(err)
	}
	checkQuota(t, "write 11 bytes where 10 are left", r.write(first, 0, "12345678901"))
	for _, blob := range []int64{first, second} {
		if err := r.write(blob, 0, strings.Repeat("x", int(blob)+7)); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.commit(first); err != nil {
		t.Fatal(err)
	}
	checkQuota(t, "commit what the other has left no room for", r.commit(second))
	r.hoard("rest", 2)
	_, err = r.begin()
	checkQuota(t, "begin where none is left", err)

	bob, _ := r.newConn("bob")
	other := r.startTurn("bob", "1")
	bob.BeginTurn(hostcall.Turn{ID: other.Turn.ID, Kind: supervisor.TurnChat, Conversation: other.Turn.Conversation.ID, Reply: r.stream})
	if _, err := ask(t, bob, protocol.MethodBlobBegin, protocol.BlobBeginParams{Turn: other.Turn.ID}); err != nil {
		t.Errorf("bob, who keeps nothing: %v", err)
	}
}

func TestBlobs_OldBlobsDeleted_FreesQuota(t *testing.T) {
	now := time.Now()
	r := newRig(t, says(protocol.ContentPart{Text: "hi"}))
	r.options.Now = func() time.Time { return now }
	r.conn, r.peer = r.newConn("ann")
	r.conn.BeginTurn(r.turn())
	r.hoard("much", quota)
	_, err := r.begin()
	checkQuota(t, "begin", err)
	now = now.Add(spool.Retention + time.Minute)
	if _, err := r.begin(); err != nil {
		t.Errorf("a week later: %v", err)
	}
}

// fullSpool is a spool whose disk is full.
type fullSpool struct{ hostcall.Spool }

func (fullSpool) NewWriter() (*spool.Writer, error) { return nil, spool.ErrFull }

func TestBlobs_FullDisk_IsAnsweredAndLogged(t *testing.T) {
	r := newRig(t, says(protocol.ContentPart{Text: "hi"}))
	r.options.Spool = fullSpool{}
	logged := r.logged()
	if _, err := r.begin(); wireCode(err) != protocol.CodeFailed || !strings.Contains(err.Error(), "nearly full") {
		t.Errorf("got %v", err)
	}
	if !strings.Contains(logged.String(), "[WARN]") {
		t.Errorf("the log has %q", logged)
	}
}

// brokenBlobs is a store of blobs whose database fails.
type brokenBlobs struct{ hostcall.Blobs }

func (brokenBlobs) SumTurnBytes(context.Context, string, time.Time) (int64, error) {
	return 0, &supervisor.Error{Code: supervisor.CodeUnavailable, Message: "The database is busy."}
}

func TestBlobs_QuotaUnknown_StoresNothing(t *testing.T) {
	r := newRig(t, says(protocol.ContentPart{Text: "hi"}))
	blob, err := r.begin()
	if err != nil {
		t.Fatal(err)
	}
	r.options.Blobs = brokenBlobs{r.db.Blobs()}
	if _, err := r.begin(); wireCode(err) != protocol.CodeFailed {
		t.Errorf("begin: %v", err)
	}
	if err := r.commit(blob); wireCode(err) != protocol.CodeFailed {
		t.Errorf("commit: %v", err)
	}
}
