package outbox

import (
	"context"
	"fmt"

	"mews/supervisor"
)

// sendAnew handles an edit of a missing message: it sends the message again. A growing reply sends
// the message only at its end.
func (q *chatQueue) sendAnew(ctx context.Context, f failure) error {
	if err := q.ensureStored(ctx, f.set); err != nil {
		return err
	}
	return q.shift(f.set, f.i)
}

// shift repairs a post whose message is missing. The post takes the message of the next post, the
// next post takes that of the post after it, and so on. The last post is sent again. So the posts
// stay in order, and none is duplicated. If shift is interrupted, two posts have the same message,
// and repairPosts continues.
func (q *chatQueue) shift(set *postSet, i int) error {
	for next := set.nextSent(i + 1); next >= 0; next = set.nextSent(i + 1) {
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
	return q.requeue(set, i)
}

// ensureStored stores the contents of a delivery. A growing reply stops growing instead.
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

// storeContents stores the contents of a delivery's posts.
func (q *chatQueue) storeContents(ctx context.Context, set *postSet, contents []supervisor.RichText) error {
	posts, err := q.Posts.CreatePosts(ctx, set.delivery.ID, contents)
	if err == nil {
		set.posts, set.stored = posts, true
	}
	return err
}

// splitPart cuts a part in two. To keep the order, it first deletes the messages from that part on.
func (q *chatQueue) splitPart(ctx context.Context, f failure) error {
	p := f.post()
	halves := q.splitInHalves(p.Content)
	if p.Content.File != nil || f.set.growing() || p.Repeat || len(halves) < 2 {
		return q.handleRefusal(ctx, f)
	}
	if err := q.prepareReplace(ctx, f); err != nil || f.set.markUnfit(f.i) {
		return err
	}
	return q.replacePart(ctx, f, p.Part, halves)
}

// replaceFile replaces a refused file by a text. The posts after it stay as they are.
func (q *chatQueue) replaceFile(ctx context.Context, f failure) error {
	p := f.post()
	if err := q.prepareReplace(ctx, f); err != nil {
		return err
	}
	q.Log.Warn("the channel refuses a file", "channel", q.Name, "chat", q.chat, "error", f.err)
	name, why := clip(p.Content.File.Name, maxQuoted), clip(f.err.Error(), maxQuoted)
	parts := q.fit(supervisor.RichText{Text: fmt.Sprintf(textFileLost, name, why)})
	parts[len(parts)-1].Buttons = p.Content.Buttons
	parts[0].Refused = &supervisor.RefusedFile{SHA256: p.Content.File.SHA256, Why: why}
	return q.replacePart(ctx, f, p.Part, parts)
}

// noVoice handles a recording that the chat refuses.
func (q *chatQueue) noVoice(ctx context.Context, f failure) error {
	if !f.set.delivery.IsRecording {
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

// sendAsDocument sends a recording as a document, because the chat refuses voice messages.
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

// breakUpAlbum sends the files of a refused album as separate messages.
func (q *chatQueue) breakUpAlbum(ctx context.Context, f failure) error {
	if err := q.prepareReplace(ctx, f); err != nil {
		return err
	}
	p := f.post()
	q.Log.Warn("the channel refuses an album", "channel", q.Name, "chat", q.chat, "error", f.err)
	return q.replacePart(ctx, f, p.Part, fileContents(append([]supervisor.File{*p.Content.File}, p.Content.Album...)))
}

// prepareReplace stores the state that replacePart needs.
func (q *chatQueue) prepareReplace(ctx context.Context, f failure) error {
	if err := q.recordUnsent(f); err != nil {
		return err
	}
	return q.ensureStored(ctx, f.set)
}

// replacePart replaces a post that the channel did not take by other parts. The posts after it
// stay.
func (q *chatQueue) replacePart(ctx context.Context, f failure, part int, others []supervisor.RichText) error {
	posts, err := q.Posts.ReplaceContents(ctx, f.set.delivery.ID, part, append(others, f.set.contents(f.i+1)...))
	if err == nil {
		f.set.posts = posts
	}
	return err
}
