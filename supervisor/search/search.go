// Package search is the feature that finds again what was said with people and what the files of
// their homes hold, and tells it to them and to models.
package search

import (
	"context"
	"slices"
	"strings"
	"time"

	"mews/supervisor"
	"mews/supervisor/feature"
	"mews/supervisor/index"
	"mews/supervisor/internal/spans"
)

// Index finds sections by their words.
type Index interface {
	Search(ctx context.Context, q index.Query) (index.Result, error)
}

// Transcript has what was said.
type Transcript interface {
	History(ctx context.Context, q supervisor.HistoryQuery) ([]supervisor.HistoryMessage, error)
	// Around lists a message with what was said before and after it; none where it is not there any
	// more.
	Around(ctx context.Context, user string, conversation, message int64) ([]supervisor.HistoryMessage, error)
	// WindowFrom is the first message of a conversation that a model is shown.
	WindowFrom(ctx context.Context, user string, conversation int64) (int64, error)
}

// Conversations are where people talk.
type Conversations interface {
	FindByID(ctx context.Context, id int64) (supervisor.Conversation, bool, error)
}

// Sent has what people have sent.
type Sent interface {
	FindOf(ctx context.Context, user string, inbound int64) (in supervisor.Inbound, ok bool, err error)
}

// Options are what a Searcher works on.
type Options struct {
	Index         Index
	Transcript    Transcript
	Conversations Conversations
	Sent          Sent
	Zone          func(user string) *time.Location
	Now           func() time.Time
}

// Searcher searches. It may be used from several goroutines.
type Searcher struct{ Options }

// New makes a Searcher.
func New(o Options) *Searcher { return &Searcher{o} }

// Feature is what it adds to the service.
func (s *Searcher) Feature() feature.Feature {
	return feature.Feature{Name: "search", Commands: s.commands(), HostCalls: s.hostCalls(), Calls: s.calls()}
}

// Query is what is looked for. All but User may be left out.
type Query struct {
	User         string
	Words        string
	Source       index.Source
	Span         supervisor.Span
	Who          string
	Conversation int64  // of what was said; 0 is all of the person's
	Shown        int64  // a conversation: what a model is shown of it is left out
	Under        string // of a home's files: a folder or a file
	Skip, Limit  int
}

// Hit is what was found: a message, or a section of a file.
type Hit struct {
	index.Hit
	Said          supervisor.HistoryMessage // the message
	Before, After supervisor.HistoryMessage // its neighbours; without an ID there is none
}

// Found is what a query has found.
type Found struct {
	Hits   []Hit
	More   bool
	Shown  bool   // some were left out that a model is shown anyway
	Behind string // why there may be more, in words; "" where all has been read
}

const (
	// Page is how many hits are told at once.
	Page = 10
	// most is how many hits are looked through for those that a query wants.
	most = 200
)

// Find finds what has words of a query, the best first.
func (s *Searcher) Find(ctx context.Context, q Query) (found Found, err error) {
	result, err := s.Index.Search(ctx, index.Query{User: q.User, Text: q.Words, Source: q.Source, From: q.Span.From, To: q.Span.To, Who: q.Who,
		Conversation: q.Conversation, Under: folder(q.Under), Limit: most})
	if err != nil {
		return found, err
	}
	found.Behind = result.Behind
	list, shown, err := s.notShown(ctx, q, result.Hits)
	if err != nil {
		return found, err
	}
	found.Shown = shown
	for _, h := range list {
		hit, ok, err := s.look(ctx, q, h)
		switch {
		case err != nil:
			return found, err
		case !ok:
		case q.Skip > 0:
			q.Skip--
		case len(found.Hits) == q.Limit:
			found.More = true
			return found, nil
		default:
			found.Hits = append(found.Hits, hit)
		}
	}
	return found, nil
}

// notShown leaves out what a model is shown anyway: of all that was said it has most of a
// question's words.
func (s *Searcher) notShown(ctx context.Context, q Query, hits []index.Hit) (list []index.Hit, left bool, err error) {
	if q.Shown == 0 {
		return hits, false, nil
	}
	from, err := s.Transcript.WindowFrom(ctx, q.User, q.Shown)
	list = slices.DeleteFunc(hits, func(h index.Hit) bool { return h.Conversation == q.Shown && h.Message >= from })
	return list, len(list) < len(hits), err
}

// look reads what was found, as it is now. It is not ok where it is gone, or not meant.
func (s *Searcher) look(ctx context.Context, q Query, h index.Hit) (hit Hit, ok bool, err error) {
	hit.Hit = h
	if h.Source == index.SourceHome {
		return hit, true, nil
	}
	list, err := s.Transcript.Around(ctx, q.User, h.Conversation, h.Message)
	for _, m := range list {
		switch {
		case m.ID == h.Message:
			hit.Said, ok = m, true
		case m.ID < h.Message:
			hit.Before = m
		default:
			hit.After = m
		}
	}
	return hit, ok, err
}

// folder is a folder or a file as the index has it, "" for the whole home.
func folder(path string) string {
	path = strings.Trim(strings.TrimPrefix(path, "./"), "/")
	if path == "." {
		return ""
	}
	return path
}

// Span reads from when until when something is looked for.
func (s *Searcher) Span(user, from, to string) (supervisor.Span, error) {
	now := s.Now().In(s.Zone(user))
	if from == "" && to == "" {
		return supervisor.Span{}, nil
	}
	return spans.Parse(from+".."+to, now)
}
