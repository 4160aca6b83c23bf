package modeltest

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

const leastBudget = 1024 // lowest budget of thinking in tokens

// Allowed types of thinking and levels of effort.
var (
	allThinkingTypes = []string{"enabled", "disabled", "adaptive", "between_tools"}
	effortLevels     = []string{"", "low", "medium", "high", "xhigh", "max"}
)

// checkThinking checks the parameters about thinking. It turns thinking on if the model always
// thinks.
func checkThinking(s *Server, l *messagesRequest) *refusal {
	if l.Thinking == nil && s.ThinkingTypes != nil && !slices.Contains(s.ThinkingTypes, "disabled") {
		l.Thinking = &thinkingParam{Type: "adaptive"}
	}
	effort := badIf(!slices.Contains(effortLevels, l.OutputConfig.Effort),
		"output_config.effort: Input should be 'low', 'medium', 'high', 'xhigh' or 'max'")
	t := l.Thinking
	if effort != nil || t == nil {
		return effort
	}
	enabled := t.Type == "enabled"
	return firstRefusal(
		badIf(!slices.Contains(allThinkingTypes, t.Type), "thinking: Input tag '%s' found using 'type' does not match any of the "+
			"expected tags: 'adaptive', 'between_tools', 'disabled', 'enabled'", t.Type),
		badIf(s.ThinkingTypes != nil && !slices.Contains(s.ThinkingTypes, t.Type), "\"thinking.type.%s\" is not supported for this "+
			"model. Use \"thinking.type.%s\".", t.Type, strings.Join(s.ThinkingTypes, "\" or \"thinking.type.")),
		badIf(!enabled && t.Budget != nil, "thinking.%s.budget_tokens: Extra inputs are not permitted", t.Type),
		badIf(enabled && t.Budget == nil, "thinking.enabled.budget_tokens: Field required"),
		badIf(enabled && t.Budget != nil && *t.Budget < leastBudget,
			"thinking.enabled.budget_tokens: Input should be greater than or equal to %d", leastBudget),
		badIf(enabled && t.Budget != nil && *t.Budget >= *l.MaxTokens, "`max_tokens` must be greater than `thinking.budget_tokens`."))
}

// checkSampling checks the parameters about sampling. With thinking, most sampling parameters are
// not allowed.
func checkSampling(_ *Server, l *messagesRequest) *refusal {
	on := l.Thinking.on()
	return firstRefusal(
		badIf(l.Temperature != nil && (*l.Temperature < 0 || *l.Temperature > 1), "temperature: Input should be between 0 and 1"),
		badIf(on && l.Temperature != nil && *l.Temperature != 1, "`temperature` may only be set to 1 when thinking is enabled."),
		badIf(on && l.TopK != nil, "`top_k` must be unset when thinking is enabled."),
		badIf(on && l.TopP != nil && *l.TopP < 0.95,
			"`top_p` must be greater than or equal to 0.95 or unset when thinking is enabled."),
		l.checkChoice())
}

func (l *messagesRequest) checkChoice() *refusal {
	c := l.ToolChoice
	if c == nil {
		return nil
	}
	named := slices.ContainsFunc(l.tools, func(t messageTool) bool { return t.Name == c.Name })
	return firstRefusal(
		badIf(!slices.Contains([]string{"auto", "any", "tool", "none"}, c.Type), "tool_choice: Input tag '%s' found using 'type' "+
			"does not match any of the expected tags: 'any', 'auto', 'none', 'tool'", c.Type),
		badIf(l.Thinking.on() && (c.Type == "any" || c.Type == "tool"), "Thinking may not be enabled when tool_choice forces tool use."),
		badIf(len(l.tools) == 0 && c.Type != "none", "tool_choice: tool_choice may only be specified while providing tools"),
		badIf(c.Type == "tool" && !named, "tool_choice: Tool '%s' not found in provided tools", c.Name))
}

// maxMarkers is the maximum number of cache markers in a request.
const maxMarkers = 4

// checkMarkers checks the number of cache markers, and that longer lifetimes come first.
func checkMarkers(_ *Server, l *messagesRequest) *refusal {
	count, shortest := 0, time.Duration(0)
	for at, m := range l.markers() {
		count++
		if shortest > 0 && m.keep() > shortest {
			return bad("%s.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control "+
				"block. Note that blocks are processed in the following order: `tools`, `system`, `messages`.", at)
		}
		shortest = m.keep()
	}
	if count > maxMarkers {
		return bad("A maximum of %d blocks with cache_control may be provided. Found %d.", maxMarkers, count)
	}
	return nil
}

// markers iterates over cache markers and their paths, in the order of the prompt.
func (l *messagesRequest) markers() func(func(string, *marker) bool) {
	return func(yield func(string, *marker) bool) {
		for i, t := range l.tools {
			if t.CacheControl != nil && !yield(fmt.Sprintf("tools.%d", i), t.CacheControl) {
				return
			}
		}
		for i, b := range l.system {
			if b.CacheControl != nil && !yield(fmt.Sprintf("system.%d", i), b.CacheControl) {
				return
			}
		}
		for at, b := range l.blocks() {
			if b.CacheControl != nil && !yield(at, b.CacheControl) {
				return
			}
		}
		if l.CacheControl != nil {
			yield("", l.CacheControl)
		}
	}
}

// blocks iterates over the blocks of all messages, with their paths.
func (l *messagesRequest) blocks() func(func(string, *block) bool) {
	return func(yield func(string, *block) bool) {
		for i, t := range l.params {
			for j := range t.blocks {
				if !yield(fmt.Sprintf("messages.%d.content.%d", i, j), &t.blocks[j]) {
					return
				}
			}
		}
	}
}

// checkRoles checks that roles alternate. Compatible servers require this; Anthropic joins messages
// of the same role.
func checkRoles(_ *Server, l *messagesRequest) *refusal {
	if l.params[0].Role != "user" {
		return bad("messages: first message must use the \"user\" role")
	}
	for i, t := range l.params[1:] {
		if t.Role == l.params[i].Role {
			return bad("messages: roles must alternate between \"user\" and \"assistant\", but found multiple \"%s\" roles in a row",
				t.Role)
		}
	}
	if l.params[len(l.params)-1].Role == "assistant" {
		return bad("This model does not support assistant message prefill. The conversation must end with a user message.")
	}
	return nil
}

// checkUses checks that each tool_use has one tool_result at the beginning of the next message, and
// that there are no other results.
func checkUses(_ *Server, l *messagesRequest) *refusal {
	var open []string
	seen := map[string]bool{}
	for i, t := range l.params {
		if t.Role == "user" {
			if refused := t.checkResults(i, open); refused != nil {
				return refused
			}
			continue
		}
		open = nil
		for j, b := range t.blocks {
			if b.Type != "tool_use" {
				continue
			}
			if seen[b.ID] {
				return bad("messages.%d.content.%d: `tool_use` ids must be unique", i, j)
			}
			seen[b.ID] = true
			open = append(open, b.ID)
		}
	}
	return nil
}

// checkResults checks the results of one user message. open has the ids of the calls in the message
// before.
func (t messageParam) checkResults(i int, open []string) *refusal {
	left, given := slices.Clone(open), map[string]bool{}
	others := false
	for j, b := range t.blocks {
		if b.Type != "tool_result" {
			others = true
			continue
		}
		at := slices.Index(left, b.ToolUseID)
		switch {
		case given[b.ToolUseID]:
			return bad("messages.%d.content.%d: each tool_use must have a single result. Found multiple `tool_result` blocks "+
				"with id: %s", i, j, b.ToolUseID)
		case at < 0:
			return bad("messages.%d.content.%d: unexpected `tool_use_id` found in `tool_result` blocks: %s. Each `tool_result` "+
				"block must have a corresponding `tool_use` block in the previous message.", i, j, b.ToolUseID)
		case others:
			continue // a result that is not at the beginning does not count
		}
		given[b.ToolUseID] = true
		left = slices.Delete(left, at, at+1)
	}
	if len(left) > 0 {
		return bad("messages.%d: `tool_use` ids were found without `tool_result` blocks immediately after: %s. Each `tool_use` "+
			"block must have a corresponding `tool_result` block in the next message.", i-1, strings.Join(left, ", "))
	}
	return nil
}

// isThought reports whether a block is thinking.
func isThought(b block) bool { return b.Type == "thinking" || b.Type == "redacted_thinking" }

// lastTurn returns the index of the assistant's first message in the running turn; -1 means none. A
// user message that does not begin with results starts a turn.
func (l *messagesRequest) lastTurn() (begins int) {
	begins = -1
	for i, t := range l.params {
		if t.Role == "user" && t.blocks[0].Type != "tool_result" {
			begins = -1
		} else if t.Role == "assistant" && begins < 0 {
			begins = i
		}
	}
	return begins
}

// turnThought reports whether the running turn began with thinking.
func (l *messagesRequest) turnThought() bool {
	at := l.lastTurn()
	return at >= 0 && isThought(l.params[at].blocks[0])
}

// betweenTools reports whether the model may think only between calls.
func (l *messagesRequest) betweenTools() bool {
	return l.Thinking != nil && l.Thinking.Type == "between_tools"
}

// checkTurnBegin checks that the running turn began with thinking. Only thinking with a budget
// requires this.
func checkTurnBegin(_ *Server, l *messagesRequest) *refusal {
	at := l.lastTurn()
	if l.Thinking == nil || l.Thinking.Type != "enabled" || at < 0 || l.turnThought() {
		return nil
	}
	return bad("messages.%d.content.0.type: Expected `thinking` or `redacted_thinking`, but found `%s`. When `thinking` is "+
		"enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost set of `tool_use` and "+
		"`tool_result` blocks). We recommend you include thinking blocks from previous turns. To avoid this requirement, "+
		"disable `thinking`.", at, l.params[at].blocks[0].Type)
}
