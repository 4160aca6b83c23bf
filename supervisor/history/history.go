// Package history decides which past messages a turn's model sees. The same transcript always gives
// the same window. While a transcript grows, its window keeps the same beginning until half a
// budget was added. So providers' prompt caches stay valid.
package history

import (
	"slices"

	"mews/protocol"
)

// RequestWindow is the part of a transcript that goes into a request to a model.
type RequestWindow struct {
	Messages []protocol.Message
	// From is the ID of the first message that later requests may need. Older messages are never
	// needed again.
	From int64
}

// unit is a group of consecutive messages that are kept or dropped together. It is a past turn, a
// step of the current turn with its results, or a user's message in the current turn.
type unit struct {
	messages []protocol.Message
	tokens   int
	pinned   bool // the unit is kept even if it exceeds the budget
}

// SelectMessages selects the newest messages of a transcript that fit a budget in tokens. first is
// the ID of the message that began the current turn; 0 means the user's last message.
//
// SelectMessages always keeps the first message of the turn, and the newest step with its results.
// It also keeps the user's last message, and all messages since the step before that message,
// because the model must answer these. Other messages of the turn are kept if the budget allows.
//
// Tool calls and their results stay together, in the order of the calls. If all messages together
// exceed the budget, the oldest are dropped until half of the budget is free.
func SelectMessages(transcript []protocol.Message, first int64, budget int) RequestWindow {
	before, present := splitTurns(transcript, first)
	past := groupUnits(before, startsTurn)
	pinned, loose := splitPinned(present)
	room := budget - pinned
	kept, at := dropOldest(past, room)
	drop := 0
	if !fitsBudget(kept, loose, room) && len(loose) > 0 {
		kept, at = nil, len(past)
		_, drop = dropOldest(loose, room)
	}
	w := RequestWindow{From: firstID(past, at, present), Messages: slices.Grow([]protocol.Message(nil),
		len(transcript))}
	for _, u := range kept {
		w.Messages = append(w.Messages, u.messages...)
	}
	for _, u := range present {
		if !u.pinned && drop > 0 {
			drop--
			continue
		}
		w.Messages = append(w.Messages, u.messages...)
	}
	return w
}

// RemainingTokens returns the tokens of the budget for messages that may be dropped. It is negative
// if the messages that SelectMessages always keeps exceed the budget.
func RemainingTokens(transcript []protocol.Message, first int64, budget int) int {
	_, present := splitTurns(transcript, first)
	pinned, loose := splitPinned(present)
	if n := len(loose); n > 0 {
		pinned += loose[n-1].tokens
	}
	return budget - pinned
}

// splitPinned returns the number of tokens of the pinned units, and the list of other units.
func splitPinned(units []unit) (pinned int, loose []unit) {
	for _, u := range units {
		if u.pinned {
			pinned += u.tokens
			continue
		}
		loose = append(loose, u)
	}
	return pinned, loose
}

// pixelsPerToken is the number of a picture's pixels that count as one token (Anthropic's page on
// vision).
const pixelsPerToken = 750

// EstimateTokens estimates the tokens of messages. It counts one token for four bytes, one for 750
// pixels, and four for each message. Thoughts count if later requests send them, too. (This is the
// usual rule of thumb; usage and cost come from the provider's own count.)
func EstimateTokens(messages []protocol.Message) int {
	bytes, pixels := 0, 0
	for _, m := range messages {
		bytes += 16 + len(m.Stamp) + len(m.Recap)
		for _, p := range m.Parts {
			bytes += len(p.Text)
			if p.Call != nil {
				bytes += len(p.Call.Name) + len(p.Call.Arguments)
			}
			if p.Result != nil {
				bytes += len(p.Result.Text)
			}
			if p.Thinking != nil && p.Thinking.Lasts {
				bytes += len(p.Thinking.Block)
			}
			for _, image := range imagesOf(p) {
				pixels += image.Width * image.Height
			}
		}
	}
	return bytes/4 + (pixels+pixelsPerToken-1)/pixelsPerToken
}

// splitTurns splits a transcript into the messages of past turns and the units of the current turn.
func splitTurns(transcript []protocol.Message, first int64) (past []protocol.Message, present []unit) {
	begin, last := -1, -1 // indexes of the user's first and last message in the current turn
	for i, m := range transcript {
		if m.Role != protocol.RoleUser {
			continue
		}
		if last = i; begin < 0 && first > 0 && m.ID >= first {
			begin = i
		}
	}
	if last < 0 {
		return nil, groupUnits(transcript, startsStep)
	}
	if begin < 0 {
		begin = last
	}
	present = groupUnits(transcript[begin:], startsAny)
	present[0].pinned = true
	pinNewest(present)
	return transcript[:begin], present
}

// pinNewest pins the user's last message and the user's messages directly before it, because the
// model answers all of these together.
func pinNewest(present []unit) {
	found := false
	for i := range slices.Backward(present) {
		said := startsTurn(present[i].messages[0])
		if found && !said {
			return
		}
		found = found || said
		present[i].pinned = present[i].pinned || said
	}
}

func startsTurn(m protocol.Message) bool { return m.Role == protocol.RoleUser }
func startsStep(m protocol.Message) bool { return m.Role == protocol.RoleAssistant }
func startsAny(m protocol.Message) bool  { return startsTurn(m) || startsStep(m) }

func groupUnits(messages []protocol.Message, starts func(protocol.Message) bool) []unit {
	var units []unit
	begin := 0
	for i := 1; i <= len(messages); i++ {
		if i == len(messages) || starts(messages[i]) {
			paired := PairResults(messages[begin:i])
			units = append(units, unit{messages: paired, tokens: EstimateTokens(paired)})
			begin = i
		}
	}
	return units
}

// dropOldest adds up the units in order. Each time that the sum exceeds the budget, it drops the
// oldest units. It returns the kept units and the number of dropped units. The newest unit is
// always kept.
func dropOldest(units []unit, budget int) (kept []unit, dropped int) {
	sum := 0
	for i, u := range units {
		sum += u.tokens
		if sum <= budget {
			continue
		}
		for dropped < i && sum > budget/2 {
			sum -= units[dropped].tokens
			dropped++
		}
	}
	return units[dropped:], dropped
}

func fitsBudget(past, present []unit, budget int) bool {
	sum := 0
	for _, u := range past {
		sum += u.tokens
	}
	for _, u := range present {
		sum += u.tokens
	}
	return sum <= budget
}

func firstID(past []unit, dropped int, present []unit) int64 {
	if dropped < len(past) {
		return past[dropped].messages[0].ID
	}
	if len(present) > 0 && present[0].pinned {
		return present[0].messages[0].ID
	}
	return 0
}
