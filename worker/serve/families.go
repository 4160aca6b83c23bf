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
	"mews/worker/tool/calendar"
	"mews/worker/tool/charts"
	"mews/worker/tool/delegated"
	"mews/worker/tool/filehistory"
	"mews/worker/tool/files"
	"mews/worker/tool/memory"
	"mews/worker/tool/numbers"
	"mews/worker/tool/output"
	"mews/worker/tool/send"
	"mews/worker/tool/services"
	"mews/worker/tool/todo"
	"mews/worker/tool/uploads"
	"mews/worker/tool/webtools"
)

// families makes the tools over the folder of a user. Each row makes one family, once the user
// is known.
var families = []func(*userTools) []worker.Tool{
	func(u *userTools) []worker.Tool { return files.Tools(u.files, u.options.Now, u.zone) },
	func(u *userTools) []worker.Tool { return u.images.Tools() },
	func(u *userTools) []worker.Tool { return charts.Tools(u.files, u.zone) },
	func(*userTools) []worker.Tool { return numbers.Tools(nil) },
	func(u *userTools) []worker.Tool { return uploads.Tools(u.files, u.options.Now, u.zone) },
	func(u *userTools) []worker.Tool { return todo.Tools(u.todos) },
	func(u *userTools) []worker.Tool {
		if !isUnrestricted(u.hello.Files) {
			return nil // a restore could change hidden files
		}
		return filehistory.Tools(u.files, u.history, u.zone)
	},
}

// turnFamilies makes the tools that call the supervisor. Each row makes one family for a turn.
var turnFamilies = []func(*turnTools) []worker.Tool{
	func(t *turnTools) []worker.Tool { return delegated.Tools(t.turn, t.start) },
	func(t *turnTools) []worker.Tool {
		return memory.Tools(t.memory, t.turn, t.start.RecallCounts, t.inForce)
	},
	func(t *turnTools) []worker.Tool {
		return output.Tools(t.turn, t.start.Limits.Output)
	},
	func(t *turnTools) []worker.Tool { return send.Tools(t.files, t.turn, t.measure) },
	func(t *turnTools) []worker.Tool {
		return webtools.FetchTools(webtools.FetchOptions{Files: t.files, Turn: t.turn, Programs: t.readPrograms(),
			Pictures: t.images})
	},
	func(t *turnTools) []worker.Tool { return todo.ExtractTools(t.todos, t.turn, t.history) },
	func(t *turnTools) []worker.Tool { return services.Tools(t.turn) },
	func(t *turnTools) []worker.Tool { return calendar.Tools(t.calendar, t.turn, t.readPrograms()) },
	func(t *turnTools) []worker.Tool { return webtools.Tools(t.turn) },
}

// turnTools has the dependencies of the tools of one turn.
type turnTools struct {
	*userTools
	turn  *host.Turn
	start protocol.TurnStart
	// inForce returns the texts in force of the prompt files, by path.
	inForce func(context.Context) (map[string]string, error)
}

// all returns the tools of the turn, sorted by name. more are the tools added since hello.
func (t *turnTools) all(more []worker.Tool) (tools []worker.Tool) {
	pictures := send.NewPictureSender(t.files, t.turn, t.measure)
	for _, tool := range slices.Concat(t.tools, more) {
		tool = promptfile.WithPendingChangeNote(tool)
		if t.start.Kind == "chat" || t.start.Kind == "job" {
			tool = pictures.WithPictures(tool)
		}
		tools = append(tools, tool)
	}
	for _, family := range turnFamilies {
		for _, tool := range family(t) {
			tools = append(tools, t.withFileHistory(tool))
		}
	}
	slices.SortFunc(tools, func(a, b worker.Tool) int { return strings.Compare(a.Name, b.Name) })
	return tools
}

// descriptions returns the tools as the supervisor and the model see them. The descriptions are the
// same in every turn.
func (u *userTools) descriptions(more []worker.Tool) []protocol.Tool {
	var tools []protocol.Tool
	for _, tool := range (&turnTools{userTools: u}).all(more) {
		tools = append(tools, tool.Tool)
	}
	return tools
}

// followTools announces each list of Options.MoreTools until ctx ends. Later turns have the new
// tools; a running turn keeps its old tools. followTools waits for the first turn or operation,
// which shows that the supervisor has the answer to hello.
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
			if err := s.host.AnnounceTools(ctx, u.descriptions(more)); err != nil {
				s.options.Report(fmt.Errorf("announce changed tools: %w", err))
				continue
			}
			s.update(func(state *serverState) { state.more = more })
		}
	}
}
