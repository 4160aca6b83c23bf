package serve

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"mews/protocol"
	"mews/worker"
	"mews/worker/host"
	"mews/worker/promptfile"
	"mews/worker/tool/delegated"
	"mews/worker/tool/files"
	"mews/worker/tool/memory"
	"mews/worker/tool/output"
	"mews/worker/tool/send"
	"mews/worker/tool/uploads"
)

// families are the families of tools that every worker has over its person's folder. A row makes
// one when the person is known.
var families = []func(*userTools) []worker.Tool{
	func(u *userTools) []worker.Tool { return files.Tools(u.files, u.options.Now, u.zone) },
	func(u *userTools) []worker.Tool { return u.images.Tools() },
	func(u *userTools) []worker.Tool { return uploads.Tools(u.files, u.options.Now, u.zone) },
}

// turnFamilies are the families that ask the supervisor for something. A row makes one for each
// turn.
var turnFamilies = []func(*turnTools) []worker.Tool{
	func(t *turnTools) []worker.Tool { return delegated.Tools(t.turn, t.start) },
	func(t *turnTools) []worker.Tool { return memory.Tools(t.memory, t.turn, t.start.Uses, t.inForce) },
	func(t *turnTools) []worker.Tool {
		return output.Tools(t.turn, t.start.Limits.Output, t.files.HasReceived)
	},
	func(t *turnTools) []worker.Tool { return send.Tools(t.files, t.turn, t.measure) },
}

// turnTools are the person's tools in one turn.
type turnTools struct {
	*userTools
	turn  *host.Turn
	start protocol.TurnStart
	// inForce returns the texts in force of the files that go into prompts, by path.
	inForce func(context.Context) (map[string]string, error)
}

// all returns the tools of the turn, sorted by name. more are those that have come since hello.
func (t *turnTools) all(more []worker.Tool) (tools []worker.Tool) {
	for _, tool := range slices.Concat(t.tools, more) {
		tools = append(tools, promptfile.WithNote(tool))
	}
	for _, family := range turnFamilies {
		tools = append(tools, family(t)...)
	}
	slices.SortFunc(tools, func(a, b worker.Tool) int { return strings.Compare(a.Name, b.Name) })
	return tools
}

// descriptions are the tools as the supervisor and the model are told of them. They are the same in
// every turn.
func (u *userTools) descriptions(more []worker.Tool) []protocol.Tool {
	var tools []protocol.Tool
	for _, tool := range (&turnTools{userTools: u}).all(more) {
		tools = append(tools, tool.Tool)
	}
	return tools
}

// followTools announces what comes from Options.MoreTools, until ctx ends. Turns that begin after
// the supervisor's answer have the new tools; a turn that runs keeps those that it has. It waits
// for the first turn or operation, which shows that the supervisor has the answer to hello.
func (s *server) followTools(ctx context.Context, u *userTools) {
	select {
	case <-ctx.Done():
		return
	case <-s.working:
	}
	for {
		select {
		case <-ctx.Done():
			return
		case more := <-s.options.MoreTools:
			if err := s.host.ToolsChanged(ctx, u.descriptions(more)); err != nil {
				s.options.Report(fmt.Errorf("announce changed tools: %w", err))
				continue
			}
			s.update(func(state *serverState) { state.more = more })
		}
	}
}
