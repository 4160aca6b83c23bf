package sqlite_test

import (
	"encoding/json"
	"testing"

	"mews/protocol"
	"mews/supervisor"
)

func TestStartTurn_SameInboundTwice_Fails(t *testing.T) {
	s := newStory(t)
	in := s.text("hello")
	turn, _, err := s.db.Turns().Start(t.Context(), in.ID, nil)
	s.must(err)
	s.same("turn", turn, supervisor.Turn{ID: turn.ID, Conversation: s.home, Kind: supervisor.TurnChat,
		Inbound:   in.ID,
		StartedAt: noon})
	open, _, err := s.db.Turns().FindRunning(t.Context(), s.home.ID)
	s.must(err)
	s.same("open", open.Turn, turn)
	s.same("state", s.state(in.ID), "running")
	said := s.transcript(s.home)
	s.same("transcript", said, []protocol.Message{{ID: said[0].ID, Role: protocol.RoleUser,
		Parts: []protocol.ContentPart{{Text: "hello"}}}})

	_, _, err = s.db.Turns().Start(t.Context(), in.ID, nil)
	s.checkRefused(err, supervisor.CodeInvalid, "is running and cannot become running")
}

func TestStartTurn_InvalidInbound_Fails(t *testing.T) {
	s := newStory(t)
	command := s.put(s.home, supervisor.KindCommand, "/help")
	s.startTurn("one turn runs")
	for _, c := range []struct {
		name    string
		inbound int64
		code    supervisor.ErrorCode
		words   string
	}{
		{"a command", command.ID, supervisor.CodeInvalid, "a turn is for a text"},
		{"unknown inbound", 999, supervisor.CodeNotFound, "no inbound 999"},
		{"second running turn", s.text("me too").ID, supervisor.CodeInvalid, "another turn runs"},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := s.query("SELECT state FROM inbox ORDER BY id")
			_, _, err := s.db.Turns().Start(t.Context(), c.inbound, nil)
			s.checkRefused(err, c.code, c.words)
			s.same("states", s.query("SELECT state FROM inbox ORDER BY id"), before)
			s.same("messages", s.query("SELECT count(*) FROM message"), "1")
		})
	}
}

func TestFindRunning_StartedTurn_HasProgress(t *testing.T) {
	s := newStory(t)
	s.finish(s.startTurn("before"), "ok")
	_, ok, err := s.db.Turns().FindRunning(t.Context(), s.home.ID)
	if ok || err != nil {
		t.Fatalf("with no turn running: %v, %v", ok, err)
	}
	turn := s.startTurnCalling("c1", "c2", "c3")
	s.must(s.db.Turns().CommitCallStart(t.Context(), turn.ID, "c3"))
	s.must(s.db.Turns().CommitCallStart(t.Context(), turn.ID, "c1"))
	_, err = s.db.Turns().CommitResult(t.Context(), turn.ID, result("c1", "one"))
	s.must(err)

	open, ok, err := s.db.Turns().FindRunning(t.Context(), s.home.ID)
	if !ok || err != nil {
		t.Fatal(ok, err)
	}
	s.same("turn", open.Turn, turn)
	s.same("begun", open.Begun, []string{"c3"})
	s.same("messages", open.Messages, s.transcript(s.home)[1:])
	var roles []protocol.Role
	for _, m := range open.Messages {
		roles = append(roles, m.Role)
	}
	s.same("roles", roles, []protocol.Role{protocol.RoleUser, protocol.RoleAssistant, protocol.RoleTool})
}

func TestMessages_AllParts_RoundTrip(t *testing.T) {
	s := newStory(t)
	turn := s.startTurn("go")
	want := step(turn, "a <b> & \u2028 \"c\" \x00 é", "c1")
	want.Message.Parts[1].Call.Arguments = json.RawMessage(`{"b":1,"a":[1.50,"<\u003c>"],"a2":null}`)
	id, err := s.db.Turns().CommitStep(t.Context(), want)
	s.must(err)
	want.Message.ID = id
	s.same("message", s.transcript(s.home)[1], want.Message)
}

func TestCountWorkerDeath_Crashes_AreCounted(t *testing.T) {
	s := newStory(t)
	turn := s.startTurn("poison")
	for want := 1; want <= 3; want++ {
		got, err := s.db.Turns().CountWorkerDeath(t.Context(), turn.ID)
		s.must(err)
		s.same("deaths", got, want)
	}
	open, _, err := s.db.Turns().FindRunning(t.Context(), s.home.ID)
	s.must(err)
	s.same("deaths", open.Turn.Deaths, 3)
	s.finish(turn, "it was too much")
	_, err = s.db.Turns().CountWorkerDeath(t.Context(), turn.ID)
	s.checkRefused(err, supervisor.CodeInvalid, "has ended")
}
