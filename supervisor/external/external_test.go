package external_test

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/egress"
	"mews/supervisor/external"
	"mews/supervisor/spool"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
)

// rig is a database with a turn of ann in which the model has made the calls c1 and c2.
type rig struct {
	*testing.T
	db    *sqlite.DB
	spool *spool.Spool
	calls *external.Calls
	turn  int64
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{T: t, db: sqlitetest.Open(t), spool: openSpool(t, filepath.Join(t.TempDir(), "spool"))}
	turn, err := startTurn(t.Context(), r.db, "c1", "c2")
	if err != nil {
		t.Fatal(err)
	}
	r.turn, r.calls = turn.ID, newCalls(r.db, r.spool)
	return r
}

// do makes a call whose answer is a text with an origin.
func (r *rig) do(id string, repeatable bool, text string, failed error) (string, error) {
	got, err := external.Do(r.Context(), r.calls, newCall(r.turn, id, repeatable),
		func(context.Context) (external.Answer[page], error) {
			return external.Answer[page]{Result: page{Text: text}, Origins: []string{"web:example.org"}}, failed
		})
	return got.Text, err
}

// same checks a result of the call c1, or of a query.
func (r *rig) same(what, got, want string) {
	r.Helper()
	if got != want {
		r.Errorf("%s: got %q, want %q", what, got, want)
	}
}

func (r *rig) query(query string) string {
	r.Helper()
	return strings.Join(sqlitetest.QueryColumn(r, r.db, query), " ")
}

func TestDo_SecondTime_GivesKeptAnswer(t *testing.T) {
	r := newRig(t)
	for _, text := range []string{"first", "second"} {
		got, err := r.do("c1", false, text, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.same("answer", got, "first")
	}
	r.same("rows", r.query(`SELECT call || ' ' || answer || ' ' || origins FROM external_call`),
		`c1 {"text":"first"} ["web:example.org"]`)
}

// A failed call may be made again if it is repeatable, or if no server got it.
func TestDo_AfterFailure_RepeatsHarmlessCall(t *testing.T) {
	for name, test := range map[string]struct {
		repeatable bool
		failed     error
		unknown    bool
	}{
		"read":           {true, errors.New("reset"), false},
		"write":          {false, errors.New("reset"), true},
		"write, sent":    {false, &supervisor.Error{Err: &egress.Failure{Sent: true}}, true},
		"write, unsent":  {false, &supervisor.Error{Err: &egress.Failure{}}, false},
		"write, refused": {false, external.NotSent{Err: errors.New("bad arguments")}, false},
	} {
		r := newRig(t)
		if _, err := r.do("c1", test.repeatable, "", test.failed); !errors.Is(err, test.failed) {
			t.Errorf("%s: got error %v", name, err)
		}
		got, err := r.do("c1", test.repeatable, "again", nil)
		if test.unknown {
			checkRefusal(t, err)
			continue
		}
		if err != nil || got != "again" {
			t.Errorf("%s: got %q and error %v", name, got, err)
		}
	}
}

func TestDo_SameCallTwiceAtOnce_IsRefused(t *testing.T) {
	r := newRig(t)
	_, err := external.Do(t.Context(), r.calls, newCall(r.turn, "c1", true),
		func(context.Context) (external.Answer[page], error) {
			_, err := r.do("c1", true, "inner", nil)
			checkRefusal(t, err)
			return external.Answer[page]{}, nil
		})
	if err != nil {
		t.Error(err)
	}
}

// The mark as words of others does not depend on the worker, and the origins come from the kept
// answer.
func TestCommitResult_KeptAnswer_MarksResult(t *testing.T) {
	r := newRig(t)
	if _, err := r.do("c1", true, "page", nil); err != nil {
		t.Fatal(err)
	}
	result := newResult("c1", "page")
	result.Origins = []string{"file:a"}
	for range 2 { // the second commit is the repetition of a worker that got no answer
		if _, err := r.db.Turns().CommitResult(t.Context(), r.turn, result); err != nil {
			t.Fatal(err)
		}
	}
	other := result
	other.Text = "another"
	if _, err := r.db.Turns().CommitResult(t.Context(), r.turn, other); err == nil {
		t.Error("another result of the same call was taken")
	}
	if _, err := r.db.Turns().CommitResult(t.Context(), r.turn, newResult("c2", "mine")); err != nil {
		t.Fatal(err)
	}
	r.same("results", r.query(`SELECT source || parts FROM message WHERE role = 'tool' ORDER BY id`),
		`world[{"result":{"call":"c1","name":"web_search","text":"page","world":true,`+
			`"origins":["file:a","web:example.org"]}}] `+
			`world[{"result":{"call":"c2","name":"web_search","text":"mine","world":true}}]`)
	r.same("rows", r.query(`SELECT call FROM external_call`), "")
	if _, err := r.do("c1", true, "", nil); err == nil {
		t.Error("a call with a result was made")
	}
}

// A kept blob is readable, counts, and stays in the spool until its call has a result.
func TestKeep_Blob_LivesUntilResult(t *testing.T) {
	r := newRig(t)
	var refs []protocol.BlobRef
	_, err := external.Do(t.Context(), r.calls, newCall(r.turn, "c1", true),
		func(ctx context.Context) (external.Answer[page], error) {
			for _, text := range []string{"a body", "a picture"} {
				ref, err := r.calls.Keep(ctx, newCall(r.turn, "c1", true).Turn, strings.NewReader(text))
				if err != nil {
					return external.Answer[page]{}, err
				}
				refs = append(refs, ref)
			}
			return external.Answer[page]{Blobs: refs}, nil
		})
	if err != nil {
		t.Fatal(err)
	}
	if _, owns, err := r.db.Blobs().IsOwner(t.Context(), "ann", refs[0].SHA256); !owns || err != nil {
		t.Errorf("ann may not read the body: %v", err)
	}
	needed, err := r.db.Blobs().ListNeeded(t.Context())
	if err != nil || !needed[refs[0].SHA256] || !needed[refs[1].SHA256] {
		t.Errorf("needed: %v, %v", needed, err)
	}
	if sum, err := r.db.Blobs().SumTurnBytes(t.Context(), "ann", noTime); sum != 15+int64(len(`{"text":""}`)) ||
		err != nil {
		t.Errorf("ann keeps %d bytes, %v", sum, err)
	}
	result := newResult("c1", "page")
	result.Images = []protocol.Image{{BlobRef: refs[1], MediaType: "image/png", Width: 1, Height: 1}}
	if _, err := r.db.Turns().CommitResult(t.Context(), r.turn, result); err != nil {
		t.Fatal(err)
	}
	for i, want := range []bool{false, true} { // the picture is in the result
		if _, owns, err := r.db.Blobs().IsOwner(t.Context(), "ann", refs[i].SHA256); owns != want || err != nil {
			t.Errorf("blob %d: ann may read it: %v, %v", i, owns, err)
		}
	}
	if needed, err := r.db.Blobs().ListNeeded(t.Context()); err != nil || len(needed) > 0 {
		t.Errorf("needed: %v, %v", needed, err)
	}
	var removed []string
	err = r.db.ForgetRequestStore().RemoveForgottenBlobs(t.Context(), "ann", func(sha string) error {
		removed = append(removed, sha)
		return nil
	})
	if err != nil || !slices.Equal(removed, []string{refs[0].SHA256}) {
		t.Errorf("removed %v, %v", removed, err)
	}
}

func TestKeep_NoRoom_IsRefused(t *testing.T) {
	r := newRig(t)
	full := protocol.BlobRef{SHA256: strings.Repeat("a", 64), Size: spool.MaxTurnBytes - 3}
	if err := r.db.Blobs().AddOwner(t.Context(), "ann", full, r.turn); err != nil {
		t.Fatal(err)
	}
	turn := newCall(r.turn, "c1", true).Turn
	_, err := r.calls.Keep(t.Context(), turn, strings.NewReader("four"))
	checkRefusal(t, err)
	if _, err = r.calls.Keep(t.Context(), turn, strings.NewReader("one")); err != nil {
		t.Error(err)
	}
	cut := errors.New("cut off")
	if _, err = r.calls.Keep(t.Context(), turn, iotest.ErrReader(cut)); !errors.Is(err, cut) {
		t.Errorf("got error %v", err)
	}
}

// A turn that ends without the result leaves no row, and the ledger says that a call began.
func TestFinish_BegunCall_IsInLedger(t *testing.T) {
	r := newRig(t)
	if _, err := r.do("c1", false, "", errors.New("reset")); err == nil {
		t.Fatal("the call succeeded")
	}
	if _, err := r.do("c2", true, "", errors.New("reset")); err == nil {
		t.Fatal("the call succeeded")
	}
	_, err := r.db.Turns().Finish(t.Context(), sqlite.TurnEnding{Turn: r.turn, Why: protocol.TurnEndStopped,
		State: supervisor.InboundAnswered, Text: "Stopped.", Unanswered: "It was not run."})
	if err != nil {
		t.Fatal(err)
	}
	r.same("ledger", r.query(`SELECT kind || ' ' || call || ' ' || target FROM effect`), "call.begun c1 web_search")
	r.same("rows", r.query(`SELECT call FROM external_call`), "")
}

func TestKeepAnswer_Effects_AreInLedgerOnce(t *testing.T) {
	r := newRig(t)
	for range 2 {
		_, err := external.Do(t.Context(), r.calls, newCall(r.turn, "c1", false),
			func(context.Context) (external.Answer[page], error) {
				return external.Answer[page]{Effects: []supervisor.Effect{{Kind: "message.sent", Target: "it"}}}, nil
			})
		if err != nil {
			t.Fatal(err)
		}
	}
	r.same("ledger", r.query(`SELECT kind || ' ' || call || ' ' || target FROM effect`), "message.sent c1 it")
}

// A question's answer permits one call, so a call that has begun is not asked about again.
func TestDo_BegunCall_AsksNoPermission(t *testing.T) {
	for name, failed := range map[string]error{"kept": nil, "begun": errors.New("reset")} {
		r, asked := newRig(t), 0
		call := newCall(r.turn, "c1", false)
		call.Allow = func(context.Context) error {
			asked++
			return nil
		}
		for range 2 {
			got, err := external.Do(t.Context(), r.calls, call, func(context.Context) (external.Answer[page], error) {
				return external.Answer[page]{Result: page{Text: "done"}}, failed
			})
			if failed == nil && (err != nil || got.Text != "done") || failed != nil && err == nil {
				t.Errorf("%s: got %q and error %v", name, got.Text, err)
			}
		}
		if asked != 1 {
			t.Errorf("%s: asked %d times", name, asked)
		}
	}
}

func TestDo_DeniedCall_IsNotBegun(t *testing.T) {
	r := newRig(t)
	call, denied := newCall(r.turn, "c1", false), errors.New("no")
	call.Allow = func(context.Context) error { return denied }
	_, err := external.Do(t.Context(), r.calls, call, func(context.Context) (external.Answer[page], error) {
		t.Error("the call was made")
		return external.Answer[page]{}, nil
	})
	if !errors.Is(err, denied) {
		t.Errorf("got error %v", err)
	}
	r.same("rows", r.query(`SELECT call FROM external_call`), "")
}
