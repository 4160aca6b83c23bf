package search

import (
	"context"
	"encoding/json"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/feature"
)

const (
	toolReadMessage   = supervisor.ReadMessageToolName
	toolSearchHistory = "search_history"
	toolSearchHome    = "search_home"
)

func (s *Searcher) hostCalls() []feature.HostCall {
	return []feature.HostCall{
		{Method: protocol.MethodHistoryRead, Kinds: feature.OwnWorkerTurnKinds(), Bytes: feature.MaxShortParamsBytes,
			Limit:           protocol.MaxSearches,
			HostCallHandler: feature.NewHostCallHandler(s.readMessage)},
		{Method: protocol.MethodHistorySearch, Kinds: feature.OwnWorkerTurnKinds(), Bytes: feature.MaxShortParamsBytes,
			Limit:           protocol.MaxSearches,
			HostCallHandler: feature.NewHostCallHandler(s.searchHistory)},
		{Method: protocol.MethodHomeSearch, Kinds: feature.OwnWorkerTurnKinds(), Bytes: feature.MaxShortParamsBytes,
			Limit:           protocol.MaxSearches,
			HostCallHandler: feature.NewHostCallHandler(s.searchHome)},
	}
}

func (s *Searcher) searchHistory(ctx context.Context, t feature.Turn, p *protocol.SearchParams) (
	*protocol.SearchResult, error) {
	return search(t, p, toolSearchHistory, func(q protocol.HistorySearchArguments) (protocol.SearchResult, error) {
		return s.SearchHistory(ctx, t.User, t.Destination, q)
	})
}

func (s *Searcher) readMessage(ctx context.Context, t feature.Turn, p *protocol.SearchParams) (
	*protocol.SearchResult, error) {
	return search(t, p, toolReadMessage, func(q protocol.HistoryReadArguments) (protocol.SearchResult, error) {
		return s.ReadMessage(ctx, t.User, t.Destination, q.Message)
	})
}

func (s *Searcher) searchHome(ctx context.Context, t feature.Turn, p *protocol.SearchParams) (*protocol.SearchResult,
	error) {
	return search(t, p, toolSearchHome, func(q protocol.HomeSearchArguments) (protocol.SearchResult, error) {
		return s.SearchHome(ctx, t.User, q)
	})
}

// search runs the search of a tool call. The worker only names the call.
func search[Q any](t feature.Turn, p *protocol.SearchParams, tool string,
	do func(Q) (protocol.SearchResult, error)) (*protocol.SearchResult, error) {
	call, err := t.FindCall(p.Call, tool)
	if err != nil {
		return nil, err
	}
	var q Q
	if err := json.Unmarshal(call.Arguments, &q); err != nil {
		return nil, feature.NewRefusal("not searched: %v", err)
	}
	found, err := do(q)
	return &found, err
}
