package hostcall

import (
	"context"
	"fmt"

	"mews/protocol"
	"mews/supervisor/history"
	"mews/supervisor/modelcall"
)

// trim moves the conversation's window past the messages that no later request will have, however
// large the model's own window is. It reports whether the window moved.
//
// After the move, trim drops the earlier messages from the cache, so that the request equals one
// from a fresh read. If they stayed, the request would be shortened to make room for them. Its
// beginning would then change with the next request, or after a kill.
//
// trim closes unused tools before the move. If the service is killed between the two, trim moves
// the window again.
func (t *turn) trim(ctx context.Context) (moved bool, err error) {
	cache := &t.transcript
	if len(cache.messages) == 0 || history.EstimateTokens(cache.messages) <= t.maxHistory() {
		return false, nil
	}
	from := history.ShortenToBudget(cache.messages, t.First, t.maxHistory(), cache.cut, t.outputName(ctx)).From
	if from <= cache.messages[0].ID {
		return false, nil
	}
	if err := t.closeUnused(ctx); err != nil {
		return false, err
	}
	if err := t.o.Transcript.MoveWindow(ctx, t.Conversation, from); err != nil {
		return false, err
	}
	return true, cache.catchUp(ctx, t.o.Transcript, t.Conversation)
}

// historyRoom returns how many tokens of the transcript a request may have. It is the limit of the
// history, or the rest of the model's window if that is known and smaller.
func (t *turn) historyRoom(ctx context.Context, req modelcall.Request) int {
	if t.o.Room == nil {
		return t.maxHistory()
	}
	prefix := prefixTokens(req)
	room := t.o.Room(ctx, t.Model, int64(prefix+history.EstimateTokens(t.transcript.messages)))
	if room == 0 {
		return t.maxHistory()
	}
	return min(int(room)-prefix, t.maxHistory())
}

// fitRequest returns a function that fills a request with messages, up to about the given number of
// tokens. The function never exceeds the limit of the history.
func (t *turn) fitRequest(ctx context.Context) func(modelcall.Request, int64) modelcall.Request {
	return func(req modelcall.Request, tokens int64) modelcall.Request {
		budget := min(int(tokens)-prefixTokens(req), t.maxHistory())
		w := history.ShortenToBudget(t.transcript.messages, t.First, budget, t.transcript.cut, t.outputName(ctx))
		req.Messages = history.FitPictures(w.Messages, t.pictureGone)
		req = t.splitShared(req)
		req.Tokens = int64(prefixTokens(req) + history.EstimateTokens(req.Messages))
		req.Measured = t.transcript.counted.measure(req)
		return req
	}
}

// prefixTokens estimates the tokens of a request before the messages.
func prefixTokens(req modelcall.Request) int {
	bytes := len(req.System)
	for _, tool := range req.Tools {
		bytes += toolBytes + len(tool.Name) + len(tool.Description) + len(tool.Schema)
	}
	return bytes / tokenBytes
}

// toolBytes is how many bytes an API adds to the definition of a tool.
const toolBytes = 64

// outputName returns a function that names a whole result for read_output. The function stores the
// result if necessary.
func (t *turn) outputName(ctx context.Context) history.ResultName {
	return func(r protocol.ToolResult) string {
		if r.Rest != nil {
			return r.Rest.SHA256
		}
		if name, kept := t.transcript.outputs[r.Call]; kept {
			return name
		}
		ref, err := t.keepOutput(ctx, r.Text)
		if err != nil {
			t.log().Warn("keep a result that is cut in a request", "call", r.Call, "error", err)
			return ""
		}
		if t.transcript.outputs == nil {
			t.transcript.outputs = map[string]string{}
		}
		t.transcript.outputs[r.Call] = ref.SHA256
		return ref.SHA256
	}
}

func (t *turn) keepOutput(ctx context.Context, text string) (ref protocol.BlobRef, err error) {
	room, err := t.blobs.room(ctx)
	if err != nil {
		return ref, err
	}
	if room < int64(len(text)) {
		return ref, t.blobs.full()
	}
	file, err := t.blobs.create()
	if err != nil {
		return ref, err
	}
	if _, err := file.Write([]byte(text)); err != nil {
		return ref, fmt.Errorf("%w; %w", err, file.Discard())
	}
	if ref, err = file.Commit(); err != nil {
		return ref, err
	}
	return ref, t.blobs.keep(ctx, ref)
}
