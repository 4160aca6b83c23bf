package hostcall

import (
	"context"
	"slices"

	"mews/protocol"
)

// transcriptCache is the transcript of a turn's conversation as far as it was read, so that each
// message is read and decoded once, however many steps a turn has. It belongs to model.stream,
// which is serial. Between two turns the connection has it.
type transcriptCache struct {
	messages  []protocol.Message
	counted   countedRequest
	forgotten int64             // how often something was, when they were read
	cut       bool              // what was said before them was left out for want of room
	outputs   map[string]string // names of results that were kept whole, by their calls
}

// transcriptCaches are those of ended turns, by conversation, for the turns that follow.
type transcriptCaches map[int64]transcriptCache

// maxTranscripts is how many conversations of a person run at once.
const maxTranscripts = 2

func (p transcriptCaches) take(conversation int64) transcriptCache {
	was := p[conversation]
	delete(p, conversation)
	return was
}

func (p transcriptCaches) put(conversation int64, now transcriptCache) {
	for other := range p {
		if len(p) >= maxTranscripts {
			delete(p, other)
		}
	}
	p[conversation] = now
}

// catchUp reads what was committed since the last time, and drops what is before the window. The
// cache then equals what a reading from the start would give. Nothing is put into it but what was
// read, because only the store knows what became of a commit whose answer was lost.
func (p *transcriptCache) catchUp(ctx context.Context, store Transcript, conversation int64) error {
	newer, window, err := store.Since(ctx, conversation, p.newest())
	if err != nil {
		return err
	}
	// what is gone is in no request that begins from now on
	if window.Forgotten != p.forgotten && len(p.messages) > 0 {
		*p = transcriptCache{}
		return p.catchUp(ctx, store, conversation)
	}
	p.cut, p.forgotten = window.Trimmed, window.Forgotten
	outside := func(m protocol.Message) bool { return m.ID < window.From }
	p.messages = append(slices.DeleteFunc(p.messages, outside), newer...)
	return nil
}

// newest is the id of the newest message; 0 where there is none.
func (p *transcriptCache) newest() int64 {
	if len(p.messages) == 0 {
		return 0
	}
	return p.messages[len(p.messages)-1].ID
}

// openCall is the first call of the model's last message that has no result; "" where each has one.
func (p *transcriptCache) openCall() string {
	answered := map[string]bool{}
	for _, m := range slices.Backward(p.messages) {
		if m.Role == protocol.RoleUser {
			return ""
		}
		for _, part := range m.Parts {
			if part.Result != nil {
				answered[part.Result.Call] = true
			}
		}
		if m.Role == protocol.RoleAssistant {
			for _, c := range m.Calls() {
				if !answered[c.ID] {
					return c.ID
				}
			}
			return ""
		}
	}
	return ""
}
