// Package todo is the feature that shows and changes users' to-do lists by /todo, its buttons and
// `mews todo`. The lists are files in the homes, and the users' workers write them.
package todo

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/feature"
	"mews/supervisor/markdown"
	"mews/supervisor/printable"
	"mews/supervisor/sqlite"
)

// Operations runs operations in users' workers.
type Operations interface {
	Start(ctx context.Context, op supervisor.Operation) (supervisor.Operation, error)
	Wait(ctx context.Context, id int64) (supervisor.Operation, error)
}

// Options are the dependencies of the feature.
type Options struct {
	Operations Operations
	Kept       sqlite.Operations // rows of the operations that Operations runs
	Effects    sqlite.Effects
	Zone       func(user string) *time.Location
	Now        func() time.Time
	Search     SearchOptions
}

// Todos shows and changes to-do lists. Its methods may be called from any goroutine.
type Todos struct{ o Options }

// New returns the feature of to-do lists.
func New(o Options) *Todos { return &Todos{o} }

// Feature returns the command, the control call and the host calls of the feature.
func (t *Todos) Feature() feature.Feature {
	return feature.Feature{Name: "todo", Commands: t.commands(), HostCalls: t.hostCalls(),
		Calls: []feature.ControlCall{feature.NewControlCall(MethodTodo, t.answer)}}
}

// origin is who asks for an operation, and when. A repeated request of the same inbound and
// position gets the result of the first.
type origin struct {
	user     string
	inbound  int64 // 0 means none
	position int   // number of the operation among those of the inbound
	at       time.Time
}

// listFileName is the list in a home, as the ledger names it.
const listFileName = "todos.md"

// changeWords are the words of the ledger about each action that changes the list.
var changeWords = map[protocol.TodoAction]string{protocol.TodoActionAdd: "added", protocol.TodoActionDone: "done",
	protocol.TodoActionDue: "due", protocol.TodoActionDelete: "deleted"}

// RunAction asks a user's worker to show or change the list. A change goes into the ledger.
func (t *Todos) RunAction(ctx context.Context, from origin, p protocol.TodoParameters) (
	r protocol.TodoResult, err error) {
	words, changes := changeWords[p.Action]
	if !changes {
		from.inbound = 0
	}
	p.At = from.at.In(t.o.Zone(from.user)).Format("2006-01-02T15:04:05")
	parameters, _ := json.Marshal(p) // Marshal never fails for these parameters
	op, err := t.o.Operations.Start(ctx, supervisor.Operation{User: from.user, Kind: protocol.OperationKindTodo,
		Inbound: from.inbound, Position: from.position, Parameters: string(parameters)})
	started := op.CreatedAt
	if err == nil {
		op, err = t.o.Operations.Wait(ctx, op.ID)
	}
	if err != nil {
		return r, fmt.Errorf("%s a to-do of %s: %w", p.Action, from.user, err)
	}
	if op.State == supervisor.OperationDone {
		err = json.Unmarshal([]byte(op.Result), &r)
	}
	if err == nil && r.Changed && len(r.Items) > 0 {
		err = t.record(ctx, started, supervisor.Effect{User: from.user, Kind: "edit", Target: listFileName,
			Detail: words + " " + r.Items[0].ID + ": " + r.Items[0].Title})
	}
	if op.Inbound == 0 && err == nil { // the row has the user's words
		err = t.o.Kept.Delete(context.WithoutCancel(ctx), op.ID)
	}
	switch {
	case err != nil:
		return r, err
	case op.State != supervisor.OperationDone:
		return r, supervisor.Errorf(supervisor.CodeUnavailable, textFailed, markdown.EscapeSentence(op.Result))
	case r.Refused != "":
		return r, supervisor.Errorf(supervisor.CodeInvalid, textRefused, printable.DropControls(r.Refused))
	}
	return r, nil
}

// record puts an effect into the ledger, unless an earlier try of the same operation has done so.
func (t *Todos) record(ctx context.Context, since time.Time, e supervisor.Effect) error {
	list, err := t.o.Effects.List(ctx, supervisor.EffectQuery{User: e.User, From: since,
		Kinds: []string{e.Kind}, Limit: 100})
	if err != nil || slices.ContainsFunc(list, func(o supervisor.Effect) bool {
		return o.Turn == 0 && o.Target == e.Target && o.Detail == e.Detail
	}) {
		return err
	}
	return t.o.Effects.Put(ctx, e)
}
