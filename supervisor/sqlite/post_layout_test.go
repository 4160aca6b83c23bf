package sqlite_test

import (
	"slices"
	"testing"

	"mews/supervisor"
)

// open creates the posts of a delivery from texts.
func (s postStory) open(d supervisor.Delivery, texts ...string) []supervisor.Post {
	s.Helper()
	list, err := s.db.Posts().CreatePosts(s.Context(), d.ID, richTexts(texts...))
	s.must(err)
	s.same("as listed", list, s.listPosts(0, d.ID))
	return list
}

func (s postStory) replace(d supervisor.Delivery, from int, texts ...string) []supervisor.Post {
	s.Helper()
	list, err := s.db.Posts().ReplaceContents(s.Context(), d.ID, from, richTexts(texts...))
	s.must(err)
	s.same("as listed", list, s.listPosts(0, d.ID))
	return list
}

// summarize returns posts as "state text", by part.
func summarize(posts []supervisor.Post) (list []string) {
	for _, p := range posts {
		list = append(list, string(p.State)+" "+p.Content.Text)
	}
	return list
}

func TestCreatePosts_Answer_ReusesPostsOfTurn(t *testing.T) {
	s := postStory{newStory(t)}
	turn := s.startTurn("hello")
	live := []supervisor.Post{
		s.settle(s.startSending(supervisor.Post{Turn: turn.ID, Part: 0, Content: richTexts("Hel")[0]}),
			supervisor.PostSent, "7"),
		s.startSending(supervisor.Post{Turn: turn.ID, Part: 1, Content: richTexts("lo")[0]}),
	}
	d := s.finish(turn, "Hello there, Alice")
	s.same("before it is opened", s.listPosts(0, d.ID), live)
	posts := s.open(d, "Hello", "there,", "Alice")
	s.same("posts", summarize(posts), []string{"sent Hello", "sending there,", "queued Alice"})
	s.same("the first", posts[0], supervisor.Post{ID: live[0].ID, Turn: turn.ID, Delivery: d.ID, State: supervisor.PostSent,
		Message: "7", Content: richTexts("Hello")[0]})
	s.same("the second", []any{posts[1].ID, posts[1].Delivery}, []any{live[1].ID, d.ID})
	s.same("the third", posts[2], supervisor.Post{ID: posts[2].ID, Turn: turn.ID, Delivery: d.ID, Part: 2,
		State: supervisor.PostQueued, Content: richTexts("Alice")[0]})
	s.same("again", s.open(d, "rendered", "otherwise"), posts)
	s.same("by its turn", s.listPosts(turn.ID, 0), posts)
}

func TestCreatePosts_ShorterAnswer_DropsPosts(t *testing.T) {
	s := postStory{newStory(t)}
	turn := s.startTurn("hello")
	states := []supervisor.PostState{supervisor.PostFailed, supervisor.PostSent, supervisor.PostSending,
		supervisor.PostUnknown, supervisor.PostFailed, supervisor.PostQueued, supervisor.PostSent}
	for i, state := range states {
		p := s.startSending(supervisor.Post{Turn: turn.ID, Part: i, Content: richTexts("growing")[0]})
		if state != supervisor.PostSending {
			s.settle(p, state, "m")
		}
	}
	d := s.finish(turn, "short")
	posts := s.open(d, "short") // the channel refused the first post with its earlier, longer text
	s.same("posts", summarize(posts), []string{"queued short", "surplus growing", "surplus growing"})
	s.same("parts", []int{posts[1].Part, posts[2].Part}, []int{1, 6})
	s.same("kept", s.query("SELECT state FROM post ORDER BY part"),
		"queued surplus deleted deleted deleted deleted surplus")
	s.settle(posts[2], supervisor.PostDeleted, "m")
	s.same("posts", summarize(s.listPosts(0, d.ID)), []string{"queued short", "surplus growing"})
}

func TestCreatePosts_NoticeWithoutTurn_QueuesPosts(t *testing.T) {
	s := postStory{newStory(t)}
	d := s.notice(s.home, "one two")
	posts := s.open(d, "one", "two")
	s.same("posts", summarize(posts), []string{"queued one", "queued two"})
	s.same("of a turn", posts[0].Turn, int64(0))
	_, err := s.db.Posts().CreatePosts(t.Context(), 999, nil)
	s.checkRefused(err, supervisor.CodeNotFound, "no delivery 999")
	s.same("nothing to show", len(s.open(s.notice(s.home, ""))), 0)
}

func TestReplaceContents_TooLongPart_IsSplit(t *testing.T) {
	s := postStory{newStory(t)}
	d := s.notice(s.home, "text")
	_, err := s.db.Posts().ReplaceContents(t.Context(), d.ID, 0, richTexts("too early"))
	s.checkRefused(err, supervisor.CodeInvalid, "it was not said yet")
	posts := s.open(d, "one", "two three", "four")
	s.settle(s.startSending(posts[0]), supervisor.PostSent, "7")
	s.startSending(posts[1]) // the channel then finds the second part too long

	for range 2 { // in the second round the call changes nothing
		got := s.replace(d, 1, "two", "three", "four")
		s.same("posts", summarize(got), []string{"sent one", "queued two", "queued three", "queued four"})
		s.same("those that were there", []int64{got[1].ID, got[2].ID}, []int64{posts[1].ID, posts[2].ID})
	}
	_, err = s.db.Posts().ReplaceContents(t.Context(), 999, 0, nil)
	s.checkRefused(err, supervisor.CodeNotFound, "no delivery 999")
}

func TestReplaceContents_SurplusPost_IsReused(t *testing.T) {
	s := postStory{newStory(t)}
	turn := s.startTurn("hello")
	for i := range 4 {
		s.settle(s.startSending(supervisor.Post{Turn: turn.ID, Part: i}), supervisor.PostSent, "m")
	}
	d := s.finish(turn, "text")
	posts := s.open(d, "long")
	s.same("posts", summarize(posts[:1]), []string{"sent long"})
	s.settle(posts[1], supervisor.PostDeleted, "m")
	got := s.replace(d, 0, "a", "b", "c")
	s.same("posts", summarize(got), []string{"sent a", "queued b", "sent c", "surplus "})
	s.same("one that is still there", got[2].ID, posts[2].ID)
	if slices.ContainsFunc(posts, func(p supervisor.Post) bool { return p.ID == got[1].ID }) {
		t.Error("a message that was deleted is shown again")
	}
}
