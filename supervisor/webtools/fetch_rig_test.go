package webtools

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
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
	"mews/supervisor/spool"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
)

// fetchRig has a Fetcher on an internet in memory, and the turns of ann.
type fetchRig struct {
	*testing.T
	web     *egresstest.Internet
	db      *sqlite.DB
	spool   *spool.Spool
	calls   *external.Calls
	fetcher *Fetcher
	asked   []approval.Request
	refuse  error // answer of the approver
	now     time.Time
	turn    supervisor.Turn
	sent    int // messages that ann has sent
	made    int // calls that the model has made
}

func newFetchRig(t *testing.T) *fetchRig {
	t.Helper()
	r := &fetchRig{T: t, web: egresstest.New(t), now: time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)}
	r.db = sqlitetest.Open(t)
	var err error
	if r.spool, err = spool.Open(t.TempDir()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.spool.Close() })
	r.calls = external.New(external.Options{Store: r.db.ExternalCalls(), Spool: r.spool, Blobs: r.db.Blobs(),
		Now: r.time})
	r.restart()
	return r
}

// restart makes a new Fetcher, as a new start of the service does.
func (r *fetchRig) restart() {
	r.fetcher = NewFetcher(FetcherOptions{Client: egress.New(r.web.Options()), Calls: r.calls, Approver: r,
		Addresses: r.db.WebAddresses(), Spool: r.spool, Now: r.time})
}

func (r *fetchRig) time() time.Time { return r.now }

// Allow records a request. It returns the rig's answer.
func (r *fetchRig) Allow(_ context.Context, q approval.Request) error {
	r.asked = append(r.asked, q)
	return r.refuse
}

// say ends the turn, and starts one with a message of ann.
func (r *fetchRig) say(text string) { r.receive(supervisor.Inbound{Text: text}) }

func (r *fetchRig) receive(in supervisor.Inbound) {
	r.Helper()
	if r.turn.ID != 0 {
		if _, err := r.db.Turns().Finish(r.Context(), sqlite.TurnEnding{Turn: r.turn.ID, Why: protocol.TurnEndDone,
			State: supervisor.InboundAnswered, Text: "ok"}); err != nil {
			r.Fatal(err)
		}
	}
	r.sent++
	in.Kind, in.Source, in.Key = supervisor.KindText, "terminal", fmt.Sprint(r.sent)
	in.Conversation = supervisor.Conversation{User: "ann", Channel: supervisor.ChannelTerminal}
	stored, _, err := r.db.Inbox().StoreInbound(r.Context(), in)
	if err != nil {
		r.Fatal(err)
	}
	if r.turn, _, err = r.db.Turns().Start(r.Context(), stored.ID, nil); err != nil {
		r.Fatal(err)
	}
}

// call lets the model call web_fetch, and returns the call's id.
func (r *fetchRig) call(arguments string) protocol.ToolCall {
	r.Helper()
	r.made++
	call := protocol.ToolCall{ID: fmt.Sprintf("c%d", r.made), Name: toolFetch, Arguments: json.RawMessage(arguments)}
	m := protocol.Message{Role: protocol.RoleAssistant, Parts: []protocol.ContentPart{{Call: &call}}}
	if _, err := r.db.Turns().CommitStep(r.Context(), sqlite.Step{Turn: r.turn.ID, Message: m,
		Model: "offline"}); err != nil {
		r.Fatal(err)
	}
	return call
}

// featureTurn returns the turn with these calls, as features see it.
func (r *fetchRig) featureTurn(calls ...protocol.ToolCall) feature.Turn {
	t := featuretest.NewTurn("ann", calls...)
	t.ID, t.Kept = r.turn.ID, new(sync.Map)
	return t
}

// answer makes the host call for a call of the model.
func (r *fetchRig) answer(call protocol.ToolCall) (*protocol.WebFetchResult, error) {
	r.Helper()
	t := r.featureTurn(call)
	got, err := featuretest.MakeHostCall(r, feature.Feature{Name: "webtools", HostCalls: r.fetcher.HostCalls()}, t,
		protocol.MethodWebFetch, fmt.Sprintf(`{"turn":%d,"call":%q}`, r.turn.ID, call.ID))
	if err != nil {
		return nil, err
	}
	result := got.(protocol.WebFetchResult)
	return &result, nil
}

// commit commits a call's result, as the worker does in the end.
func (r *fetchRig) commit(call protocol.ToolCall) {
	r.Helper()
	_, err := r.db.Turns().CommitResult(r.Context(), r.turn.ID, protocol.ToolResult{Call: call.ID, Name: toolFetch,
		Text: "x"})
	if err != nil {
		r.Fatal(err)
	}
}

// fetch lets the model fetch an address, and returns the effect of the request and the body.
func (r *fetchRig) fetch(address string) (effect, body string, result *protocol.WebFetchResult) {
	r.Helper()
	r.asked = nil
	arguments, _ := json.Marshal(protocol.WebFetchArguments{URL: address}) // a struct of texts can always be encoded
	call := r.call(string(arguments))
	result, err := r.answer(call)
	if err != nil {
		r.Fatalf("%s: %v", address, err)
	}
	f, _, err := r.spool.OpenBlob(result.Body.SHA256)
	if err != nil {
		r.Fatal(err)
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	if err != nil {
		r.Fatal(err)
	}
	r.commit(call)
	return r.effect(), string(data), result
}

// effect returns the effect of the only request since the last fetch.
func (r *fetchRig) effect() string {
	r.Helper()
	if len(r.asked) != 1 {
		r.Fatalf("got %d requests for permission", len(r.asked))
	}
	return r.asked[0].Effect
}

// pageWith returns a page with these links.
func pageWith(links ...string) string {
	var b strings.Builder
	b.WriteString("<!doctype html><title>page</title><main>")
	for _, link := range links {
		fmt.Fprintf(&b, "<a href=%q>link</a> ", link)
	}
	return b.String()
}
