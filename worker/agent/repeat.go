package agent

import (
	"bytes"
	"encoding/json"

	"mews/protocol"
)

// maxRepeats is the number of steps running in which the same call ends the turn.
const maxRepeats = 3

// callCounts counts, for each call of the newest step, in how many steps running it was made. A call is known by its
// tool's name and its arguments, whatever the order of their keys.
type callCounts map[string]int

// countRecent is the history before the newest step. Recent does not say where steps began, so only an unbroken row of the
// same call at its end counts, each as a step of its own: a repetition of several calls together is noticed later than
// it would have been without the crash. Recent may hold the pending calls; they belong to the newest step.
func countRecent(recent []protocol.ToolCall, pending []protocol.PendingCall) callCounts {
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

// addStep takes a step's calls into the history, and is true when one of them was made too often. No calls are no step.
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

// callKey names what a call does.
func callKey(call protocol.ToolCall) string {
	return call.Name + "\n" + string(canonical(call.Arguments))
}

// canonical is JSON with its keys sorted and its spaces gone; what is not JSON stays as it is.
func canonical(raw json.RawMessage) []byte {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var value any
	if dec.Decode(&value) != nil {
		return raw
	}
	out, err := json.Marshal(value)
	if err != nil {
		return raw
	}
	return out
}
