package hostcall

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/feature"
	"mews/supervisor/sqlite"
	"mews/supervisor/tools"
)

// ToolDependencies holds the store of opened tools.
type ToolDependencies struct{ OpenedTools OpenedTools }

// OpenedTools stores the opened tools of conversations.
type OpenedTools interface {
	// List returns the opened tools in the order in which they were opened.
	List(ctx context.Context, conversation int64) ([]supervisor.OpenedTool, error)
	AddTools(ctx context.Context, in supervisor.Conversation, tools ...supervisor.OpenedTool) error
	DeleteTools(ctx context.Context, conversation int64, names ...string) error
}

// toolFindTools is the tool that searches for tools.
const toolFindTools = "find_tools"

var findRows = []row{
	{method: protocol.MethodToolsFind, phase: inTurn, kinds: withHome, bytes: shortParams, limit: protocol.MaxToolsFindCalls, serial: true,
		handler: turnCall((*turn).findTools)},
}

// openedTools holds the open tools of the turn's conversation. They are read once, so tools that
// the user opens meanwhile count only in the next turn. Only serial calls use openedTools.
type openedTools struct {
	opened []supervisor.OpenedTool
	read   bool
}

// listOpen returns the open tools of the conversation.
func (t *turn) listOpen(ctx context.Context) (_ []supervisor.OpenedTool, err error) {
	if !t.read && t.o.OpenedTools != nil {
		if t.opened, err = t.o.OpenedTools.List(ctx, t.Conversation); err != nil {
			return nil, err
		}
	}
	if !t.read && t.Kind == supervisor.TurnJob {
		t.opened = append(t.opened, supervisor.OpenedTool{Name: supervisor.JobResultToolName, Pinned: true})
	}
	t.read = true
	return t.opened, nil
}

// ListTools returns the latest tools of the user's worker, sorted by name. It leaves out the tool
// that ends the turns of tasks.
func (c *Conn) ListTools() []protocol.Tool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.tools.known == nil {
		return nil
	}
	all := make([]protocol.Tool, 0, len(c.tools.known.byName))
	for _, t := range c.tools.known.byName {
		if t.Name != supervisor.JobResultToolName {
			all = append(all, t)
		}
	}
	slices.SortFunc(all, func(a, b protocol.Tool) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// findTools opens the tools that a call of find_tools has found. The worker names only the call,
// and the search words come from the transcript.
func (t *turn) findTools(ctx context.Context, p *protocol.ToolsFindParams) (*protocol.ToolsFindResult, error) {
	if err := t.checkCall(p.Call, toolFindTools); err != nil {
		return nil, feature.WorkerOffence{Err: err}
	}
	call, _ := t.openCalls.find(p.Call)
	var arguments protocol.FindToolsArguments
	if err := json.Unmarshal(call.Arguments, &arguments); err != nil {
		return nil, feature.NewRefusal("words: %v", err)
	}
	open, err := t.listOpen(ctx)
	if err != nil || t.o.OpenedTools == nil {
		return nil, err
	}
	all := t.ListTools()
	found := tools.FindTools(all, arguments.Words)
	more := make([]supervisor.OpenedTool, len(found))
	for i, tool := range found {
		more[i] = supervisor.OpenedTool{Name: tool.Name, Call: p.Call}
	}
	now, full := tools.AddOpenedTools(all, open, more...)
	in := supervisor.Conversation{ID: t.Conversation, User: t.user}
	if err := t.commit(ctx, func() error { return t.o.OpenedTools.AddTools(ctx, in, now[len(open):]...) }); err != nil {
		return nil, err
	}
	t.opened = now
	answer := &protocol.ToolsFindResult{}
	for _, o := range now {
		if o.Call == p.Call {
			answer.Opened = append(answer.Opened, o.Name)
		}
	}
	names := slices.DeleteFunc(tools.Names(found), func(name string) bool { return slices.Contains(full, name) })
	answer.Text = foundText(all, names, full)
	return answer, nil
}

// foundText returns the text about the found tools, as the model reads it.
func foundText(all []protocol.Tool, open, full []string) string {
	var text strings.Builder
	text.WriteString(textFamilies)
	for _, f := range tools.Families(all) {
		line := printable(f.Name+": "+strings.Join(tools.Names(f.Tools), ", "), maxFamilyLine)
		if text.Len()+len(line) > maxFamilies {
			text.WriteString(textMoreFamilies)
			break
		}
		text.WriteString(line + "\n")
	}
	switch {
	case len(open) > 0:
		fmt.Fprintf(&text, textOpened, strings.Join(open, ", "))
	case len(full) == 0:
		text.WriteString(textNoneFound)
	}
	if len(full) > 0 {
		fmt.Fprintf(&text, textToolsFull, strings.Join(full, ", "), tools.MaxOfferedTools, tools.MaxOfferedBytes>>10)
	}
	return strings.TrimSpace(text.String())
}

// Limits of the text about the found families of tools, in bytes.
const (
	maxFamilies   = 4 << 10
	maxFamilyLine = 512
)

// openCalled opens the closed tools that a step calls, if these tools fit into a request. It
// answers the calls of tools that do not fit. It returns the tools that will be open after the
// step's commit.
func (t *turn) openCalled(step *sqlite.Step) (open []supervisor.OpenedTool) {
	calls, open := step.Message.ToolCalls(), t.opened
	if len(calls) == 0 {
		return open
	}
	all := t.ListTools()
	for _, call := range calls {
		tool, known := tools.FindByName(all, call.Name)
		if !known || tool.Family == "" {
			continue
		}
		use := supervisor.OpenedTool{Name: call.Name}
		now, full := tools.AddOpenedTools(all, open, use)
		if open = now; len(full) == 0 {
			step.Uses = append(step.Uses, use)
			continue
		}
		text := fmt.Sprintf(textToolClosed, call.Name, tools.MaxOfferedTools, tools.MaxOfferedBytes>>10)
		step.Results = append(step.Results, protocol.ToolResult{Call: call.ID, Name: call.Name, Text: text, Failed: true})
	}
	return open
}

// answeredCalls returns the calls of a committed step that already have results.
func answeredCalls(message int64, results []protocol.ToolResult) (calls []protocol.AnsweredCall) {
	for i, r := range results {
		calls = append(calls, protocol.AnsweredCall{Call: r.Call, Message: message + 1 + int64(i)})
	}
	return calls
}

// closeUnused closes the least recently used tools when old messages leave the window. The
// provider's prompt cache is lost then anyway, so a changed list of tools causes no further cost.
func (t *turn) closeUnused(ctx context.Context) error {
	if t.o.OpenedTools == nil {
		return nil
	}
	open, err := t.o.OpenedTools.List(ctx, t.Conversation)
	if err != nil {
		return err
	}
	closed := tools.ListToolsToClose(t.ListTools(), open)
	if len(closed) == 0 {
		return nil
	}
	t.opened = slices.DeleteFunc(slices.Clone(t.opened), func(o supervisor.OpenedTool) bool { return slices.Contains(closed, o.Name) })
	return t.o.OpenedTools.DeleteTools(ctx, t.Conversation, closed...)
}
