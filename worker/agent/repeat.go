package agent

import (
	"bytes"
	"encoding/json"

	"mews/protocol"
)

// maxRepeats is the number of steps in a row with the same call after which the turn ends.
const maxRepeats = 3

// callCounts counts, for each call of the newest step, the steps in a row that made it. Two calls
// are the same if they have the same tool and the same arguments, in any order of keys.
type callCounts map[string]int

// countsBefore returns the counts before the newest step. recent does not show where steps began.
// So countsBefore counts only equal calls at the end of recent, each call as one step. After a
// crash, the repetition of several calls together is therefore noticed later. recent may hold the
// pending calls, which belong to the newest step.
func countsBefore(recent []protocol.ToolCall, pending []protocol.PendingCall) callCounts {
	newest := make(map[string]bool, len(pending))
	for _, p := range pending {
		newest[p.Call.ID] = true
	}
	past := callCounts{}
	for _, call := range recent {
		if key := callKey(call); !newest[call.ID] {
			past = callCounts{key: past[key] + 1}
		}
	}
	return past
}

// addStep counts a step's calls, and reports whether a call was made too often. A step without
// calls does not count.
func (h *callCounts) addStep(calls []protocol.PendingCall) bool {
	if len(calls) == 0 {
		return false
	}
	next := make(callCounts, len(calls))
	tooOften := false
	for _, p := range calls {
		key := callKey(p.Call)
		next[key] = (*h)[key] + 1
		tooOften = tooOften || next[key] >= maxRepeats
	}
	*h = next
	return tooOften
}

// callKey identifies a call by its tool and arguments.
func callKey(call protocol.ToolCall) string {
	return call.Name + "\n" + string(canonicalJSON(call.Arguments))
}

// canonicalJSON returns JSON with sorted keys and without spaces. Text that is no JSON stays as it
// is.
func canonicalJSON(raw json.RawMessage) []byte {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var value any
	if dec.Decode(&value) != nil {
		return raw
	}
	out, _ := json.Marshal(value) // can't fail, because value came from JSON
	return out
}
