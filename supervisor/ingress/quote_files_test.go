package ingress

import (
	"fmt"
	"strings"
	"testing"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/sqlite"
)

// repliedPhoto returns a Telegram message that replies to the sender's own photo.
func repliedPhoto(text string, message int, by int64) string {
	return fmt.Sprintf(
		`,"text":%q,"reply_to_message":{"message_id":%d,"from":{"id":%d,"first_name":"A"},"photo":[{"file_id":"p",`+
			`"file_unique_id":"y","width":1,"height":1}]}`,
		text,
		message,
		by,
	)
}

// TestQuote_ReplyToOwnFile_NamesItAndShowsIt: the quote says where the file is. If the model no
// longer sees the message, it gets the picture again. The reply then counts as words of others.
func TestQuote_ReplyToOwnFile_NamesItAndShowsIt(t *testing.T) {
	p := newFixture(t)
	p.take(0, p.incoming(101, 101, aPhoto))
	photo := p.accepted[0]
	image := &protocol.Image{
		BlobRef:   protocol.BlobRef{SHA256: strings.Repeat("a", 64), Size: 9},
		MediaType: "image/png",
		Width:     1,
		Height:    1,
	}
	_, err := p.db.Inbox().
		CompleteArrivals(t.Context(), []sqlite.ArrivalResult{{Inbound: photo.ID, Origin: supervisor.OriginWorld,
			Parts: []protocol.ContentPart{{Text: "[File]"}, {Image: image}},
			Paths: map[int]string{0: "uploads/d/photo.jpg"}}})
	must(t, err)
	var at int
	_, err = fmt.Sscan(photo.Message, &at)
	must(t, err)
	parts := func() string { return p.accepted[len(p.accepted)-1].Parts }
	check := func(what, got, want string, shown bool) {
		t.Helper()
		if got != want || strings.Contains(parts(), image.SHA256) != shown {
			t.Errorf("%s: %q with %q", what, got, parts())
		}
	}
	const named = "> [Saved as uploads/d/photo.jpg.]\n> [a photo]"
	d := p.answered("Nice.", 900)
	check("while the model sees it", p.quoted(101, 101, repliedPhoto("where?", at, 101)), "own "+named, false)
	must(t, p.db.Transcript().ClearWindow(t.Context(), d.Conversation.ID))
	check("after that", p.quoted(101, 101, repliedPhoto("where?", at, 101)), "world "+named, true)
	last := p.answered("There.", 901)
	list, err := p.db.Transcript().ListMessages(t.Context(), last.Conversation.ID)
	must(t, err)
	if seen := list[0].Parts; len(seen) != 2 || seen[1].Image == nil || seen[1].Image.SHA256 != image.SHA256 {
		t.Errorf("the model sees %+v", seen)
	}
	check("a command", p.quoted(101, 101, repliedPhoto("/status", at, 101)), "own", false)
	check("of another user", p.quoted(102, 102, repliedPhoto("where?", at, 102)), "own > [a photo]", false)
	check("another message", p.quoted(101, 101, repliedPhoto("where?", at+1000, 101)), "own > [a photo]", false)
}

// TestQuote_ReplyToSentFile_NamesItsPath: the quote says where a file is that the assistant sent.
func TestQuote_ReplyToSentFile_NamesItsPath(t *testing.T) {
	p := newFixture(t)
	p.take(0, p.incoming(101, 101, `,"text":"hi"`))
	d, err := p.db.Outbox().
		SendNotice(t.Context(), supervisor.Delivery{Conversation: p.answered("Hello.", 900).Conversation,
			Files: []supervisor.File{
				{
					SHA256:    strings.Repeat("b", 64),
					Size:      1,
					Name:      "plan.pdf",
					MediaType: "application/pdf",
					Path:      "notes/plan.pdf",
				},
			}})
	must(t, err)
	p.sent(d, "", 901)
	if got := p.quoted(101, 101, replied("and?", 901, "", "")); got != "own > You: [Saved as notes/plan.pdf.]" {
		t.Errorf("got %q", got)
	}
}
