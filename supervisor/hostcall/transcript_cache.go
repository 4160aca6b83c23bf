package hostcall

import (
	"context"
	"fmt"
	"slices"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/history"
)

// transcript is the transcript of a turn's conversation as far as it was read: each message is read and decoded once, however
// many steps a turn has. It belongs to model.stream, which runs alone; from turn to turn the connection has it.
type transcriptCache struct {
	messages []protocol.Message
	counted  countedRequest
}

// transcriptCaches are what ended turns have read, by conversation, for the turns that follow them.
type transcriptCaches map[int64]transcriptCache

// maxTranscripts is as many conversations as a person talks in at once.
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

// catchUp reads what was committed since the last time, and drops what the window has left behind. What is here then is
// what a reading from the start would give: nothing that was committed is taken from memory, for the store alone knows
// what became of a commit whose answer got lost.
func (p *transcriptCache) catchUp(ctx context.Context, store Transcript, conversation int64) error {
	newer, from, err := store.Since(ctx, conversation, p.newest())
	if err != nil {
		return err
	}
	outside := func(m protocol.Message) bool { return m.ID < from }
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

// openCall is a call of the model's last message that has no result, "" where each has one.
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
			return firstOpen(m.Calls(), answered)
		}
	}
	return ""
}

func firstOpen(calls []protocol.ToolCall, answered map[string]bool) string {
	for _, c := range calls {
		if !answered[c.ID] {
			return c.ID
		}
	}
	return ""
}

// prepare holds what the worker asks for against the transcript, and makes the request. All that can be refused is
// refused here: what comes after it is paid for. What the person has sent meanwhile is taken in last, for it moves the
// transcript on: a worker that was refused asks for the same once more.
func (d *Conn) prepare(ctx context.Context, t *turn, p *protocol.ModelStream) (req supervisor.ModelRequest, err error) {
	if err := t.transcript.catchUp(ctx, d.o.Transcript, t.Conversation); err != nil {
		return req, err
	}
	if most := t.Limits.Steps; most > 0 && t.Step >= most {
		return req, &supervisor.Error{Code: supervisor.CodeInvalid, Message: fmt.Sprintf(
			"This took %d steps, the most that one turn may take. Say “go on” and I continue.", t.Step)}
	}
	if last := t.transcript.newest(); p.After != last {
		return req, invalidParams("after: message %d, want %d", p.After, last)
	}
	if call := t.transcript.openCall(); call != "" {
		return req, invalidParams("call %s has no result yet", call)
	}
	if req.System, req.Tools, err = d.resolve(p); err != nil {
		return req, err
	}
	if err := (steering{d}).takeIn(ctx, t); err != nil {
		return req, err
	}
	req.Picture = pictures{d}.read
	req.Messages, err = d.window(ctx, t, d.o.History)
	return req, err
}

// window is the history that fits, with the pictures that are to be seen, and moves the conversation's window past what does not.
func (d *Conn) window(ctx context.Context, t *turn, budget int) ([]protocol.Message, error) {
	transcript := t.transcript.messages
	window := history.Select(transcript, t.First, budget)
	if len(transcript) > 0 && window.From > transcript[0].ID {
		if err := d.o.Transcript.Trim(ctx, t.Conversation, window.From); err != nil {
			return nil, err
		}
	}
	return history.FitPictures(window.Messages, pictures{d}.gone), nil
}

func invalidParams(format string, args ...any) error {
	return &protocol.Error{Code: protocol.CodeInvalidParams, Message: fmt.Sprintf(format, args...)}
}
