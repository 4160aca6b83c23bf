package session_test

import (
	"context"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/question"
	"mews/supervisor/reply"
	"mews/supervisor/session"
	"mews/supervisor/sqlite/sqlitetest"
)

// BenchmarkWaitingTurn measures the time from a user's press until the next attempt has the answer.
// It does not measure the question and the suspension.
func BenchmarkWaitingTurn(b *testing.B) {
	db := sqlitetest.Open(b)
	begun, waits := make(chan supervisor.Question, 1), make(chan int64, 1)
	asks := func(turn supervisor.Turn, n int64) (supervisor.Question, error) {
		q, _, err := db.Questions().Ask(b.Context(), supervisor.Question{Conversation: turn.Conversation, Turn: turn.ID, Kind: supervisor.QuestionApproval,
			Tool: "send_file", Subject: digestOf(n), Text: "May I?", OpenFor: time.Hour}, digestOf(n), nil)
		return q, err
	}
	asked := int64(0) // only one attempt at a time uses this variable
	registry := session.New(session.Options{Inbox: db.Inbox(), Turns: db.Turns(), Waiting: suspensionCounter{db.Turns(),
		waits}, LastSteps: db.Turns(),
		Notices: db.Outbox(), Feeds: &reply.Feeds{}, Limits: protocol.TurnLimits{Steps: 50, Seconds: 1 << 30, Output: 1000}, Now: time.Now,
		Log: hclog.NewNullLogger(), Audit: func(string, string, string) {}, Runner: runnerFunc(func(ctx context.Context,
			a session.Attempt) (session.AttemptEnd, error) {
			if asked > 0 {
				q, err := asks(a.Turn, asked)
				if err != nil {
					return session.AttemptEnd{}, err
				}
				begun <- q
			}
			asked++
			_, err := asks(a.Turn, asked)
			return ended(protocol.TurnEndWaitsForUser), err
		})})
	questions := question.New(question.Options{Store: db.Questions(), Ends: db.Questions(), Audit: db.Audit(), Log: hclog.NewNullLogger(),
		Queued: func(int64) {}, Resume: registry.WakeSession, Ended: func() {}})
	ctx, cancel := context.WithCancel(b.Context())
	ran := make(chan error, 2)
	go func() { ran <- registry.Run(ctx) }()
	go func() { ran <- questions.Run(ctx) }()
	b.Cleanup(func() { cancel(); <-ran; <-ran })

	in, _, err := db.Inbox().StoreInbound(ctx, supervisor.Inbound{Conversation: supervisor.Conversation{User: "ann",
		Channel: supervisor.ChannelTerminal},
		Source: "terminal", Key: "1", Kind: supervisor.KindText, Text: "hi"})
	if err != nil {
		b.Fatal(err)
	}
	registry.WakeSession(in.Conversation)
	<-waits
	for b.Loop() {
		press := supervisor.QuestionPress{Digest: digestOf(asked), User: "ann", Conversation: in.Conversation.ID,
			Word: "once"}
		if _, came, err := db.Questions().RecordPress(ctx, press); err != nil || came != supervisor.PressAccepted {
			b.Fatal(came, err)
		}
		if q := <-begun; q.End != supervisor.QuestionAnswered {
			b.Fatal("it goes on with ", q.End)
		}
		b.StopTimer()
		<-waits
		b.StartTimer()
	}
}
