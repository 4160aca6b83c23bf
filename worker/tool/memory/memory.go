// Package memory has the tools that remember facts about the user and find them again.
package memory

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"mews/protocol"
	"mews/protocol/amount"
	"mews/protocol/facts"
	"mews/worker"
	"mews/worker/host"
	"mews/worker/memory"
	"mews/worker/workspace"
)

const familyName = "memory"

// Repeating a call of these tools has the same result, so they are idempotent.
var (
	rememberSpec = worker.ToolSpec{
		Name: "remember", Effect: protocol.EffectIdempotent,
		Description: "Keep a fact about them for later conversations. subject: what only one fact can be about",
		Arguments: []worker.Argument{
			{Name: "text", Type: worker.StringArgument, Required: true},
			{Name: "kind", Values: []string{"fact", "preference", "person", "project", "expertise"}},
			{Name: "subject", Type: worker.StringArgument},
			{Name: "message", Type: worker.IntegerArgument, Description: "number"},
		},
	}
	recallSpec = worker.ToolSpec{
		Name: "recall", Effect: protocol.EffectNone, Description: "Find remembered facts and daily notes",
		Arguments: []worker.Argument{
			{Name: "words", Type: worker.StringArgument, Description: "synonyms too", Required: true},
		},
	}
	updateSpec = worker.ToolSpec{
		Name: "update_memory", Effect: protocol.EffectIdempotent, Family: familyName,
		Description: "Correct a fact of MEMORY.md",
		Arguments: []worker.Argument{
			{Name: "id", Type: worker.StringArgument, Required: true},
			{Name: "text", Type: worker.StringArgument, Required: true},
			{Name: "kind", Type: worker.StringArgument},
			{Name: "confidence", Type: worker.NumberArgument, Description: "number, 0 to 1"},
			{Name: "subject", Type: worker.StringArgument},
			{Name: "message", Type: worker.IntegerArgument, Description: "number"},
		},
	}
	forgetSpec = worker.ToolSpec{
		Name: "forget", Effect: protocol.EffectIdempotent, Family: familyName, Description: "Delete facts for good, when they want that",
		Arguments: []worker.Argument{
			{Name: "ids", Type: worker.StringListArgument, Required: true},
		},
	}
	noteSpec = worker.ToolSpec{
		Name: "note_today", Effect: protocol.EffectIdempotent, Family: familyName,
		Description: "Note what happened, in memory/ with the date",
		Arguments: []worker.Argument{
			{Name: "text", Type: worker.StringArgument, Required: true},
			{Name: "message", Type: worker.IntegerArgument, Description: "number"},
		},
	}
)

// TextsInForceFunc returns the texts in force of the prompt files, by path.
type TextsInForceFunc func(ctx context.Context) (map[string]string, error)

// family makes the tools of one turn. The supervisor decides which facts may be kept. Until the
// user has answered, the supervisor refuses with protocol.CodeWaitsForUser. After the answer the
// call is made again.
type family struct {
	home    *memory.Home
	turn    host.Caller
	uses    map[string]int // number of uses of each fact, by its id
	inForce TextsInForceFunc
}

// Tools makes the tools for one turn. uses counts the uses of facts, by id.
func Tools(home *memory.Home, turn host.Caller, uses map[string]int, inForce TextsInForceFunc) []worker.Tool {
	t := family{home, turn, uses, inForce}
	return []worker.Tool{
		worker.DefineTool(rememberSpec, protocol.MemoryArguments{Kind: "fact"}, t.remember),
		worker.DefineTool(recallSpec, recallArgs{}, t.recall),
		worker.DefineTool(updateSpec, protocol.MemoryArguments{}, t.update),
		worker.DefineTool(forgetSpec, forgetArgs{}, t.forget),
		worker.DefineTool(noteSpec, protocol.MemoryArguments{}, t.note),
	}
}

// allowed asks whether a fact may be kept, and sets its message and date.
func (t family) allowed(ctx context.Context, call worker.Call, fact *facts.Fact,
	conflict *protocol.MemoryConflict) (protocol.MemoryRememberResult, error) {
	a, err := host.CallMethod[protocol.MemoryRememberResult](ctx, t.turn, protocol.MethodMemoryRemember,
		protocol.MemoryRememberParams{Call: call.ID, Conflict: conflict})
	if err != nil {
		return a, host.ExplainRefusal(err)
	}
	at, err := time.Parse(time.RFC3339, a.At)
	fact.Message, fact.Date = a.Message, at.In(t.home.Zone).Format(time.DateOnly)
	return a, err
}

// announce tells the supervisor that MEMORY.md changes.
func (t family) announce(ctx context.Context, p protocol.MemoryChangedParams) error {
	_, err := host.CallMethod[protocol.MemoryEmptyResult](ctx, t.turn, protocol.MethodMemoryChanged, p)
	return host.ExplainRefusal(err)
}

func (t family) writing(ctx context.Context, call worker.Call, after int) memory.ChangeOptions {
	return memory.ChangeOptions{Keep: workspace.BackupFunc(call.KeepBefore), HighestForgotten: after, Uses: t.uses,
		Announce: func(c memory.Change) error {
			return t.announce(ctx, protocol.MemoryChangedParams{Call: call.ID, Before: c.Before, After: c.After})
		}}
}

func (t family) remember(ctx context.Context, call worker.Call, args protocol.MemoryArguments) (r worker.Result, err error) {
	fact := facts.FactFromArguments(args)
	old, against, err := t.home.FindContradictedFact(fact)
	if err != nil {
		return r, err
	}
	var conflict *protocol.MemoryConflict
	if against {
		conflict = &protocol.MemoryConflict{ID: old.ID, Text: old.Text}
	}
	a, err := t.allowed(ctx, call, &fact, conflict)
	if err != nil {
		return r, err
	}
	kept, c, err := t.home.RememberFact(ctx, t.writing(ctx, call, a.HighestForgotten), fact, a.Replace)
	return changed("remember", "Remembered", kept, c), err
}

// changed returns the result of a call that has kept a fact.
func changed(kind, done string, kept facts.Fact, c memory.Change) worker.Result {
	return worker.Result{Text: fmt.Sprintf("%s as %s: %s", done, kept.ID, kept.Text), Brief: kept.ID,
		Changes: []protocol.Change{{Kind: kind, Target: kept.ID, Detail: kept.Text, Undo: c.Undo}}}
}

func (t family) update(ctx context.Context, call worker.Call, args protocol.MemoryArguments) (r worker.Result, err error) {
	fact := facts.FactFromArguments(args)
	file, err := t.home.ReadMemoryFile()
	if err != nil {
		return r, err
	}
	var replaced *protocol.MemoryConflict
	if old, known := file.FindFact(args.ID); known {
		replaced = &protocol.MemoryConflict{ID: old.ID, Text: old.Text}
	}
	a, err := t.allowed(ctx, call, &fact, replaced)
	if err != nil {
		return r, err
	}
	kept, c, err := t.home.CorrectFact(ctx, t.writing(ctx, call, a.HighestForgotten), args.ID, fact)
	return changed("update", "Corrected", kept, c), err
}

type forgetArgs struct {
	IDs []string `json:"ids"`
}

func (t family) forget(ctx context.Context, call worker.Call, args forgetArgs) (r worker.Result, err error) {
	gone, _, err := t.home.ForgetFacts(ctx, args.IDs, func(c memory.Change, gone []facts.Fact) error {
		p := protocol.MemoryChangedParams{Call: call.ID, Before: c.Before, After: c.After}
		for _, f := range gone {
			p.Gone = append(p.Gone, protocol.ForgottenFact{ID: f.ID, Text: f.Text, Message: f.Message})
		}
		return t.announce(ctx, p)
	})
	if err != nil {
		return r, err
	}
	for _, f := range gone {
		r.Changes = append(r.Changes, protocol.Change{Kind: "forget", Target: f.ID})
	}
	for _, id := range args.IDs {
		there := slices.ContainsFunc(gone, func(f facts.Fact) bool { return f.ID == strings.ToLower(id) })
		r.Text += id + map[bool]string{true: " is forgotten.\n", false: " is not there (any more).\n"}[there]
	}
	r.Brief = strings.Join(args.IDs, ", ")
	return r, nil
}

func (t family) note(ctx context.Context, call worker.Call, args protocol.MemoryArguments) (r worker.Result, err error) {
	var fact facts.Fact
	a, err := t.allowed(ctx, call, &fact, nil)
	if err != nil {
		return r, err
	}
	at, err := time.Parse(time.RFC3339, a.At)
	if err != nil {
		return r, err
	}
	name, undo, err := t.home.AddNote(ctx, call.KeepBefore, at, args.Text)
	if err != nil {
		return r, err
	}
	return worker.Result{Text: "Noted in " + name + ".", Brief: name, Changes: []protocol.Change{{Kind: "note", Target: name, Undo: undo}}}, nil
}

type recallArgs struct {
	Words string `json:"words"`
}

func (t family) recall(ctx context.Context, _ worker.Call, args recallArgs) (r worker.Result, err error) {
	texts, err := t.inForce(ctx) // recalls from texts in force, without changes that wait for approval
	if err != nil {
		return r, host.ExplainRefusal(err)
	}
	hits, err := t.home.RecallMatches(ctx, texts, args.Words)
	if err != nil {
		return r, err
	}
	var ids []string
	for _, h := range hits {
		r.Text += h.String() + "\n"
		if h.Fact.ID != "" {
			ids = append(ids, h.Fact.ID)
		}
	}
	if r.Brief = fmt.Sprintf("%d found", len(hits)); len(hits) == 0 {
		r.Text = fmt.Sprintf("Nothing found in %s and in the daily notes. Try other words.",
			amount.Plural(len(facts.ParseFile(texts[memory.MemoryFileName]).Facts()), "fact", "facts"))
	}
	if len(ids) > 0 {
		_, err = host.CallMethod[protocol.MemoryEmptyResult](ctx, t.turn, protocol.MethodMemoryRecalled,
			protocol.MemoryRecalledParams{IDs: ids})
	}
	return r, host.ExplainRefusal(err)
}
