package sqlite

import (
	"context"
	"encoding/json"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

// arrivedPart is a part of an inbound, as the inbox stores it. The transcript stores only the
// protocol.Part.
type arrivedPart struct {
	protocol.ContentPart
	Path string `json:"path,omitempty"` // path of the file, relative to the home; only in the first part of a file
}

// arrivedParts returns the parts of a result with the paths of their files.
func (a ArrivalResult) arrivedParts() []arrivedPart {
	list := make([]arrivedPart, len(a.Parts))
	for i, part := range a.Parts {
		list[i] = arrivedPart{part, a.Paths[i]}
	}
	return list
}

// RepliedFiles are the files of a user's own message to which another message replies.
type RepliedFiles struct {
	Paths    []string               // paths of the files, relative to the home
	Pictures []protocol.ContentPart // the pictures of the files, for the model
	Origin   supervisor.Origin
	Seen     bool // the model sees the message and its pictures anyway
}

const findRepliedFiles = `SELECT i.parts, i.origin, c.thread = ?4 AND EXISTS (SELECT 1 FROM message m WHERE m.conversation = c.id
			AND m.role = 'user' AND m.id >= c.window_from AND m.turn = coalesce(i.turn,
				(SELECT t.id FROM turn t WHERE t.inbound = i.id)))
	FROM conversation c JOIN inbox i ON i.conversation = c.id AND i.message = ?5 AND i.message <> '' AND i.parts IS NOT NULL
	WHERE c.user = ?1 AND c.channel = ?2 AND c.chat = ?3 ORDER BY i.id DESC LIMIT 1`

// FindRepliedFiles finds the files of the message that c's user replies to. The argument message is
// the id of that message on the channel. The conversation needs no ID. ok is false if the user sent
// no such message with files, or if the message was forgotten.
func (s Inbox) FindRepliedFiles(
	ctx context.Context,
	c supervisor.Conversation,
	message string,
) (f RepliedFiles, ok bool, err error) {
	var parts string
	f, ok, err = engine.FirstRow(
		s.db.reader(ctx, "find the files of message %s of %s in chat %s", message, c.User, c.Chat),
		func(row *engine.Row) (f RepliedFiles) {
			row.Scan(&parts, &f.Origin, &f.Seen)
			return f
		},
		findRepliedFiles,
		c.User,
		c.Channel,
		c.Chat,
		c.Thread,
		message,
	)
	if !ok || err != nil {
		return f, false, err
	}
	var list []arrivedPart
	if err := json.Unmarshal([]byte(parts), &list); err != nil {
		return f, false, err
	}
	for _, part := range list {
		if part.Path != "" {
			f.Paths = append(f.Paths, part.Path)
		}
		if part.Image != nil {
			f.Pictures = append(f.Pictures, part.ContentPart)
		}
	}
	return f, len(f.Paths) > 0, nil
}
