package sqlite

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

// legalTransitions lists all allowed transitions of a post as "from>to", independently of the
// program's table.
var legalTransitions = strings.Fields(`>queued >sending queued>queued queued>sending queued>failed queued>deleted
	sending>sending sending>sent sending>queued sending>unknown sending>failed sending>deleted
	sent>sent sent>surplus sent>queued surplus>surplus surplus>deleted surplus>sent
	unknown>unknown unknown>queued unknown>deleted failed>failed failed>queued failed>deleted deleted>deleted`)

var postStates = []supervisor.PostState{"queued", "sending", "sent", "unknown", "failed", "surplus", "deleted"}

// postModel runs random operations on the posts of a turn and its answer.
type postModel struct {
	*rapid.T
	ctx      context.Context
	db       *DB
	home     supervisor.Conversation
	turn     int64
	delivery int64
	rows     map[int64]supervisor.Post // all posts after the last step, including deleted posts
	shown    []string                  // texts of the answer by part, after its posts are created
}

const allPosts = selectPost + `WHERE p.turn = ? ORDER BY p.id`

// checkStep compares the posts with their states before the step. Each change must be legal. A
// refused step must change nothing.
func (c *postModel) checkStep(what string, refused bool) {
	list, err := engine.AllRows(c.db.reader(c.ctx, "look"), scanPost, allPosts, c.turn)
	if err != nil {
		c.Fatal(err)
	}
	now := map[int64]supervisor.Post{}
	for _, p := range list {
		now[p.ID] = p
		c.checkOneStep(what, c.rows[p.ID], p)
	}
	if d := cmp.Diff(c.rows, now); refused && d != "" {
		c.Fatalf("%s was refused and has changed something: %s", what, d)
	}
	c.rows = now
	c.checkOnePostPerPart()
	c.checkShown(what)
}

func (c *postModel) checkOneStep(what string, from, to supervisor.Post) {
	switch way := string(from.State + ">" + to.State); {
	case !slices.Contains(legalTransitions, way):
		c.Fatalf("%s: post %d went %s", what, to.ID, way)
	case way == "sending>sending" && strings.HasPrefix(what, "send") && from.Repeat:
		if d := cmp.Diff(from, to); d != "" {
			c.Fatalf("%s: post %d is repeated twice: %s", what, to.ID, d)
		}
	case from.Repeat && !to.Repeat && from.State != supervisor.PostSent:
		c.Fatalf("%s: post %d does not say any more that it may be a repeat (%s)", what, to.ID, way)
	case to.State == supervisor.PostSent && to.Message == "":
		c.Fatalf("%s: post %d stands in the chat and nobody knows where", what, to.ID)
	case from.Delivery != 0 && from.Delivery != to.Delivery || from.ID != 0 && from.Part != to.Part:
		c.Fatalf("%s: post %d is another's", what, to.ID)
	}
}

func (c *postModel) checkOnePostPerPart() {
	seen := map[int]bool{}
	for _, p := range c.rows {
		if p.State != supervisor.PostDeleted && seen[p.Part] {
			c.Fatalf("part %d has two posts", p.Part)
		}
		seen[p.Part] = seen[p.Part] || p.State != supervisor.PostDeleted
	}
}

// checkShown checks that an answer has exactly one post for each of its parts.
func (c *postModel) checkShown(what string) {
	if c.shown == nil {
		return
	}
	needed := map[int]string{}
	for _, p := range c.rows {
		if p.Delivery != 0 && p.State != supervisor.PostDeleted && p.State != supervisor.PostSurplus {
			needed[p.Part] = p.Content.Text
		}
	}
	want := maps.Collect(slices.All(c.shown))
	if d := cmp.Diff(want, needed); d != "" {
		c.Fatalf("%s: it shows other than was said (-want +got): %s", what, d)
	}
}

// drawPost draws a random post, or a post that does not exist.
func (c *postModel) drawPost() supervisor.Post {
	ids := slices.Sorted(maps.Keys(c.rows))
	if i := rapid.IntRange(-1, len(ids)-1).Draw(c.T, "post"); i >= 0 {
		return c.rows[ids[i]]
	}
	return supervisor.Post{Turn: c.turn, Part: rapid.IntRange(0, 4).Draw(c.T, "part")}
}

func (c *postModel) texts(label string) (texts []string, contents []supervisor.RichText) {
	for i := range rapid.IntRange(1, 4).Draw(c.T, label) {
		texts = append(texts, fmt.Sprintf("%s %d.%d", label, len(c.rows), i))
		contents = append(contents, supervisor.RichText{Text: texts[i]})
	}
	return texts, contents
}

func (c *postModel) send(*rapid.T) {
	p := c.drawPost()
	p.Repeat = rapid.Bool().Draw(c.T, "repeat")
	if p.ID == 0 && c.shown != nil {
		c.Skip("a growing reply has no part beyond its answer's")
	}
	_, err := c.db.Posts().MarkSending(c.ctx, c.home.ID, p)
	c.checkStep("send", err != nil)
}

// settle stores a random state of a post. It does not make a post surplus or needed: only
// CreatePosts and ReplaceContents do.
func (c *postModel) settle(*rapid.T) {
	p := c.drawPost()
	unneeded := func(s supervisor.PostState) bool {
		return s == supervisor.PostSurplus || s == supervisor.PostDeleted
	}
	from := p.State
	p.State = rapid.SampledFrom(postStates).Draw(c.T, "state")
	if c.shown != nil && unneeded(from) != unneeded(p.State) {
		c.Skip("it is needed, or not")
	}
	p.Repeat = rapid.Bool().Draw(c.T, "repeat")
	p.Message = rapid.SampledFrom([]string{"", "7"}).Draw(c.T, "message")
	err := c.db.Posts().StorePostResult(c.ctx, p)
	c.checkStep("settle", err != nil)
}

func (c *postModel) open(*rapid.T) {
	texts, contents := c.texts("open")
	_, err := c.db.Posts().CreatePosts(c.ctx, c.delivery, contents)
	if c.shown == nil && err == nil {
		c.shown = texts
	}
	c.checkStep("open", err != nil)
}

func (c *postModel) replace(*rapid.T) {
	texts, contents := c.texts("replace")
	from := rapid.IntRange(0, len(c.shown)).Draw(c.T, "from")
	_, err := c.db.Posts().ReplaceContents(c.ctx, c.delivery, from, contents)
	if err == nil {
		c.shown = append(slices.Clone(c.shown[:from]), texts...)
	}
	c.checkStep("replace", err != nil)
}

// resend marks the answer as failed and sends it again.
func (c *postModel) resend(*rapid.T) {
	if err := c.db.Outbox().StoreOutcome(c.ctx, supervisor.DeliveryOutcome{Delivery: c.delivery,
		Outcome: supervisor.OutcomeUnknown}); err != nil {
		c.Fatal(err)
	}
	n, err := c.db.Outbox().ResendUndelivered(c.ctx, c.home.ID, 1)
	if err != nil || n != 1 {
		c.Fatal(n, err)
	}
	c.checkStep("resend", false)
	for _, p := range c.rows {
		if p.Delivery != 0 && (p.State == supervisor.PostUnknown || p.State == supervisor.PostFailed) {
			c.Fatalf("post %d is left behind", p.ID)
		}
	}
}

// begin starts a turn with a text that no post shows yet.
func (c *postModel) begin(person string) {
	in, _, err := c.db.Inbox().StoreInbound(c.ctx, supervisor.Inbound{Source: "test", Key: "k",
		Kind:         supervisor.KindText,
		Conversation: supervisor.Conversation{User: person, Channel: supervisor.ChannelTelegram, Chat: "42"}})
	if err != nil {
		c.Fatal(err)
	}
	turn, _, err := c.db.Turns().Start(c.ctx, in.ID, nil)
	if err != nil {
		c.Fatal(err)
	}
	d, err := c.db.Turns().Finish(c.ctx, TurnEnding{Turn: turn.ID, Why: protocol.TurnEndDone,
		State: supervisor.InboundAnswered})
	if err != nil {
		c.Fatal(err)
	}
	c.home, c.turn, c.delivery = in.Conversation, turn.ID, d.ID
}

func TestPosts_RandomSteps_MatchModel(t *testing.T) {
	r := newRig(t)
	defer r.run()()
	people := 0
	rapid.Check(t, func(rt *rapid.T) {
		people++
		c := &postModel{T: rt, ctx: t.Context(), db: r.db, rows: map[int64]supervisor.Post{}}
		c.begin(fmt.Sprint("person", people))
		rt.Repeat(map[string]func(*rapid.T){"send": c.send, "settle": c.settle, "open": c.open, "replace": c.replace,
			"resend": c.resend})
	})
}
