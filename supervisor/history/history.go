// Package history decides which past messages a turn sees. It is pure: the same transcript gives the same answer, and
// a longer one gives a prefix of the same words until it has grown by half a budget, so that providers' prompt caches
// keep what they have.
package history

import (
	"mews/protocol"
)

// Window is the part of a transcript that goes into a request.
type Window struct {
	Messages []protocol.Message
	From     int64 // id of the first message that later requests can still need; older ones never come back
}

// unit is a run of messages that stay or go together: a past turn, or a step of the present one with its results.
type unit struct {
	messages []protocol.Message
	tokens   int
}

// Select cuts a transcript to a budget in tokens. The person's last message always stays, and so does what came after
// it as far as the budget allows; tool calls and their results are never parted, and results stand in their calls' order.
//
// It drops the oldest units as soon as the sum is over the budget, and then so many that half the budget is free again.
func Select(transcript []protocol.Message, budget int) Window {
	past, question, present := divide(transcript)
	pinned := Tokens(question)
	kept, at := trim(past, budget-pinned)
	w := Window{}
	for _, u := range kept {
		w.Messages = append(w.Messages, u.messages...)
	}
	w.Messages = append(w.Messages, question...)
	room := budget - pinned
	if !fits(kept, present, room) && len(present) > 0 {
		w.Messages = append(w.Messages[:0:0], question...)
		at = len(past)
		present, _ = trim(present, room)
	}
	for _, u := range present {
		w.Messages = append(w.Messages, u.messages...)
	}
	w.From = firstID(past, at, question)
	return w
}

// pixelsPerToken is Anthropic's formula for a picture (its page on vision).
const pixelsPerToken = 750

// Tokens estimates the tokens of messages: four bytes are one, so are 750 pixels, and each message costs four. (The usual
// rule of thumb; the provider's own count goes into the usage.)
func Tokens(messages []protocol.Message) int {
	bytes, pixels := 0, 0
	for _, m := range messages {
		bytes += 16
		for _, p := range m.Parts {
			bytes += len(p.Text)
			if p.Call != nil {
				bytes += len(p.Call.Name) + len(p.Call.Arguments)
			}
			if p.Result != nil {
				bytes += len(p.Result.Text)
			}
			for _, image := range imagesOf(p) {
				pixels += image.Width * image.Height
			}
		}
	}
	return bytes/4 + (pixels+pixelsPerToken-1)/pixelsPerToken
}

// divide takes a transcript apart into past turns, the person's last message and the steps since.
func divide(transcript []protocol.Message) (past []unit, question []protocol.Message, present []unit) {
	last := -1
	for i, m := range transcript {
		if m.Role == protocol.RoleUser {
			last = i
		}
	}
	if last < 0 {
		return nil, nil, group(transcript, startsStep)
	}
	return group(transcript[:last], startsTurn), transcript[last : last+1], group(transcript[last+1:], startsStep)
}

func startsTurn(m protocol.Message) bool { return m.Role == protocol.RoleUser }
func startsStep(m protocol.Message) bool { return m.Role == protocol.RoleAssistant }

func group(messages []protocol.Message, starts func(protocol.Message) bool) []unit {
	var units []unit
	begin := 0
	for i := 1; i <= len(messages); i++ {
		if i == len(messages) || starts(messages[i]) {
			paired := Pair(messages[begin:i])
			units = append(units, unit{messages: paired, tokens: Tokens(paired)})
			begin = i
		}
	}
	return units
}

// trim plays the units in one after another and drops the oldest whenever they are over the budget. It returns what is
// left and how many went. The newest unit always stays.
func trim(units []unit, budget int) (kept []unit, dropped int) {
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

func fits(past, present []unit, budget int) bool {
	sum := 0
	for _, u := range past {
		sum += u.tokens
	}
	for _, u := range present {
		sum += u.tokens
	}
	return sum <= budget
}

func firstID(past []unit, dropped int, question []protocol.Message) int64 {
	if dropped < len(past) {
		return past[dropped].messages[0].ID
	}
	if len(question) > 0 {
		return question[0].ID
	}
	return 0
}
