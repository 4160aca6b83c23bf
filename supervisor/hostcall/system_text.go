package hostcall

import (
	"context"

	"mews/protocol"
	"mews/supervisor/sqlite"
)

// readSystemText reads the system text that is kept for the conversation. Where that must not be
// used any more, the worker has to put another one together: it is asked for one, and one that it
// had before it was asked is not taken.
func (t *turn) readSystemText(ctx context.Context, ref protocol.SystemRef) (was sqlite.SystemText, err error) {
	if was, err = t.o.Systems.Find(ctx, t.Conversation); err != nil {
		return was, err
	}
	if was.Stale > t.askedStale || was.Stale > 0 && ref.Text == "" {
		// some of that may have been forgotten
		t.askedStale, t.transcript = was.Stale, transcriptCache{}
		return was, unknownHash("system text")
	}
	return was, nil
}

// keepSystemText is the system text of the next request: the one that was kept, unless another one
// costs nothing more. That is kept before it is used.
func (t *turn) keepSystemText(ctx context.Context, was sqlite.SystemText, composed string, trimmed bool) (string, error) {
	moved := was.Moved || trimmed
	switch {
	case was.Text != "" && was.Stale == 0 && !moved && t.o.Now().Sub(was.Used) < t.o.Cache:
		return was.Text, nil
	case was.Text == composed && was.Stale == 0 && !moved:
		return composed, nil
	}
	t.askedStale = 0
	return composed, t.o.Systems.Put(ctx, t.Conversation, composed, was.Stale)
}
