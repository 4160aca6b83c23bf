package hosttest

import (
	"errors"
	"slices"

	"mews/protocol"
)

// ErrGone is the error of a host that cannot be reached.
var ErrGone = errors.New("the supervisor is gone")

func (f Failure) before() error {
	switch f {
	case CallLost:
		return ErrGone
	case Refused:
		return &protocol.Error{Code: protocol.CodeFailed, Message: "the disk is full"}
	default:
		return nil
	}
}

func (f Failure) after() error {
	if f == AnswerLost {
		return ErrGone
	}
	return nil
}

// Start returns the turn.start for the committed state.
func (h *Host) Start() protocol.TurnStart {
	h.mu.Lock()
	defer h.mu.Unlock()
	start := protocol.TurnStart{Turn: 1, Kind: "chat", Channel: "terminal", Limits: h.Limits,
		LastMessage: int64(len(h.transcript))}
	for _, message := range h.transcript {
		if message.Role != protocol.RoleAssistant {
			continue
		}
		start.CommittedSteps++
		start.RecentCalls = append(start.RecentCalls, message.Calls()...)
		start.PendingCalls = nil
		for _, call := range message.Calls() {
			if _, done := h.results[call.ID]; !done {
				start.PendingCalls = append(start.PendingCalls, protocol.PendingCall{Call: call, Begun: h.begun[call.ID]})
			}
		}
	}
	return start
}

// IsOver reports whether the newest message is an answer of the model without calls. The turn then
// needs no worker any longer.
func (h *Host) IsOver() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.transcript) == 0 {
		return false
	}
	newest := h.transcript[len(h.transcript)-1]
	return newest.Role == protocol.RoleAssistant && len(newest.Calls()) == 0
}

// Result returns a call's committed result; false means that the call has no result.
func (h *Host) Result(call string) (protocol.ToolResult, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	result, done := h.results[call]
	return result, done
}

// HasBegun reports whether the beginning of a call was committed.
func (h *Host) HasBegun(call string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.begun[call]
}

// Events returns all events so far, in order.
func (h *Host) Events() []protocol.TurnEvent {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.events)
}

// Commits returns the ids of the calls whose results were committed, in order.
func (h *Host) Commits() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	var calls []string
	for _, message := range h.transcript {
		for _, part := range message.Parts {
			if part.Result != nil {
				calls = append(calls, part.Result.Call)
			}
		}
	}
	return calls
}
