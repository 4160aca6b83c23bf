// Package search is the feature that searches the history of conversations and the files of homes,
// for users and for models.
package search

import (
	"context"
	"slices"
	"strings"
	"time"

	"mews/supervisor"
	"mews/supervisor/feature"
	"mews/supervisor/index"
	"mews/supervisor/spans"
)

// Index finds messages and sections of files by their words.
type Index interface {
	Search(ctx context.Context, q index.Query) (index.Result, error)
}

// Transcript reads messages.
type Transcript interface {
	ListHistory(ctx context.Context, q supervisor.HistoryQuery) ([]supervisor.HistoryMessage, error)
	// FindWithNeighbours returns a message with its neighbours, or nothing if the message was
	// deleted.
	FindWithNeighbours(ctx context.Context, user string, conversation, message int64) ([]supervisor.HistoryMessage,
		error)
	// FindWholeMessage finds a message with all of its words, and its conversation. The field World
	// of m means that the message may have words of others.
	FindWholeMessage(ctx context.Context, user string, id int64) (m supervisor.OldForeignMessage, conversation int64,
		ok bool,
		err error)
	// FirstMessageInWindow returns the first message of a conversation that a model sees whole.
	FirstMessageInWindow(ctx context.Context, user string, conversation int64) (int64, error)
}

// Conversations finds conversations by their ids.
type Conversations interface {
	FindConversation(ctx context.Context, id int64) (supervisor.Conversation, bool, error)
}

// InboundFinder finds the inbounds of users.
type InboundFinder interface {
	Find(ctx context.Context, user string, inbound int64) (in supervisor.Inbound, ok bool, err error)
}

// Options are the dependencies of a Searcher.
type Options struct {
	Index         Index
	Transcript    Transcript
	Conversations Conversations
	Sent          InboundFinder
	// Files is the command that the first argument of /history may name, for earlier versions of
	// files. The zero value means none.
	Files      feature.Command
	GroupTitle func(supervisor.Conversation) string // returns a group's title; "" means unknown; may be nil
	Zone       func(user string) *time.Location
	Now        func() time.Time
}

// Searcher searches the history and the homes of users. It may be used from several goroutines.
type Searcher struct{ Options }

func New(o Options) *Searcher { return &Searcher{o} }

// Feature returns the commands, host calls and control calls of search.
func (s *Searcher) Feature() feature.Feature {
	return feature.Feature{Name: "search", Commands: s.commands(), HostCalls: s.hostCalls(), Calls: s.calls()}
}

// Query is one search. Only User is required.
type Query struct {
	User         string
	Words        string
	Source       index.SearchScope
	Span         supervisor.TimeSpan
	Who          string
	Conversation int64  // 0 means all of the user's conversations
	OmitShownIn  int64  // a conversation; messages that its model still sees are left out
	Under        string // a folder or a file of the home
	Skip, Limit  int
}

// Hit is a message, or a section of a file.
type Hit struct {
	index.Hit
	Message       supervisor.HistoryMessage // the message that was found; empty if a file was found
	Before, After supervisor.HistoryMessage // the messages before and after Message; an ID of 0 means none
}

// QueryResult is the result of a Query.
type QueryResult struct {
	Hits       []Hit
	More       bool
	Omitted    bool   // whether messages were left out because the model still sees them
	Incomplete string // reason why hits may be missing, for the user; "" if the index is complete
}

const (
	// HitsPerPage is how many hits one answer lists.
	HitsPerPage = 10
	// maxHits is how many hits of the index a search filters.
	maxHits = 200
)

// FindHits returns the hits of a query, best first.
func (s *Searcher) FindHits(ctx context.Context, q Query) (found QueryResult, err error) {
	result, err := s.Index.Search(ctx,
		index.Query{User: q.User, Text: q.Words, Scope: q.Source, From: q.Span.From, To: q.Span.To, Who: q.Who,
			Conversation: q.Conversation, Under: indexPath(q.Under), Limit: maxHits})
	if err != nil {
		return found, err
	}
	found.Incomplete = result.Incomplete
	list, shown, err := s.dropShown(ctx, q, result.Hits)
	if err != nil {
		return found, err
	}
	found.Omitted = shown
	for _, h := range list {
		hit, ok, err := s.readHit(ctx, q, h)
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

// dropShown drops the messages that the model of conversation q.OmitShownIn still sees. They would
// be the best hits, because one of them is the question itself.
func (s *Searcher) dropShown(ctx context.Context, q Query, hits []index.Hit) (list []index.Hit, left bool, err error) {
	if q.OmitShownIn == 0 {
		return hits, false, nil
	}
	from, err := s.Transcript.FirstMessageInWindow(ctx, q.User, q.OmitShownIn)
	list = slices.DeleteFunc(hits, func(h index.Hit) bool { return h.Conversation == q.OmitShownIn && h.Message >= from })
	return list, len(list) < len(hits), err
}

// readHit reads a hit's message and its neighbours. ok is false if the message was deleted.
func (s *Searcher) readHit(ctx context.Context, q Query, h index.Hit) (hit Hit, ok bool, err error) {
	hit.Hit = h
	if h.Source == index.ScopeHome {
		return hit, true, nil
	}
	list, err := s.Transcript.FindWithNeighbours(ctx, q.User, h.Conversation, h.Message)
	for _, m := range list {
		switch {
		case m.ID == h.Message:
			hit.Message, ok = m, true
		case m.ID < h.Message:
			hit.Before = m
		default:
			hit.After = m
		}
	}
	return hit, ok, err
}

// indexPath converts the path of a folder or file to the index's form; "" is the whole home.
func indexPath(path string) string {
	path = strings.Trim(strings.TrimPrefix(path, "./"), "/")
	if path == "." {
		return ""
	}
	return path
}

// ParseSpan parses the bounds of a search in the user's time zone. Both may be empty.
func (s *Searcher) ParseSpan(user, from, to string) (supervisor.TimeSpan, error) {
	now := s.Now().In(s.Zone(user))
	if from == "" && to == "" {
		return supervisor.TimeSpan{}, nil
	}
	return spans.Parse(from+".."+to, now)
}
