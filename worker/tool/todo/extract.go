package todo

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"mews/protocol"
	"mews/protocol/amount"
	"mews/worker"
	"mews/worker/filehistory"
	"mews/worker/host"
	"mews/worker/todo"
	"mews/worker/workspace"
)

var extractSpec = worker.ToolSpec{
	Name: "todo_extract", Family: familyName,
	Effect:      protocol.EffectIdempotent, // a repeated call adds and asks nothing more
	Description: "Find to-dos in Markdown files; the user picks.",
	Arguments:   []worker.Argument{{Name: "globs", Type: worker.StringListArgument}},
}

// ExtractTools makes the tool that finds to-dos in other files, for one turn. history has the texts
// from before changes; nil means none.
func ExtractTools(l *List, turn host.Caller, history *filehistory.History) []worker.Tool {
	x := extractor{list: l, turn: turn, history: history}
	return []worker.Tool{worker.DefineTool(extractSpec, extractArgs{}, x.run)}
}

// extractor finds to-dos in the files of a home.
type extractor struct {
	list    *List
	turn    host.Caller
	history *filehistory.History
}

type extractArgs struct {
	Globs []string `json:"globs"`
}

func (x extractor) run(ctx context.Context, call worker.Call, args extractArgs) (r worker.Result, err error) {
	found, err := scanFiles(ctx, x.list.files, args.Globs)
	if err != nil {
		return r, fmt.Errorf("find to-dos: %w", err)
	}
	if found.files == 0 {
		return r, fmt.Errorf("find to-dos: no Markdown file matches %.200q", args.Globs)
	}
	list, err := x.list.Read()
	if err != nil {
		return r, err
	}
	open := found.keepOpen(list)
	news, err := x.sections(ctx, call, open.digests(), false)
	if err != nil {
		return r, err
	}
	p, left := open.keepNew(news.New)
	var answer protocol.TodoExtractResult
	if news.Begun || len(p.Boxes)+len(p.Sections) > 0 {
		addKnown(&p, list)
		if err := x.addOld(ctx, call, &p); err != nil {
			return r, err
		}
		call.Progress("looking for to-dos in " + amount.Plural(found.files, "file", "files"))
		p.Call = call.ID
		answer, err = host.CallMethod[protocol.TodoExtractResult](ctx, x.turn, protocol.MethodTodoExtract, p)
		if err != nil {
			return r, host.ExplainRefusal(err)
		}
	}
	if r, err = x.add(ctx, call, found, answer); err != nil {
		return r, err
	}
	if len(answer.Seen) > 0 {
		if _, err := x.sections(ctx, call, answer.Seen, true); err != nil {
			return r, err
		}
	}
	r.Text = strings.TrimSuffix(r.Text+note(found, answer, left), "\n")
	return r, nil
}

// sections asks which digests are new, or stores that they were seen.
func (x extractor) sections(ctx context.Context, call worker.Call, digests []string, seen bool) (
	r protocol.TodoSectionsResult, err error) {
	if len(digests) > protocol.MaxTodoDigests {
		return r, fmt.Errorf("find to-dos: the files have %s sections, at most %s; give narrower globs",
			amount.FormatNumber(int64(len(digests))), amount.FormatNumber(protocol.MaxTodoDigests))
	}
	r, err = host.CallMethod[protocol.TodoSectionsResult](ctx, x.turn, protocol.MethodTodoSections,
		protocol.TodoSectionsParams{Call: call.ID, Digests: digests, Seen: seen})
	return r, host.ExplainRefusal(err)
}

// maxOldVersions is how many versions of a file are searched for the text from before a change.
const maxOldVersions = 10

// addOld finds the texts of changed sections in the file history. A version that can't be read is
// left out, because a section without an old text counts as new.
func (x extractor) addOld(ctx context.Context, call worker.Call, p *protocol.TodoExtractParams) error {
	if x.history == nil {
		return nil
	}
	var old []protocol.TodoSection
	var digests []string
	searched, wanted := map[string]bool{}, map[[2]string]bool{}
	for _, s := range p.Sections {
		wanted[[2]string{s.Path, s.Heading}] = true
	}
	for _, s := range p.Sections {
		if searched[s.Path] {
			continue
		}
		searched[s.Path] = true
		for _, o := range x.versions(s.Path) {
			if wanted[[2]string{o.Path, o.Heading}] && len(digests) < protocol.MaxTodoDigests {
				old, digests = append(old, o), append(digests, o.Digest)
			}
		}
	}
	if len(old) == 0 {
		return nil
	}
	r, err := x.sections(ctx, call, digests, false)
	if err != nil {
		return err
	}
	isNew := map[string]bool{}
	for _, n := range r.New {
		if n >= 0 && n < len(digests) {
			isNew[digests[n]] = true
		}
	}
	addOld(p, old, isNew)
	return nil
}

// versions returns the sections of earlier versions of a file, the newest first.
func (x extractor) versions(name string) (list []protocol.TodoSection) {
	versions, _, err := x.history.Versions(name, 0)
	if err != nil {
		return nil
	}
	for _, v := range versions[:min(len(versions), maxOldVersions)] {
		_, r, err := x.history.OpenVersion(name, v.Point)
		if err != nil || r == nil {
			continue
		}
		text, err := io.ReadAll(io.LimitReader(r, maxScannedBytes))
		_ = r.Close() // the version was only read
		if err == nil {
			list = append(list, sectionsOf(name, todo.Parse(string(text)))...)
		}
	}
	return list
}

// add puts the accepted to-dos on the list. It also gives listed to-dos the states of their boxes.
func (x extractor) add(ctx context.Context, call worker.Call, found scan, answer protocol.TodoExtractResult) (
	r worker.Result, err error) {
	var done additions
	undo, changed, err := x.list.edit(ctx, call.KeepBefore, func(f *todo.File) error {
		done = additions{list: x.list, now: x.list.now().In(x.list.zone)}
		return done.apply(f, found.boxes, answer.Add)
	})
	if err != nil {
		return x.list.refused("add found to-dos", err)
	}
	r = x.list.result(done.text, amount.Plural(len(answer.Add), "to-do added", "to-dos added"))
	for _, t := range answer.Add {
		r.World = r.World || workspace.IsUploadPath(t.Path)
	}
	if changed {
		r.Changes = []protocol.Change{{Kind: "edit", Target: todo.FileName, Detail: strings.Join(done.details, ", "),
			Undo: undo}}
	}
	return r, nil
}

// additions are the changes of the list by a run.
type additions struct {
	list    *List
	now     time.Time
	text    string   // for the model, a line for each change
	details []string // for the ledger
}

// apply puts the accepted to-dos on the list. Then it gives listed to-dos the states of their boxes.
func (a *additions) apply(f *todo.File, boxes, accepted []protocol.FoundTodo) error {
	for _, t := range accepted {
		item, what, err := addOne(f, t, a.now)
		if err != nil {
			return err
		}
		if item.Key != "" { // it was not deleted meanwhile
			a.note(what, "added", item, t)
		}
	}
	for _, b := range boxes {
		s := todo.Source{Path: b.Path, Line: b.Line, Digest: b.Digest, Status: todo.Status(b.Status)}
		item, changed, err := f.FollowSource(s, a.now)
		if err != nil {
			return err
		}
		if changed {
			a.note("Changed as its box:", "changed", item, b)
		}
	}
	return nil
}

func (a *additions) note(what, detail string, item todo.Item, t protocol.FoundTodo) {
	a.text += fmt.Sprintf("%s %s (%s:%d)\n", what, a.list.line(item), t.Path, t.Line)
	a.details = append(a.details, detail+" "+item.Key)
}

// addOne puts one found to-do on the list, or changes the state of a listed one.
func addOne(f *todo.File, t protocol.FoundTodo, now time.Time) (item todo.Item, what string, err error) {
	s := todo.Source{Path: t.Path, Line: t.Line, Digest: todo.FoundDigest(t.Path, t.Title),
		Status: todo.Status(t.Status)}
	if t.Known {
		item, _, err = f.FollowSource(s, now)
		return item, "Changed:", err
	}
	c := todo.Change{Title: &t.Title, Description: &t.Description, Tags: &t.Tags}
	if t.Status != "" {
		c.Status = &s.Status
	}
	if t.Effort != "" {
		c.Effort = &t.Effort
	}
	if t.Due != "" {
		c.Due = &t.Due
	}
	if item, _, err = f.AddFound(c, s, now); err != nil { // the list can't have such a value
		item, _, err = f.AddFound(todo.Change{Title: &t.Title}, s, now)
	}
	return item, "On the list:", err
}

// note tells the model what was not added.
func note(found scan, answer protocol.TodoExtractResult, left int) string {
	var b strings.Builder
	switch {
	case answer.Note != "":
		b.WriteString(answer.Note + "\n")
	case answer.Found == 0:
		fmt.Fprintf(&b, "No new to-do in %s; %s read by a model.\n", amount.Plural(found.files, "file", "files"),
			amount.Plural(answer.Read, "section was", "sections were"))
	case answer.Found > len(answer.Add):
		fmt.Fprintf(&b, "The user did not want %d of %d found.\n", answer.Found-len(answer.Add), answer.Found)
	}
	if left > 0 {
		fmt.Fprintf(&b, "%s for another call.\n",
			amount.Plural(left, "section or box is left", "sections and boxes are left"))
	}
	if found.left > 0 {
		fmt.Fprintf(&b, "%s not read, because a call reads %d; give narrower globs.\n",
			amount.Plural(found.left, "older file was", "older files were"), protocol.MaxTodoFiles)
	}
	if found.unread > 0 {
		fmt.Fprintf(&b, "%s could not be read as text of at most 1 MiB.\n",
			amount.Plural(found.unread, "file", "files"))
	}
	return b.String()
}
