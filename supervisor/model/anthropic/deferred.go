package anthropic

import (
	"net/http"
	"slices"
	"strconv"

	"mews/protocol"
	"mews/supervisor/model/remote"
	"mews/supervisor/modelcall"
)

// If find_tools has opened a tool of a family, the request defers that tool. The tool's definition
// is then not before the messages: the endpoint reads it at the result that refers to the tool. So
// the part before the messages stays the same, and is read from the cache.
//
// Sources: Anthropic's page "Tool search tool", its part on implementing the search oneself, and
// "Tool reference", on defer_loading and prompt caching.

// defersFrom is the first version whose models take deferred tools: Claude 4.5, by the page "Tool
// search tool".
var defersFrom = [2]int{4, 5}

// takesDeferredTools reports whether a model takes deferred tools. A name without a version may be
// any model behind a proxy.
func (p *Provider) takesDeferredTools(model string) bool {
	found := modelVersion.FindStringSubmatch(model)
	if found == nil || p.noDeferredTools.Get(model) {
		return false
	}
	major, _ := strconv.Atoi(found[2]) // one or two digits
	minor, _ := strconv.Atoi(found[3]) // 0 if missing
	return major > defersFrom[0] || major == defersFrom[0] && minor >= defersFrom[1]
}

// deferredNames returns the names of the deferred tools: those to which a result refers. A tool is
// not deferred if it was called before that result, or if that result has left the window.
func deferredNames(req modelcall.Request) map[string]bool {
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

// withoutFamilies returns a copy of tools in which no tool is deferred.
func withoutFamilies(tools []protocol.Tool) []protocol.Tool {
	tools = slices.Clone(tools)
	for i := range tools {
		tools[i].Family = ""
	}
	return tools
}

// references returns a result's references to deferred tools.
func (t *messageBuilder) references(r *protocol.ToolResult) (blocks []*block) {
	for _, name := range r.Tools {
		if t.deferred[name] {
			blocks = append(blocks, &block{Type: "tool_reference", ToolName: name})
		}
	}
	return blocks
}

// retryUndeferred reports whether err refuses deferred tools. If so, later requests to the model
// defer no tools.
func (p *Provider) retryUndeferred(model string, err error) bool {
	r := remote.RefusalIn(err)
	if r == nil || r.Begun || r.Status != http.StatusBadRequest || !r.Says("defer_loading", "tool_reference", "tool reference") || !p.takesDeferredTools(model) {
		return false
	}
	p.noDeferredTools.Change(model, func(bool) bool { return true })
	p.Log.Info("a model takes no deferred tools; they are sent whole from now on", "provider", p.Name, "model", model)
	return true
}
