package sqlite_test

import (
	"testing"

	"mews/protocol"
	"mews/supervisor"
)

func archive(user string) supervisor.Operation {
	return supervisor.Operation{User: user, Kind: protocol.OperationKindArchive, Parameters: `{"max_bytes":1048576}`}
}

func TestOperation_Done_StaysDone(t *testing.T) {
	s := newStory(t)
	operations := s.db.Operations()
	o, err := operations.Put(t.Context(), archive("alice"))
	s.must(err)
	s.same("kept", o, supervisor.Operation{ID: o.ID, User: "alice", Kind: "archive",
		Parameters: `{"max_bytes":1048576}`,
		State:      supervisor.OperationWaiting, CreatedAt: noon, UpdatedAt: noon})
	unfinished := func(want ...supervisor.Operation) {
		t.Helper()
		list, err := operations.ListUnfinished(t.Context())
		s.must(err)
		s.same("unfinished", list, want)
	}
	unfinished(o)
	s.must(operations.ChangeState(t.Context(), o.ID, supervisor.OperationRunning, ""))
	s.must(operations.Delete(t.Context(), o.ID)) // the operation stays, since it runs
	o.State = supervisor.OperationRunning
	unfinished(o)
	// The operation begins again after a crash.
	s.must(operations.ChangeState(t.Context(), o.ID, supervisor.OperationRunning, ""))
	s.must(operations.ChangeState(t.Context(), o.ID, supervisor.OperationDone, `{"sha256":"00"}`))
	o.State, o.Result = supervisor.OperationDone, `{"sha256":"00"}`
	unfinished()
	found, ok, err := operations.Find(t.Context(), o.ID)
	s.must(err)
	s.same("found", found, o)
	s.same("is there", ok, true)
	for _, to := range []supervisor.OperationState{supervisor.OperationRunning, supervisor.OperationFailed, supervisor.OperationDone} {
		s.checkRefused(operations.ChangeState(t.Context(), o.ID, to, ""), supervisor.CodeInvalid,
			"is done and cannot become")
	}
	s.checkRefused(operations.ChangeState(t.Context(), 99, supervisor.OperationDone, ""), supervisor.CodeNotFound,
		"there is no operation 99")
	other, err := operations.Put(t.Context(), archive("bob"))
	s.must(err)
	list, err := operations.List(t.Context(), "alice")
	s.must(err)
	s.same("alice's", list, []supervisor.Operation{o})
	s.must(operations.Delete(t.Context(), o.ID))
	list, err = operations.List(t.Context(), "alice")
	s.must(err)
	s.same("alice's once it is forgotten", list, []supervisor.Operation(nil))
	unfinished(other)
}

func TestOperation_ThreeDeaths_IsParked(t *testing.T) {
	s := newStory(t)
	operations := s.db.Operations()
	o, err := operations.Put(t.Context(), archive("alice"))
	s.must(err)
	_, err = operations.CountWorkerDeath(t.Context(), o.ID, "killed")
	s.checkRefused(err, supervisor.CodeInvalid, "is waiting and cannot become waiting")
	for death, want := range []supervisor.OperationState{supervisor.OperationWaiting, supervisor.OperationWaiting,
		supervisor.OperationParked} {
		s.must(operations.ChangeState(t.Context(), o.ID, supervisor.OperationRunning, ""))
		o, err = operations.CountWorkerDeath(t.Context(), o.ID, "killed")
		s.must(err)
		s.same("deaths", o.Deaths, death+1)
		s.same("state", o.State, want)
	}
	s.same("why", o.Result, "killed")
}

func TestPieces_OperationEnded_AreDeleted(t *testing.T) {
	s := newStory(t)
	operations := s.db.Operations()
	o, err := operations.Put(t.Context(), supervisor.Operation{User: "alice", Kind: protocol.OperationKindTranscribe,
		Parameters: "{}"})
	s.must(err)
	other, err := operations.Put(t.Context(), archive("alice"))
	s.must(err)
	want := []protocol.TranscribedPiece{{Text: "Good evening.", Language: "en"}, {}}
	for i, p := range want {
		s.must(operations.PutPiece(t.Context(), o.ID, i, p))
	}
	s.must(operations.PutPiece(t.Context(), other.ID, 0, want[0]))
	if err := operations.PutPiece(t.Context(), o.ID, 1, want[0]); err == nil {
		t.Error("a piece was kept twice")
	}
	s.checkRefused(operations.PutPiece(t.Context(), 99, 0, want[0]), supervisor.CodeNotFound, "there is no operation 99")
	pieces := func(id int64, want ...protocol.TranscribedPiece) {
		t.Helper()
		got, err := operations.ListPieces(t.Context(), id)
		s.must(err)
		s.same("pieces", got, want)
	}
	pieces(o.ID, want...)
	s.must(operations.ChangeState(t.Context(), o.ID, supervisor.OperationRunning, ""))
	_, err = operations.CountWorkerDeath(t.Context(), o.ID, "")
	s.must(err)
	pieces(o.ID, want...)
	s.must(operations.ChangeState(t.Context(), o.ID, supervisor.OperationFailed, "no"))
	pieces(o.ID)
	pieces(other.ID, want[0])
}
