package sqlite_test

import (
	"strings"
	"testing"

	"mews/protocol"
	"mews/supervisor"
)

func TestAttachments_SentTwice_AreStoredOnce(t *testing.T) {
	s := newStory(t)
	photo := supervisor.Attachment{File: "AgAC", Kind: "photo", MediaType: "image/jpeg"}
	voice := supervisor.Attachment{File: "AwAC", Kind: "voice", Name: "note.ogg", MediaType: "audio/ogg", Size: 900, Seconds: 3}
	batch := supervisor.InboundBatch{Source: "bot", Next: 2, Items: []supervisor.BatchItem{{Update: 1,
		Attachments: []supervisor.Attachment{photo, voice},
		Inbound:     supervisor.Inbound{Conversation: s.home, Key: "1", Kind: supervisor.KindText, Text: "look"}}}}
	for range 2 { // the files come twice but are stored once
		_, err := s.db.Inbox().StoreBatch(t.Context(), batch)
		s.must(err)
	}
	arriving, err := s.db.Inbox().ListArrivingInbounds(t.Context())
	s.must(err)
	in := arriving[0]
	s.same("arriving", len(arriving), 1)
	files := s.db.Attachments()
	list, err := files.ListFiles(t.Context(), in.ID)
	s.must(err)
	voice.Position = 1
	s.same("attachments", list, []supervisor.Attachment{photo, voice})
	photo.SHA256, photo.Size = strings.Repeat("ab", 32), 77
	s.must(files.PutBytes(t.Context(), in.ID, 0, protocol.BlobRef{SHA256: photo.SHA256, Size: photo.Size}))
	list, err = files.ListFiles(t.Context(), in.ID)
	s.must(err)
	s.same("fetched", list, []supervisor.Attachment{photo, voice})
	s.checkRefused(files.PutBytes(t.Context(), in.ID, 2, protocol.BlobRef{SHA256: photo.SHA256, Size: 1}), supervisor.CodeNotFound, "there is no attachment 2")
	size, owns, err := s.db.Blobs().IsOwner(t.Context(), "alice", photo.SHA256)
	s.must(err)
	s.same("whose the bytes are", []any{size, owns}, []any{int64(77), true})
	wanted, err := s.db.Blobs().ListNeeded(t.Context())
	s.must(err)
	s.same("what stays in the spool while it arrives", wanted, map[string]bool{photo.SHA256: true})
	s.must(files.PutFailure(t.Context(), in.ID, 1, "It is gone."))
	list, err = files.ListFiles(t.Context(), in.ID)
	s.must(err)
	s.same("why the other is not there", list[1].Failure, "It is gone.")
	list, err = files.ListFiles(t.Context(), in.ID+1)
	s.must(err)
	s.same("of another", list, []supervisor.Attachment(nil))
}
