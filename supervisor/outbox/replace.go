package outbox

import (
	"context"
	"fmt"

	"mews/supervisor"
)

// sendAnew is for a message whose place in the chat is empty. What is to be sent anew of a growing
// reply waits for its end.
func (q *chatQueue) sendAnew(ctx context.Context, f failure) error {
	if err := q.ensureStored(ctx, f.set); err != nil {
		return err
	}
	return q.shift(f.set, f.i)
}

// shift gives a post that stands nowhere the place of the next one in the chat, that one the place
// of the one after it, and so on; the last is sent anew. So they stand in order, and none stands
// there twice. Where it is cut, two posts have one place: repairPosts goes on from there.
func (q *chatQueue) shift(set *postSet, i int) error {
	for next := set.nextStanding(i + 1); next >= 0; next = set.nextStanding(i + 1) {
		p := set.posts[i]
		p.Message = set.posts[next].Message
		shown, known := q.inChat[set.posts[next].ID]
		delete(q.inChat, p.ID)
		if err := q.settle(set, i, p); err != nil {
			return err
		}
		if known {
			q.inChat[p.ID] = shown
		}
		i = next
	}
	return q.unplace(set, i)
}

// ensureStored makes sure that what a delivery shows is on disk. A growing reply shows no more.
func (q *chatQueue) ensureStored(ctx context.Context, set *postSet) error {
	switch {
	case set.growing():
		set.muted = true
		return nil
	case set.stored || set.posts[0].Delivery != 0:
		return nil
	}
	return q.storeContents(ctx, set, set.contents(0))
}

// storeContents puts on disk what a delivery is to show.
func (q *chatQueue) storeContents(ctx context.Context, set *postSet, contents []supervisor.RichText) error {
	posts, err := q.Posts.Open(ctx, set.delivery.ID, contents)
	if err == nil {
		set.posts, set.stored = posts, true
	}
	return err
}

// splitPart cuts a part in two. What stands in the chat from that part on is deleted first, so that
// the order stays.
func (q *chatQueue) splitPart(ctx context.Context, f failure) error {
	p := f.post()
	halves := q.splitInHalves(p.Content)
	if p.Content.File != nil || f.set.growing() || p.Repeat || len(halves) < 2 {
		return q.refused(ctx, f)
	}
	if err := q.prepareReplace(ctx, f); err != nil || f.set.markUnfit(f.i) {
		return err
	}
	return q.replacePart(ctx, f, p.Part, halves)
}

// replaceFile has a text take the place of a file that the channel refuses. What follows stays as
// it is.
func (q *chatQueue) replaceFile(ctx context.Context, f failure) error {
	p := f.post()
	if err := q.prepareReplace(ctx, f); err != nil {
		return err
	}
	q.Log.Warn("the channel refuses a file", "channel", q.Name, "chat", q.chat, "error", f.err)
	name, why := clip(p.Content.File.Name, maxQuoted), clip(f.err.Error(), maxQuoted)
	parts := q.fit(supervisor.RichText{Text: fmt.Sprintf(textFileLost, name, why)})
	parts[len(parts)-1].Buttons = p.Content.Buttons
	return q.replacePart(ctx, f, p.Part, parts)
}

// noVoice is for a recording to who takes no voice messages.
func (q *chatQueue) noVoice(ctx context.Context, f failure) error {
	if !f.set.delivery.Spoken {
		return q.sendAsDocument(ctx, f)
	}
	err := q.persist("keep that a chat takes no voice messages", func(ctx context.Context) error {
		return q.NoVoice(ctx, f.set.conversation)
	})
	if err != nil {
		return err
	}
	return q.giveUp(f, f.err.Error())
}

// sendAsDocument sends a recording as a document to who takes no voice messages.
func (q *chatQueue) sendAsDocument(ctx context.Context, f failure) error {
	if err := q.prepareReplace(ctx, f); err != nil {
		return err
	}
	p := f.post()
	file := *p.Content.File
	file.MediaType = supervisor.MediaTypeUnknown
	p.Content.File = &file
	return q.replacePart(ctx, f, p.Part, []supervisor.RichText{p.Content})
}

// breakUpAlbum has an album that the channel refuses be sent as so many messages.
func (q *chatQueue) breakUpAlbum(ctx context.Context, f failure) error {
	if err := q.prepareReplace(ctx, f); err != nil {
		return err
	}
	p := f.post()
	q.Log.Warn("the channel refuses an album", "channel", q.Name, "chat", q.chat, "error", f.err)
	return q.replacePart(ctx, f, p.Part, shown(append([]supervisor.File{*p.Content.File}, p.Content.Album...)))
}

// prepareReplace puts on disk what there is to replace.
func (q *chatQueue) prepareReplace(ctx context.Context, f failure) error {
	if err := q.keepUnsent(f); err != nil {
		return err
	}
	return q.ensureStored(ctx, f.set)
}

// replacePart puts other parts in the place of the one that the channel did not take. Those behind
// it are kept.
func (q *chatQueue) replacePart(ctx context.Context, f failure, part int, others []supervisor.RichText) error {
	posts, err := q.Posts.Replace(ctx, f.set.delivery.ID, part, append(others, f.set.contents(f.i+1)...))
	if err == nil {
		f.set.posts = posts
	}
	return err
}
