package sqlite

import (
	"context"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

// Attachments reads and updates the files that came with inbounds. The Inbox stores the files
// before that.
type Attachments struct{ db *DB }

// Attachments returns the store of the files that came with inbounds.
func (db *DB) Attachments() Attachments { return Attachments{db} }

const (
	insertAttachment = `INSERT INTO attachment (inbound, position, user, file, kind, name, media_type, size, seconds, content_id, sha256, failure)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, nullif(?, ''), ?)`
	listAttachments = `SELECT position, file, kind, name, media_type, size, seconds, content_id, coalesce(sha256, ''), failure FROM attachment
		WHERE inbound = ? ORDER BY position`
	fetchAttachment = `UPDATE attachment SET sha256 = ?, size = ? WHERE inbound = ? AND position = ? RETURNING user`
	failAttachment  = `UPDATE attachment SET failure = ? WHERE inbound = ? AND position = ?`
)

// ListFiles lists the files that came with an inbound, in order.
func (s Attachments) ListFiles(ctx context.Context, inbound int64) ([]supervisor.Attachment, error) {
	return engine.AllRows(s.db.reader(ctx, "list the attachments of inbound %d", inbound), scanAttachment,
		listAttachments, inbound)
}

// PutBytes records that a file's bytes are in the spool. The bytes belong to the inbound's user.
// PutBytes fails if the inbound has no file at that position.
func (s Attachments) PutBytes(ctx context.Context, inbound int64, position int, ref protocol.BlobRef) error {
	return s.db.write(ctx, func(t *tx) {
		user, there := one(t, engine.ScanString, fetchAttachment, ref.SHA256, ref.Size, inbound, position)
		if !there {
			t.fail(notFound("there is no attachment %d of inbound %d", position, inbound))
		}
		t.Exec(insertBlob, user, ref.SHA256, ref.Size, nil, t.Now)
	}, "store the bytes of attachment %d of inbound %d", position, inbound)
}

// PutFailure records why an inbound's file is not available, in a sentence for the user.
func (s Attachments) PutFailure(ctx context.Context, inbound int64, position int, why string) error {
	return s.db.write(ctx, func(t *tx) { t.Exec(failAttachment, why, inbound, position) },
		"store why attachment %d of inbound %d failed", position, inbound)
}

func (t *tx) putAttachments(in supervisor.Inbound, list []supervisor.Attachment) {
	for i, a := range list {
		t.Exec(insertAttachment, in.ID, in.FirstFile+i, in.Conversation.User, a.File, a.Kind, a.Name, a.MediaType, a.Size, a.Seconds, a.ContentID, a.SHA256, a.Failure)
	}
}

func scanAttachment(row *engine.Row) (a supervisor.Attachment) {
	row.Scan(&a.Position, &a.File, &a.Kind, &a.Name, &a.MediaType, &a.Size, &a.Seconds, &a.ContentID, &a.SHA256, &a.Failure)
	return a
}
