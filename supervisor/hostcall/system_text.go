package hostcall

import (
	"context"

	"mews/protocol"
	"mews/supervisor/sqlite"
)

// reportPromptFiles stores the report that comes with a model call; nil means none. It refuses the
// worker's system text if another text of a prompt file is in force.
func (t *turn) reportPromptFiles(ctx context.Context, r *protocol.PromptFileReport) error {
	if r == nil {
		return nil
	}
	inForce, err := t.o.ReportPromptFiles(ctx, t.forFeature(), r)
	if err == nil && !inForce {
		err = unknownHash("system text")
	}
	return err
}

// readSystemText reads the conversation's stored system text. If the stored text is stale, it asks
// the worker to compose a new one, and refuses texts that were composed before that.
func (t *turn) readSystemText(ctx context.Context, ref protocol.SystemTextRef) (was sqlite.SystemText, err error) {
	if was, err = t.o.Systems.Find(ctx, t.Conversation); err != nil {
		return was, err
	}
	if was.Stale > t.askedStale || was.Stale > 0 && ref.Text == "" {
		// a message may have been forgotten, so read the transcript again
		t.askedStale, t.transcript = was.Stale, transcriptCache{}
		return was, unknownHash("system text")
	}
	return was, nil
}

// keepSystemText returns the system text of the next request. It keeps the stored text, unless a
// new text costs nothing extra. A new text is stored before its use. If the answer goes to a group,
// the stored text is not used, since it may have the memory of a private chat. An honest worker
// leaves the memory out then. A taken-over worker has only its own user's files.
func (t *turn) keepSystemText(ctx context.Context, was sqlite.SystemText, composed string, trimmed bool) (string, error) {
	group, err := t.isInGroup(ctx)
	if err != nil {
		return "", err
	}
	moved := was.Moved || trimmed || group && was.Text != composed
	switch {
	case was.Text != "" && was.Stale == 0 && !moved && t.o.Now().Sub(was.Used) < t.o.Cache:
		return was.Text, nil
	case was.Text == composed && was.Stale == 0 && !moved:
		return composed, nil
	}
	t.askedStale = 0
	return composed, t.o.Systems.Put(ctx, t.Conversation, composed, was.Stale)
}
