package offline

import (
	"encoding/json"
	"strings"

	"mews/protocol"
)

// transcript is the messages of a request, oldest first.
type transcript []protocol.Message

// lastUser is the index of the newest message of the person's before index before, or -1.
func (t transcript) lastUser(before int) int {
	for i := before - 1; i >= 0; i-- {
		if t[i].Role == protocol.RoleUser {
			return i
		}
	}
	return -1
}

// lastSaid is the newest text of the model's among the messages from index from up to, but not including, index to.
func (t transcript) lastSaid(from, to int) string {
	for i := to - 1; i >= max(from, 0); i-- {
		if t[i].Role != protocol.RoleAssistant {
			continue
		}
		if text := strings.TrimSpace(t[i].Text()); text != "" {
			return text
		}
	}
	return ""
}

// step is a tool call that this turn has made, and what came of it.
type step struct {
	call   protocol.ToolCall
	result protocol.ToolResult
}

// steps lists the calls made in the messages from index from on. A call that has no result counts as failed, so that
// every turn gets on.
func (t transcript) steps(from int) []step {
	results := map[string]protocol.ToolResult{}
	for _, m := range t[from:] {
		for _, p := range m.Parts {
			if m.Role == protocol.RoleTool && p.Result != nil {
				results[p.Result.Call] = *p.Result
			}
		}
	}
	var steps []step
	for _, m := range t[from:] {
		if m.Role != protocol.RoleAssistant {
			continue
		}
		for _, call := range m.Calls() {
			result, ok := results[call.ID]
			if !ok {
				result = protocol.ToolResult{Failed: true, Text: "interrupted: no result of this call was kept"}
			}
			steps = append(steps, step{call, result})
		}
	}
	return steps
}

// lastFile is the file that the newest tool call before index before was about, or "": what "it" stands for.
func (t transcript) lastFile(before int) string {
	for i := before - 1; i >= 0; i-- {
		calls := t[i].Calls()
		for j := len(calls) - 1; j >= 0; j-- {
			if file := fileOf(calls[j]); file != "" {
				return file
			}
		}
	}
	return ""
}

// fileOf is the one file that a call names, or "". A listing or a search names a folder, which is not meant by "it".
func fileOf(call protocol.ToolCall) string {
	if call.Name == "list_files" || call.Name == "search_files" {
		return ""
	}
	var named struct {
		Path string `json:"path"`
		To   string `json:"to"`
	}
	if json.Unmarshal(call.Arguments, &named) != nil {
		return "" // another model's call, and not an object of the kind meant here
	}
	if named.To != "" {
		return named.To
	}
	return named.Path
}
