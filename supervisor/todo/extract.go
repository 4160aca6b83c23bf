package todo

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/answer"
	"mews/supervisor/external"
	"mews/supervisor/feature"
	"mews/supervisor/markdown"
	"mews/supervisor/modelcall"
	"mews/supervisor/sqlite"
	"mews/supervisor/taint"
)

// toolExtract is the tool that finds to-dos in the user's files.
const toolExtract = "todo_extract"

// SearchOptions are the dependencies of the search for to-dos in users' files.
type SearchOptions struct {
	Calls    *external.Calls
	Begun    sqlite.ExternalCalls // the calls that Calls has begun
	Sections sqlite.TodoSections
	// Marked lists the user's files with words of others.
	Marked func(ctx context.Context, user string) ([]taint.MarkedFile, error)
	// Small returns the model for words of a user; "" means none.
	Small func(ctx context.Context, user string) (spec string, err error)
	// Complete calls a model once.
	Complete func(ctx context.Context, spec string, req modelcall.Request) (modelcall.Answer, error)
	// Pay makes a call of a model and charges it to the user of the turn.
	Pay func(context.Context, feature.Turn, sqlite.ModelCall, func() (protocol.Usage, error)) error
	// Cost returns the cost of a call in millionths of a dollar; known is false if it has no price.
	Cost func(spec string, usage protocol.Usage) (micro int64, known bool)
	// Ask asks the user, as hostcall.Asker does.
	Ask     func(context.Context, supervisor.Question) (supervisor.Question, error)
	InGroup func(ctx context.Context, conversation int64) (bool, error)
}

func (t *Todos) hostCalls() []feature.HostCall {
	return []feature.HostCall{
		{Method: protocol.MethodTodoSections, Kinds: feature.OwnWorkerTurnKinds(), Limit: protocol.MaxTodoSectionCalls,
			HostCallHandler: feature.NewHostCallHandler(t.findNewSections)},
		{Method: protocol.MethodTodoExtract, Kinds: feature.OwnWorkerTurnKinds(), Limit: protocol.MaxTodoExtractCalls,
			Serial: true, HostCallHandler: feature.NewHostCallHandler(t.extract)},
	}
}

// findNewSections answers todo.sections.
func (t *Todos) findNewSections(ctx context.Context, turn feature.Turn, p *protocol.TodoSectionsParams) (
	*protocol.TodoSectionsResult, error) {
	call, err := turn.FindCall(p.Call, toolExtract)
	if err == nil {
		if err = p.Validate(); err != nil {
			err = feature.WorkerOffence{Err: err}
		}
	}
	if err != nil {
		return nil, err
	}
	if p.Seen {
		return &protocol.TodoSectionsResult{}, t.o.Search.Sections.Put(ctx, turn.User, p.Digests)
	}
	seen, err := t.o.Search.Sections.List(ctx, turn.User)
	if err != nil {
		return nil, err
	}
	state, err := t.o.Search.Begun.Find(ctx, turn.ID, call.ID, true)
	r := &protocol.TodoSectionsResult{Begun: state.Begun}
	for n, digest := range p.Digests {
		if !seen[digest] {
			r.New = append(r.New, n)
		}
	}
	return r, err
}

// offer is what a run has found. It is kept until the call has its result, so that a repeated call
// asks about the same to-dos, and calls no model.
type offer struct {
	Todos []protocol.FoundTodo `json:"todos,omitempty"`
	Read  int                  `json:"read,omitempty"`
	Seen  []string             `json:"seen,omitempty"`
	Note  string               `json:"note,omitempty"`
}

// extraction is one call of todo.extract.
type extraction struct {
	*SearchOptions
	turn feature.Turn
	call protocol.ToolCall
	p    *protocol.TodoExtractParams
	now  time.Time // in the user's zone
}

// extract answers todo.extract.
func (t *Todos) extract(ctx context.Context, turn feature.Turn, p *protocol.TodoExtractParams) (
	*protocol.TodoExtractResult, error) {
	call, err := turn.FindCall(p.Call, toolExtract)
	if err != nil {
		return nil, err
	}
	if err := p.Validate(); err != nil {
		return nil, feature.WorkerOffence{Err: err}
	}
	group, err := t.o.Search.InGroup(ctx, turn.Destination)
	switch {
	case err != nil:
		return nil, err
	case group || turn.Kind == supervisor.TurnMCP:
		return nil, feature.NewRefusal(textPrivateOnly)
	}
	e := extraction{&t.o.Search, turn, call, p, t.now(turn.User)}
	found, err := external.Do(ctx, e.Calls, external.Call{Turn: turn, Call: call, Repeatable: true},
		func(ctx context.Context) (external.Answer[offer], error) {
			origins, err := e.origins(ctx)
			if err != nil {
				return external.Answer[offer]{}, err
			}
			found, err := e.find(ctx)
			return external.Answer[offer]{Result: found, Origins: origins}, err
		})
	if err != nil {
		return nil, err
	}
	return e.offer(ctx, found)
}

// origins returns the origins of the words of others in all files of the run. A model reads all
// sections at once, so the words of one may be in what it says of another.
func (e extraction) origins(ctx context.Context) ([]string, error) {
	var paths []string
	for _, s := range e.p.Sections {
		paths = append(paths, taint.CleanPath(s.Path))
	}
	for _, b := range e.p.Boxes {
		paths = append(paths, taint.CleanPath(b.Path))
	}
	marked, err := e.Marked(ctx, e.turn.User)
	return taint.OriginsOfFiles(paths, marked), err
}

// find collects the boxes, and lets a model find to-dos in the sections.
func (e extraction) find(ctx context.Context) (o offer, err error) {
	for _, b := range e.p.Boxes {
		o.Todos, o.Seen = append(o.Todos, b), append(o.Seen, b.Digest)
	}
	if len(e.p.Sections) == 0 {
		return o, nil
	}
	spec, err := e.Small(ctx, e.turn.User)
	if err != nil || spec == "" {
		o.Note = textNoModel
		return o, err
	}
	sections, err := e.affordable(ctx, spec)
	if err != nil || len(sections) == 0 {
		o.Note = textNotRead
		return o, err
	}
	todos, err := e.askModel(ctx, spec, sections)
	if err != nil {
		return o, err
	}
	return o.with(sections, todos), nil
}

// with adds what a model has found in sections. A section counts as seen only if all its to-dos fit
// into the question.
func (o offer) with(sections []protocol.TodoSection, todos []modelTodo) offer {
	o.Read = len(sections)
	for n, s := range sections {
		var found []protocol.FoundTodo
		for _, t := range todos {
			if t.Section == n+1 {
				if f, ok := t.foundIn(s); ok {
					found = append(found, f)
				}
			}
		}
		if len(o.Todos)+len(found) <= protocol.MaxTodoOffered {
			o.Todos, o.Seen = append(o.Todos, found...), append(o.Seen, s.Digest)
		} else if len(o.Todos) == 0 { // one section with more to-dos than a question may have
			o.Todos, o.Seen = found[:protocol.MaxTodoOffered], append(o.Seen, s.Digest)
		}
	}
	return o
}

// offer asks the user which of the found to-dos go on the list.
func (e extraction) offer(ctx context.Context, o offer) (*protocol.TodoExtractResult, error) {
	r := &protocol.TodoExtractResult{Found: len(o.Todos), Read: o.Read, Note: o.Note, Seen: o.Seen}
	if len(o.Todos) == 0 {
		return r, nil
	}
	text := textFound
	ask := protocol.AskArguments{Kind: protocol.AskKindSeveral}
	for n, t := range o.Todos {
		text += fmt.Sprintf("\n%d. %s", n+1, e.describe(t))
		title := []rune(t.Title)
		ask.Options = append(ask.Options, string(title[:min(len(title), protocol.MaxAskOptionCharacters)]))
	}
	ask.Text = text
	q, err := e.ask(ctx, "list", ask)
	if err != nil {
		return nil, err
	}
	if q.End != supervisor.QuestionAnswered || q.Answer.Skipped || q.Answer.Text != "" {
		return &protocol.TodoExtractResult{Found: len(o.Todos), Read: o.Read,
			Note: textNotAdded + answer.TextForModel(q)}, nil
	}
	for _, n := range q.Answer.Options {
		if n >= 0 && n < len(o.Todos) {
			r.Add = append(r.Add, o.Todos[n])
		}
	}
	return r, nil
}

// describe returns a line of Markdown about a found to-do.
func (e extraction) describe(t protocol.FoundTodo) string {
	text := markdown.EscapeName(t.Title)
	if t.Known && t.Status == statusDone {
		text = fmt.Sprintf(textTick, text)
	}
	if t.Due != "" {
		text += textLineDue + describeDue(t.Due, e.now)
	}
	return text + fmt.Sprintf(textFoundAt, markdown.EscapeName(t.Path), t.Line)
}

// ask asks a question of the call. A repeated call gets the answer to the first question.
func (e extraction) ask(ctx context.Context, about string, ask protocol.AskArguments) (supervisor.Question, error) {
	subject := sha256.Sum256(fmt.Appendf(nil, "%d\x00%s\x00%s", e.turn.ID, e.call.ID, about))
	return e.Ask(ctx, supervisor.Question{Turn: e.turn.ID, Call: e.call.ID, Kind: supervisor.QuestionFromModel,
		Conversation: supervisor.Conversation{ID: e.turn.Destination, User: e.turn.User},
		Subject:      hex.EncodeToString(subject[:]), Ask: ask})
}

// maxRunCost is what a run may cost without a question, in millionths of a dollar.
const maxRunCost = 50_000

// affordable returns the sections that the model may read. If all together may cost more than
// maxRunCost, the user is asked.
func (e extraction) affordable(ctx context.Context, spec string) ([]protocol.TodoSection, error) {
	all := e.p.Sections
	cost := e.costOf(spec, len(all))
	if cost <= maxRunCost {
		return all, nil
	}
	within := 0
	for within < len(all) && e.costOf(spec, within+1) <= maxRunCost {
		within++
	}
	ask := protocol.AskArguments{Kind: protocol.AskKindChoice, Text: fmt.Sprintf(textMayCost, len(all), dollars(cost)),
		Options: []string{fmt.Sprintf(textReadAll, len(all)), textReadNone}}
	if within > 0 {
		ask.Options = append(ask.Options, fmt.Sprintf(textReadFirst, within))
	}
	q, err := e.ask(ctx, "cost", ask)
	if err != nil || q.End != supervisor.QuestionAnswered || len(q.Answer.Options) != 1 {
		return nil, err
	}
	return all[:map[int]int{0: len(all), 2: min(within, len(all))}[q.Answer.Options[0]]], nil
}

// costOf returns the most that a model's reading of the first sections costs; 0 if it has no price.
func (e extraction) costOf(spec string, sections int) int64 {
	cost, _ := e.Cost(spec, usageOf(e.request(e.p.Sections[:sections])))
	return cost
}

func dollars(micro int64) string { return fmt.Sprintf("$%.2f", float64(micro)/1e6) }

// errUnreadable is the error of a model's answer that is no list of to-dos.
var errUnreadable = errors.New("the answer is no list of to-dos")

// askModel lets the small model find to-dos in sections.
func (e extraction) askModel(ctx context.Context, spec string, sections []protocol.TodoSection) (
	todos []modelTodo, err error) {
	req := e.request(sections)
	call := sqlite.ModelCall{Conversation: e.turn.Destination, Turn: e.turn.ID, Spec: spec,
		Purpose: modelcall.PurposeFindTodos, Usage: usageOf(req)}
	var said modelcall.Answer
	err = e.Pay(ctx, e.turn, call, func() (_ protocol.Usage, err error) {
		said, err = e.Complete(ctx, spec, req)
		return said.Usage, err
	})
	if err == nil {
		todos, err = readTodos(said.Message)
	}
	if errors.Is(err, errUnreadable) {
		return nil, feature.NewRefusal(textUnreadable)
	}
	return todos, err
}

// foundIn returns a model's to-do as one of a section. ok is false for a to-do that is of no use.
func (m modelTodo) foundIn(s protocol.TodoSection) (f protocol.FoundTodo, ok bool) {
	f = protocol.FoundTodo{Path: s.Path, Line: s.Line, Title: cutRunes(onOneLine(m.Title), maxTitle), Due: m.due(),
		Description: m.describe(), Status: m.status(), Effort: m.effort()}
	if at := strings.Index(s.Text, m.Quote); at >= 0 && m.Quote != "" {
		f.Line += strings.Count(s.Text[:at], "\n")
	}
	for _, title := range s.Known {
		if strings.EqualFold(title, f.Title) {
			f.Title, f.Known = title, true
		}
	}
	f.Status = cmp.Or(f.Status, "todo")
	// a new to-do that is done is of no use, and neither is a known one that is not
	return f, f.Title != "" && f.Known == (f.Status == statusDone)
}
