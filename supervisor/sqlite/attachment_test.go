package sqlite_test

import (
	"strings"
	"testing"

	"mews/supervisor"
)

func TestFilesComeWithAnInbound(t *testing.T) {
	s := newStory(t)
	photo := supervisor.Attachment{File: "AgAC", Kind: "photo", MediaType: "image/jpeg"}
	voice := supervisor.Attachment{File: "AwAC", Kind: "voice", Name: "note.ogg", MediaType: "audio/ogg", Size: 900, Seconds: 3}
	batch := supervisor.Batch{Source: "bot", Next: 2, Items: []supervisor.Item{{Update: 1, Attachments: []supervisor.Attachment{photo, voice},
		Inbound: supervisor.Inbound{Conversation: s.home, Key: "1", Kind: supervisor.KindText, Text: "look"}}}}
	for range 2 { // sent again, they are kept once
		_, err := s.db.Inbox().PutBatch(t.Context(), batch)
		s.must(err)
	}
	in, _, err := s.db.Inbox().Next(t.Context(), s.home.ID)
	s.must(err)
	files := s.db.Attachments()
	list, err := files.List(t.Context(), in.ID)
	s.must(err)
	s.same("attachments", list, []supervisor.Attachment{photo, voice})
	photo.SHA256, photo.Size = strings.Repeat("ab", 32), 77
	s.must(files.PutBytes(t.Context(), in.ID, 0, photo.SHA256, photo.Size))
	list, err = files.List(t.Context(), in.ID)
	s.must(err)
	s.same("fetched", list, []supervisor.Attachment{photo, voice})
	s.refused(files.PutBytes(t.Context(), in.ID, 2, photo.SHA256, 1), supervisor.CodeNotFound, "there is no attachment 2")
	list, err = files.List(t.Context(), in.ID+1)
	s.must(err)
	s.same("of another", list, []supervisor.Attachment(nil))
}
