package hostcall

import (
	"context"
	"slices"

	"mews/protocol"
)

// transcriptCache is the part of a conversation's transcript that was already read. So each message
// is read and decoded only once, however many steps a turn has. Only model.stream uses the cache,
// one call at a time. Between two turns the connection keeps it.
type transcriptCache struct {
	messages  []protocol.Message
	counted   countedRequest
	forgotten int64             // how often the store had forgotten messages when the cache was read
	foreign   int64             // ID of the oldest message whose words of others are shown; lines replace older words
	cut       bool              // whether earlier messages were left out to save room
	outputs   map[string]string // names of results that were stored in full, by call
}

// transcriptCaches keeps the caches of ended turns for the next turns. The key is the conversation.
type transcriptCaches map[int64]transcriptCache

// maxTranscripts is how many conversations of a user may run at once.
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

// catchUp reads the messages committed since the last read, and drops the messages before the
// window. The cache then equals a fresh read. Messages enter the cache only by reading: if the
// answer to a commit is lost, only the store knows the result.
func (p *transcriptCache) catchUp(ctx context.Context, store Transcript, conversation int64) error {
	newer, window, err := store.ListSince(ctx, conversation, p.newest())
	if err != nil {
		return err
	}
	// forgotten messages, and words of others of an earlier day, must not appear in any later
	// request
	if (window.Forgotten != p.forgotten || window.ForeignFrom != p.foreign) && len(p.messages) > 0 {
		*p = transcriptCache{}
		return p.catchUp(ctx, store, conversation)
	}
	p.cut, p.forgotten, p.foreign = window.Trimmed, window.Forgotten, window.ForeignFrom
	outside := func(m protocol.Message) bool { return m.ID < window.From }
	p.messages = append(slices.DeleteFunc(p.messages, outside), newer...)
	return nil
}

// newest returns the ID of the newest message; 0 means no message.
func (p *transcriptCache) newest() int64 {
	if len(p.messages) == 0 {
		return 0
	}
	return p.messages[len(p.messages)-1].ID
}

// openCall returns the first call without a result in the model's last message, or "".
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
			for _, c := range m.ToolCalls() {
				if !answered[c.ID] {
					return c.ID
				}
			}
			return ""
		}
	}
	return ""
}
