package hostcall

import (
	"context"
	"encoding/json"

	"mews/protocol"
	"mews/supervisor/feature"
)

// SearchDependencies are what searching needs. Where Searcher is nil, nothing is found.
type SearchDependencies struct {
	Searcher Searcher
}

// Searcher finds what was said with people, and what their homes hold, for a turn that answers in a
// conversation.
type Searcher interface {
	SearchHistory(ctx context.Context, user string, destination int64, q protocol.HistorySearch) (protocol.SearchFound, error)
	SearchHome(ctx context.Context, user string, q protocol.HomeSearch) (protocol.SearchFound, error)
}

const (
	toolSearchHistory = "search_history"
	toolSearchHome    = "search_home"
)

var searchRows = []row{
	{method: protocol.MethodHistorySearch, phase: inTurn, kinds: withHome, bytes: shortParams, limit: protocol.MaxSearches,
		handler: turnCall((*turn).searchHistory)},
	{method: protocol.MethodHomeSearch, phase: inTurn, kinds: withHome, bytes: shortParams, limit: protocol.MaxSearches,
		handler: turnCall((*turn).searchHome)},
}

func (t *turn) searchHistory(ctx context.Context, p *protocol.Search) (*protocol.SearchFound, error) {
	return search(t, p, toolSearchHistory, func(q protocol.HistorySearch) (protocol.SearchFound, error) {
		return t.o.Searcher.SearchHistory(ctx, t.user, t.Destination, q)
	})
}

func (t *turn) searchHome(ctx context.Context, p *protocol.Search) (*protocol.SearchFound, error) {
	return search(t, p, toolSearchHome, func(q protocol.HomeSearch) (protocol.SearchFound, error) {
		return t.o.Searcher.SearchHome(ctx, t.user, q)
	})
}

// search searches for what a tool call says. The worker only names the call.
func search[Q any](t *turn, p *protocol.Search, tool string, do func(Q) (protocol.SearchFound, error)) (*protocol.SearchFound, error) {
	if err := t.checkCall(p.Call, tool); err != nil {
		return nil, feature.Offence{Err: err}
	}
	if t.o.Searcher == nil {
		return nil, feature.Refused("this Mews has no index")
	}
	call, _ := t.openCalls.find(p.Call)
	var q Q
	if err := json.Unmarshal(call.Arguments, &q); err != nil {
		return nil, feature.Refused("not searched: %v", err)
	}
	found, err := do(q)
	return &found, err
}
