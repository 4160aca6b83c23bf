package anthropic

import (
	"net/http"
	"slices"
	"strconv"

	"mews/protocol"
	"mews/supervisor/model/remote"
	"mews/supervisor/modelcall"
)

// A tool of a family that find_tools has opened goes deferred: the endpoint reads its definition
// where the result of that call refers to it, and not before the messages. So what stands there is
// the same as before, and is read from the cache. (From Anthropic's page "Tool search tool", its
// part on implementing the search oneself, and "Tool reference", on defer_loading and prompt
// caching.)

// defersFrom is the first version whose models take deferred tools, as that page has them: those of
// Claude 4.5.
var defersFrom = [2]int{4, 5}

// defers says whether a model takes deferred tools. A name without a version may be anybody's model
// behind a proxy.
func (p *Provider) defers(model string) bool {
	found := modelVersion.FindStringSubmatch(model)
	if found == nil || p.undeferring.Get(model) {
		return false
	}
	major, _ := strconv.Atoi(found[2]) // one or two digits
	minor, _ := strconv.Atoi(found[3]) // 0 where there is none
	return major > defersFrom[0] || major == defersFrom[0] && minor >= defersFrom[1]
}

// deferred are the names of the tools to which a result refers. One that was called before that
// goes undeferred, and so does one whose result has left the window.
func deferred(req modelcall.Request) map[string]bool {
	names, called := map[string]bool{}, map[string]bool{}
	for _, m := range req.Messages {
		for _, part := range m.Parts {
			switch {
			case part.Call != nil:
				called[part.Call.Name] = true
			case part.Result != nil:
				for _, name := range part.Result.Tools {
					if !called[name] && slices.ContainsFunc(req.Tools, func(t protocol.Tool) bool { return t.Name == name && t.Family != "" }) {
						names[name] = true
					}
				}
			}
		}
	}
	return names
}

// withoutFamilies are tools of which none is deferred.
func withoutFamilies(tools []protocol.Tool) []protocol.Tool {
	tools = slices.Clone(tools)
	for i := range tools {
		tools[i].Family = ""
	}
	return tools
}

// references are those of a result to deferred tools.
func (t *messageBuilder) references(r *protocol.ToolResult) (blocks []*block) {
	for _, name := range r.Tools {
		if t.deferred[name] {
			blocks = append(blocks, &block{Type: "tool_reference", ToolName: name})
		}
	}
	return blocks
}

// retryUndeferred says whether deferred tools were refused. From then on the model gets none.
func (p *Provider) retryUndeferred(model string, err error) bool {
	r := remote.RefusalIn(err)
	if r == nil || r.Begun || r.Status != http.StatusBadRequest || !r.Says("defer_loading", "tool_reference", "tool reference") || !p.defers(model) {
		return false
	}
	p.undeferring.Change(model, func(bool) bool { return true })
	p.Log.Info("a model takes no deferred tools; they are sent whole from now on", "provider", p.Name, "model", model)
	return true
}
