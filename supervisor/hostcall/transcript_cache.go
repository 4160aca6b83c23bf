package hostcall

import (
	"context"
	"slices"

	"mews/protocol"
)

// transcriptCache is the part of a conversation's transcript that was read. With it, each message
// is read and decoded once, however many steps a turn has. Only model.stream uses it, which is
// serial. Between two turns the connection keeps it.
type transcriptCache struct {
	messages  []protocol.Message
	counted   countedRequest
	forgotten int64             // number of forgettings in the store at the time of the read
	cut       bool              // whether earlier messages were left out to save room
	outputs   map[string]string // name of each result that was stored in full, by call
}

// transcriptCaches holds the caches of ended turns by conversation, for the next turns.
type transcriptCaches map[int64]transcriptCache

// maxTranscripts is how many conversations of a user run at once.
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

// catchUp reads the messages that were committed since the last time, and drops those before the
// window. The cache then equals a fresh read. Only messages that were read go into the cache,
// because only the store knows the result of a commit whose answer was lost.
func (p *transcriptCache) catchUp(ctx context.Context, store Transcript, conversation int64) error {
	newer, window, err := store.Since(ctx, conversation, p.newest())
	if err != nil {
		return err
	}
	// from now on, no request has forgotten messages
	if window.Forgotten != p.forgotten && len(p.messages) > 0 {
		*p = transcriptCache{}
		return p.catchUp(ctx, store, conversation)
	}
	p.cut, p.forgotten = window.Trimmed, window.Forgotten
	outside := func(m protocol.Message) bool { return m.ID < window.From }
	p.messages = append(slices.DeleteFunc(p.messages, outside), newer...)
	return nil
}

// newest returns the ID of the newest message, or 0.
func (p *transcriptCache) newest() int64 {
	if len(p.messages) == 0 {
		return 0
	}
	return p.messages[len(p.messages)-1].ID
}

// openCall returns the first call of the model's last message without a result, or "".
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
