package app

import (
	"context"
	"fmt"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/instructions"
	"mews/supervisor/memory"
	"mews/supervisor/undo"
)

// privateChat returns the private chat of a user.
func (s *service) privateChat(user string) supervisor.Conversation {
	u, _ := s.people.Find(user)
	u.Name = user
	return u.PrivateChat()
}

// instructions makes the feature for prompt files, such as AGENTS.md.
func (s *service) instructions() *instructions.PromptFiles {
	return instructions.New(instructions.Options{Store: s.db.PromptFiles(), Operations: s.operations,
		ShowDiff: s.newUndos().DiffDelivery, UndoButton: undo.RedoButton, Notes: memory.ListTurnNotes,
		PrivateChat: s.privateChat, Queued: s.deliveryQueued,
		Keep: func(ctx context.Context, user string, text []byte) (ref protocol.BlobRef, err error) {
			file, err := generatedFileStore{s.spool}.keep("a prompt file", "text/markdown", text)
			ref = protocol.BlobRef{SHA256: file.SHA256, Size: file.Size}
			if err == nil {
				err = s.db.Blobs().PutFileBackup(ctx, user, ref, 0)
			}
			if err != nil {
				err = fmt.Errorf("keep a prompt file of %s: %w", user, err)
			}
			return ref, err
		}})
}
