package sqlite_test

import (
	"testing"

	"mews/supervisor"
)

// richTexts returns texts without marks.
func richTexts(texts ...string) (list []supervisor.RichText) {
	for _, text := range texts {
		list = append(list, supervisor.RichText{Text: text})
	}
	return list
}

// postStory is a story (a test database) with methods for posts.
type postStory struct{ *story }

// listPosts lists the posts of a delivery or, with delivery 0, of a turn.
func (s postStory) listPosts(turn, delivery int64) []supervisor.Post {
	s.Helper()
	list, err := s.db.Posts().ListPosts(s.Context(), turn, delivery)
	s.must(err)
	return list
}

// startSending marks a post of alice as being sent.
func (s postStory) startSending(p supervisor.Post) supervisor.Post {
	s.Helper()
	p, err := s.db.Posts().MarkSending(s.Context(), s.home.ID, p)
	s.must(err)
	return p
}

// settle stores the result of a post.
func (s postStory) settle(p supervisor.Post, state supervisor.PostState, message string) supervisor.Post {
	s.Helper()
	p.State, p.Message = state, message
	s.must(s.db.Posts().StorePostResult(s.Context(), p))
	return p
}

func TestStartSending_Post_IsStoredFirst(t *testing.T) {
	s := postStory{newStory(t)}
	turn := s.startTurn("hello")
	content := supervisor.RichText{Text: "a <b> & \u2028 \"c\" \x00 é😀", Entities: []supervisor.RichTextEntity{
		{Type: supervisor.EntityLink, Offset: 2, Length: 3, URL: "https://example.org/?a=1&b=<2>"},
		{Type: supervisor.EntityPre, Offset: 6, Length: 1, Language: "go"}}}
	p := s.startSending(supervisor.Post{Turn: turn.ID, Part: 0, Content: content, Message: "not read",
		State: "not read"})
	want := supervisor.Post{ID: p.ID, Turn: turn.ID, State: supervisor.PostSending, Content: content}
	s.same("sending", p, want)
	s.same("kept", s.listPosts(turn.ID, 0), []supervisor.Post{want})

	sent := s.settle(p, supervisor.PostSent, "77")
	s.same("sent", s.listPosts(turn.ID, 0), []supervisor.Post{sent})
	sent.Content.Text = "edited"
	sent = s.settle(sent, supervisor.PostSent, "77")
	second := s.startSending(supervisor.Post{Turn: turn.ID, Part: 1, Content: richTexts("more")[0]})
	s.same("both", s.listPosts(turn.ID, 0), []supervisor.Post{sent, second})
	s.same("of no turn", s.listPosts(999, 0), []supervisor.Post(nil))
	s.same("whose", s.query("SELECT user FROM post"), "alice alice")
}

func TestStartSending_InvalidPost_Fails(t *testing.T) {
	s := postStory{newStory(t)}
	turn := s.startTurn("hello")
	s.startSending(supervisor.Post{Turn: turn.ID})
	for name, c := range map[string]struct {
		conversation int64
		post         supervisor.Post
		code         supervisor.ErrorCode
		words        string
	}{
		"existing part": {s.home.ID, supervisor.Post{Turn: turn.ID}, supervisor.CodeInvalid,
			"part 0 of turn"},
		"unknown conversation":      {999, supervisor.Post{Turn: turn.ID, Part: 1}, supervisor.CodeNotFound, "no conversation 999"},
		"unknown post":              {s.home.ID, supervisor.Post{ID: 999, Turn: turn.ID}, supervisor.CodeNotFound, "no post 999"},
		"without turn and delivery": {s.home.ID, supervisor.Post{}, supervisor.CodeInternal, "CHECK"},
		"unknown turn":              {s.home.ID, supervisor.Post{Turn: 999}, supervisor.CodeInternal, "FOREIGN KEY"},
		"negative part":             {s.home.ID, supervisor.Post{Turn: turn.ID, Part: -1}, supervisor.CodeInternal, "CHECK"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := s.db.Posts().MarkSending(t.Context(), c.conversation, c.post)
			s.checkRefused(err, c.code, c.words)
			s.same("posts", s.query("SELECT count(*) FROM post"), "1")
		})
	}
	s.checkRefused(s.db.Posts().StorePostResult(t.Context(), supervisor.Post{ID: 999}), supervisor.CodeNotFound,
		"no post 999")
}

func TestStartSending_InterruptedPost_IsRepeated(t *testing.T) {
	s := postStory{newStory(t)}
	turn := s.startTurn("hello")
	p := s.startSending(supervisor.Post{Turn: turn.ID})
	again := func(p supervisor.Post) error {
		_, err := s.db.Posts().MarkSending(t.Context(), s.home.ID, p)
		return err
	}
	s.checkRefused(again(p), supervisor.CodeInvalid, "is sending (repeat false) and cannot become sending (repeat false")
	p.Repeat = true
	p = s.startSending(p)
	s.checkRefused(again(p), supervisor.CodeInvalid, "is sending (repeat true) and cannot become sending (repeat true")

	// The channel has not taken the repeat. So the post may be sent again, and stays a repeat.
	p = s.settle(p, supervisor.PostQueued, "")
	unmarked := p
	unmarked.Repeat = false
	s.checkRefused(again(unmarked), supervisor.CodeInvalid, "is queued (repeat true) and cannot become sending (repeat false")
	s.checkRefused(s.db.Posts().StorePostResult(t.Context(), unmarked), supervisor.CodeInvalid, "cannot become")
	p = s.settle(s.startSending(p), supervisor.PostUnknown, "")
	s.checkRefused(again(p), supervisor.CodeInvalid, "is unknown")
}

func TestPost_MessageGone_IsSentAgain(t *testing.T) {
	s := postStory{newStory(t)}
	turn := s.startTurn("hello")
	p := s.settle(s.startSending(supervisor.Post{Turn: turn.ID}), supervisor.PostSent, "7")
	p = s.settle(p, supervisor.PostQueued, "")
	p = s.settle(s.startSending(p), supervisor.PostSent, "8")
	s.same("posts", s.listPosts(turn.ID, 0), []supervisor.Post{p})
	p.State, p.Message = supervisor.PostSent, ""
	s.checkRefused(s.db.Posts().StorePostResult(t.Context(), p), supervisor.CodeInvalid, "cannot become sent")
}
