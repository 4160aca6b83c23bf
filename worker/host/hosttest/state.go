package hosttest

import (
	"errors"
	"slices"

	"mews/protocol"
)

// ErrSupervisorGone is the error of a host that cannot be reached.
var ErrSupervisorGone = errors.New("the supervisor is gone")

func (f Failure) before() error {
	switch f {
	case FailureCallLost:
		return ErrSupervisorGone
	case FailureRefused:
		return &protocol.Error{Code: protocol.CodeFailed, Message: "the disk is full"}
	default:
		return nil
	}
}

func (f Failure) after() error {
	if f == FailureAnswerLost {
		return ErrSupervisorGone
	}
	return nil
}

// TurnStart returns the turn.start for the committed state.
func (h *Host) TurnStart() protocol.TurnStart {
	h.mu.Lock()
	defer h.mu.Unlock()
	start := protocol.TurnStart{Turn: 1, Kind: "chat", Channel: "terminal", Limits: h.Limits,
		LastMessage: int64(len(h.transcript))}
	for _, message := range h.transcript {
		if message.Role != protocol.RoleAssistant {
			continue
		}
		start.CommittedSteps++
		start.RecentCalls = append(start.RecentCalls, message.ToolCalls()...)
		start.PendingCalls = nil
		for _, call := range message.ToolCalls() {
			if _, done := h.results[call.ID]; !done {
				start.PendingCalls = append(start.PendingCalls, protocol.PendingCall{Call: call, Begun: h.begun[call.ID]})
			}
		}
	}
	return start
}

// IsTurnOver reports whether the newest message is an answer of the model without calls. The turn
// then needs no worker any longer.
func (h *Host) IsTurnOver() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.transcript) == 0 {
		return false
	}
	newest := h.transcript[len(h.transcript)-1]
	return newest.Role == protocol.RoleAssistant && len(newest.ToolCalls()) == 0
}

// CallResult returns a call's committed result; false means that the call has no result.
func (h *Host) CallResult(call string) (protocol.ToolResult, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	result, done := h.results[call]
	return result, done
}

// HasCallBegun reports whether the beginning of a call was committed.
func (h *Host) HasCallBegun(call string) bool {
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

// CommittedCalls returns the ids of the calls whose results were committed, in order.
func (h *Host) CommittedCalls() []string {
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
