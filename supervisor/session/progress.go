package session

import (
	"slices"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/internal/jobresult"
	"mews/supervisor/reply"
	"mews/supervisor/sqlite"
)

// progress tells how far a turn has come, so that a worker can continue the turn. It is computed
// only from committed messages.
type progress struct {
	step    int
	first   int64 // ID of the turn's first message
	taken   int   // number of messages that joined the turn after the first
	last    int64 // ID of the newest message
	said    string
	recent  []protocol.ToolCall    // all tool calls of the turn since the user's last message
	pending []protocol.PendingCall // tool calls without a result
	// whether only the turn's end is missing: the model's last message calls no tool, or the result
	// of a job exists
	answered bool
}

func progressOf(open sqlite.RunningTurn) progress {
	var p progress
	results := map[string]bool{}
	var lastAnswer protocol.Message // the model's last message
	var said []string
	for i, m := range open.Messages {
		p.last = max(p.last, m.ID)
		if m.Role == protocol.RoleUser {
			said = append(said, p.take(open.Messages, i))
		}
		for _, part := range m.Parts {
			if part.Result != nil {
				results[part.Result.Call] = true
			}
		}
		if m.Role == protocol.RoleAssistant {
			p.step++
			lastAnswer = m
			said = append(said, m.Text())
			p.recent = append(p.recent, m.ToolCalls()...)
		}
	}
	for _, c := range lastAnswer.ToolCalls() {
		if !results[c.ID] {
			p.pending = append(p.pending, protocol.PendingCall{Call: c, Begun: slices.Contains(open.Begun, c.ID)})
		}
	}
	p.said = reply.JoinSteps(said...)
	p.answered = p.step > 0 && len(lastAnswer.ToolCalls()) == 0 || open.Turn.Kind == supervisor.TurnJob &&
		jobresult.HasResult(open.Messages)
	return p
}

// take counts a user's message. It returns the line that the reply shows for a group of messages.
// The line is "" before the first step, and for messages that no step has answered.
func (p *progress) take(all []protocol.Message, i int) (said string) {
	if p.first == 0 {
		p.first = all[i].ID
		return ""
	}
	p.taken++
	p.recent = nil // the user may want the same tool calls again
	if p.step == 0 || all[i-1].Role == protocol.RoleUser {
		return "" // the line of the group's first message covers this message
	}
	n := 0
	for n < len(all)-i && all[i+n].Role == protocol.RoleUser {
		n++
	}
	if i+n == len(all) {
		return ""
	}
	return reply.LineAboutReadMessages(n)
}

// start returns the request turn.start with which a worker continues the turn.
func (p progress) start(turn supervisor.Turn, limits protocol.TurnLimits) protocol.TurnStart {
	to := turn.AnswerConversation()
	return protocol.TurnStart{
		Turn:           turn.ID,
		Kind:           string(turn.Kind),
		Channel:        string(to.Channel),
		Group:          to.IsInGroup(),
		ShowsFiles:     to.Channel.Capabilities().Files,
		Limits:         limits,
		CommittedSteps: p.step,
		LastMessage:    p.last,
		PendingCalls:   p.pending,
		RecentCalls:    newest(p.recent, maxRecent),
	}
}

// maxRecent limits the earlier calls in a turn.start, by the bytes of their arguments. The newest
// calls are enough to notice repetition. These calls and the pending calls of one message (half a
// mebibyte at most) must fit into one line of the wire.
const maxRecent = 128 << 10

// newest returns the last calls, as long as their arguments together have at most the given bytes.
func newest(calls []protocol.ToolCall, most int) []protocol.ToolCall {
	from := len(calls)
	for from > 0 && len(calls[from-1].Arguments) <= most {
		from--
		most -= len(calls[from].Arguments)
	}
	return calls[from:]
}
