package services_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/approval"
	"mews/supervisor/egress"
	"mews/supervisor/egress/egresstest"
	"mews/supervisor/external"
	"mews/supervisor/feature"
	"mews/supervisor/feature/featuretest"
	"mews/supervisor/problem"
	"mews/supervisor/services"
	"mews/supervisor/services/servicestest"
	"mews/supervisor/spool"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
	"mews/supervisor/usage"
)

// secret is the secret of the services of these tests.
const secret = "sk-1234567890abcdef"

// rig is a feature with one service, home, whose server is a fake in an internet in memory.
type rig struct {
	*testing.T
	net      *egresstest.Internet
	fake     *servicestest.Service
	db       *sqlite.DB
	spool    *spool.Spool
	services *services.Services
	turn     feature.Turn
	called   protocol.ToolCall  // the model's newest call
	n        int                // number of calls
	asked    []approval.Request // requests for permission
	deny     error              // outcome of a request for permission
	audited  []string
	unpaid   error // why a charge can't be paid
	paid     []string
	log      strings.Builder // texts of all errors
}

// maxCalls is how many calls a test may make.
const maxCalls = 120

func newRig(t *testing.T, change func(*services.Service)) *rig {
	t.Helper()
	r := &rig{T: t, net: egresstest.New(t), fake: &servicestest.Service{}, db: sqlitetest.Open(t)}
	var err error
	if r.spool, err = spool.Open(filepath.Join(t.TempDir(), "spool")); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.spool.Close() })
	r.net.Serve("home.example", r.fake.ServeHTTP)
	calls := external.New(external.Options{Store: r.db.ExternalCalls(), Spool: r.spool, Blobs: r.db.Blobs(),
		Now: time.Now})
	r.services = services.New(services.Options{Client: egress.New(r.net.Options()), Calls: calls, Approver: r,
		Effects: r.db.Effects(), Turns: r.db.Turns(), Pay: r.pay,
		Audit: func(user, action, detail string) { r.audited = append(r.audited, user+" "+action+" "+detail) }})
	s := services.Service{Name: "home", BaseURL: "http://home.example/api", AllowPathSuffix: true,
		Methods: map[string]services.Access{"GET": "read", "POST": "write", "DELETE": "write"}}
	if change != nil {
		change(&s)
	}
	if err := r.services.SetServices([]services.Service{s}); err != nil {
		t.Fatal(err)
	}
	r.startTurn()
	return r
}

// Allow is the rig's permission.
func (r *rig) Allow(_ context.Context, q approval.Request) error {
	r.asked = append(r.asked, q)
	return r.deny
}

// pay is the rig's purse.
func (r *rig) pay(_ context.Context, _ feature.Turn, c usage.Charge, do func() (bool, error)) error {
	if r.unpaid != nil {
		return r.unpaid
	}
	charged, err := do()
	r.paid = append(r.paid, fmt.Sprintf("%s %d %v", c.Name, c.Price, charged))
	return err
}

// startTurn starts a turn in which the model has made calls of both tools.
func (r *rig) startTurn() {
	r.Helper()
	id, err := startTurn(r.Context(), r.db)
	if err != nil {
		r.Fatal(err)
	}
	r.turn = feature.Turn{User: "ann", ID: id, Destination: 1, Kind: supervisor.TurnChat, Kept: new(sync.Map),
		Commit:    func(_ context.Context, do func() error) error { return do() },
		Committed: func(id string) (protocol.ToolCall, bool) { return r.called, r.called.ID == id }}
}

// startTurn starts a turn of ann with open calls.
func startTurn(ctx context.Context, db *sqlite.DB) (id int64, err error) {
	in, _, err := db.Inbox().StoreInbound(ctx, supervisor.Inbound{Kind: supervisor.KindText, Text: "the lamp",
		Conversation: supervisor.Conversation{User: "ann", Channel: supervisor.ChannelTerminal}, Source: "terminal",
		Key: "1"})
	if err != nil {
		return 0, err
	}
	turn, _, err := db.Turns().Start(ctx, in.ID, nil)
	if err != nil {
		return 0, err
	}
	m := protocol.Message{Role: protocol.RoleAssistant}
	for i := range maxCalls {
		m.Parts = append(m.Parts, protocol.ContentPart{Call: &protocol.ToolCall{ID: fmt.Sprintf("c%d", i),
			Name: "call_service", Arguments: json.RawMessage(`{}`)}})
	}
	_, err = db.Turns().CommitStep(ctx, sqlite.Step{Turn: turn.ID, Message: m, Model: "offline"})
	return turn.ID, err
}

// try makes a new call of a tool.
func (r *rig) try(tool, arguments string) (protocol.ServiceCallResult, error) {
	r.Helper()
	r.called = protocol.ToolCall{ID: fmt.Sprintf("c%d", r.n), Name: tool, Arguments: json.RawMessage(arguments)}
	r.n++
	return r.again()
}

// again makes the newest call again, as a worker does after a crash.
func (r *rig) again() (protocol.ServiceCallResult, error) {
	r.Helper()
	method := map[string]string{"read_service": protocol.MethodServiceRead,
		"call_service": protocol.MethodServiceCall}[r.called.Name]
	got, err := featuretest.MakeHostCall(r.T, r.services.Feature(), r.turn, method,
		`{"turn":1,"call":"`+r.called.ID+`"}`)
	if err != nil {
		fmt.Fprintln(&r.log, problem.UserText(err), err)
		return protocol.ServiceCallResult{}, err
	}
	return got.(protocol.ServiceCallResult), nil
}

// must makes a new call of a tool that must succeed.
func (r *rig) must(tool, arguments string) protocol.ServiceCallResult {
	r.Helper()
	got, err := r.try(tool, arguments)
	if err != nil {
		r.Fatalf("%s %s: %v", tool, arguments, err)
	}
	return got
}

// refused makes a new call of a tool that must be refused with a text for the model, which has some
// words. Nothing may be sent.
func (r *rig) refused(tool, arguments, words string) {
	r.Helper()
	before := len(r.fake.Calls())
	_, err := r.try(tool, arguments)
	if text := problem.UserText(err); err == nil || !strings.Contains(text, words) {
		r.Errorf("%s %.200s: got %v, want a refusal with %q", tool, arguments, err, words)
	}
	if after := len(r.fake.Calls()); after != before {
		r.Errorf("%s %.200s: the service was called", tool, arguments)
	}
}

// last returns the newest call that the service has got.
func (r *rig) last() servicestest.Call {
	r.Helper()
	calls := r.fake.Calls()
	if len(calls) == 0 {
		r.Fatal("the service was not called")
	}
	return calls[len(calls)-1]
}

// answer makes the service answer with a status, a media type and a body.
func (r *rig) answer(status int, mediaType, body string) {
	r.fake.Answer = func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", mediaType)
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body)) // an error means that the caller has gone
	}
}
