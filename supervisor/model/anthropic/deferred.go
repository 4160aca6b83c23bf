package anthropic

import (
	"net/http"
	"slices"
	"strconv"

	"mews/protocol"
	"mews/supervisor/model/remote"
	"mews/supervisor/modelcall"
)

// A tool that find_tools has opened is deferred: its definition is not sent before the messages.
// The endpoint reads the definition at the result that refers to the tool. The part before the
// messages therefore stays the same, and is read from the cache.
//
// Sources: Anthropic's pages "Tool search tool" (the part on an own search) and "Tool reference"
// (defer_loading and prompt caching).

// defersFrom is the first Claude version that supports deferred tools: 4.5, by the page "Tool
// search tool".
var defersFrom = [2]int{4, 5}

// takesDeferredTools reports whether a model supports deferred tools. A name without a version
// could be any model behind a proxy, so it counts as unsupported.
func (p *Provider) takesDeferredTools(model string) bool {
	found := modelVersion.FindStringSubmatch(model)
	if found == nil || p.noDeferredTools.Get(model) {
		return false
	}
	major, _ := strconv.Atoi(found[2]) // never an error: found[2] has one or two digits
	minor, _ := strconv.Atoi(found[3]) // 0 if the name has no minor version
	return major > defersFrom[0] || major == defersFrom[0] && minor >= defersFrom[1]
}

// deferredNames returns the names of the deferred tools: the tools that a result refers to. A tool
// is not deferred if it was called before that result, or if the request lacks that result.
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

// withoutFamilies returns a copy of tools in which none is deferred.
func withoutFamilies(tools []protocol.Tool) []protocol.Tool {
	tools = slices.Clone(tools)
	for i := range tools {
		tools[i].Family = ""
	}
	return tools
}

// references returns blocks for the deferred tools that a result refers to.
func (t *messageBuilder) references(r *protocol.ToolResult) (blocks []*block) {
	for _, name := range r.Tools {
		if t.deferred[name] {
			blocks = append(blocks, &block{Type: "tool_reference", ToolName: name})
		}
	}
	return blocks
}

// retryUndeferred reports whether err refuses deferred tools. If so, no later request to the model
// defers tools.
func (p *Provider) retryUndeferred(model string, err error) bool {
	r := remote.FindRefusal(err)
	if r == nil || r.Begun || r.Status != http.StatusBadRequest || !r.TextContains("defer_loading", "tool_reference",
		"tool reference") || !p.takesDeferredTools(model) {
		return false
	}
	p.noDeferredTools.Update(model, func(bool) bool { return true })
	p.Log.Info("a model takes no deferred tools; they are sent whole from now on", "provider", p.Name, "model", model)
	return true
}
