package modeltest

import (
	"regexp"
	"slices"
	"sync"
)

// modelsWithoutDeferring matches models that do not support deferred tools: models before Claude
// 4.5.
var modelsWithoutDeferring = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`claude-(?:[0-3]|(?:opus|sonnet|haiku)-[0-3]|(?:opus|sonnet|haiku)-4(?:$|-[0-4](?:\D|$)|-\d{8}))`)
})

// checkDeferred checks deferred tools, and results that refer to deferred tools. Source:
// Anthropic's page "Tool search tool".
func checkDeferred(s *Server, l *messagesRequest) *refusal {
	later := func(t messageTool) bool { return t.DeferLoading }
	if at := slices.IndexFunc(l.tools, later); at >= 0 &&
		(s.NoDeferring || modelsWithoutDeferring().MatchString(l.Model)) {
		return bad("tools.%d.custom.defer_loading: Extra inputs are not permitted", at)
	}
	if len(l.tools) > 0 && !slices.ContainsFunc(l.tools, func(t messageTool) bool { return !later(t) }) {
		return bad("At least one tool must have defer_loading=false. All tools cannot be deferred.")
	}
	loaded := map[string]bool{}
	for at, b := range l.blocks() {
		for _, name := range b.refers {
			if !slices.ContainsFunc(l.tools, func(t messageTool) bool { return t.Name == name }) {
				return bad("Tool reference '%s' not found in available tools", name)
			}
			loaded[name] = true
		}
		// Anthropic's documentation does not say how the API treats a call of a tool that was not
		// loaded yet. This server refuses such a call.
		if i := slices.IndexFunc(l.tools, func(t messageTool) bool { return later(t) && t.Name == b.Name }); b.Type == "tool_use" && i >= 0 && !loaded[b.Name] {
			return bad("%s: tool '%s' is deferred, and nothing refers to it", at, b.Name)
		}
	}
	return nil
}

// refersTo reports whether a result refers to a tool.
func (l *messagesRequest) refersTo(name string) bool {
	for _, b := range l.blocks() {
		if slices.Contains(b.refers, name) {
			return true
		}
	}
	return false
}
