package delegated

import (
	"context"

	"mews/protocol"
	"mews/worker"
	"mews/worker/host"
)

// wordsText asks the model for synonyms. A search knows other forms of a word, but not its meaning.
const wordsText = "all that it may have been called, synonyms too: any of them counts, 32 at most"

var historySpec = worker.ToolSpec{
	Name:   "search_history",
	Family: "history",
	Description: "Find what was said earlier or in other conversations. Without words: all of that time. " +
		"from, to: 2026-11-20, 2026-11, 7d, yesterday",
	Effect: protocol.EffectNone,
	Arguments: []worker.Argument{
		{Name: "words", Type: worker.StringArgument, Description: wordsText},
		{Name: "from", Type: worker.StringArgument},
		{Name: "to", Type: worker.StringArgument},
		{Name: "who", Values: []string{"person", "assistant"}},
	},
}

var homeSpec = worker.ToolSpec{
	Name:   "search_home",
	Family: "history",
	Description: "Find sections of the home's text files by any of some words, best first. Exact text: " +
		"search_files.",
	Effect: protocol.EffectNone,
	Arguments: []worker.Argument{
		{Name: "words", Type: worker.StringArgument, Description: wordsText, Required: true},
		{Name: "under", Type: worker.StringArgument, Description: "a folder or file"},
	},
}

var readSpec = worker.ToolSpec{
	Name:        "read_message",
	Family:      "history",
	Description: "Read a message again",
	Effect:      protocol.EffectNone,
	Arguments: []worker.Argument{
		{Name: "message", Type: worker.IntegerArgument, Description: "number", Required: true},
	},
}

// searchTools makes the tools that search and read the history and the files of the home.
func searchTools(turn host.Caller) []worker.Tool {
	return []worker.Tool{
		searchTool(turn, readSpec, protocol.HistoryReadArguments{}, protocol.MethodHistoryRead),
		searchTool(turn, historySpec, protocol.HistorySearchArguments{}, protocol.MethodHistorySearch),
		searchTool(turn, homeSpec, protocol.HomeSearchArguments{}, protocol.MethodHomeSearch),
	}
}

func searchTool[A any](turn host.Caller, spec worker.ToolSpec, arguments A, method string) worker.Tool {
	searches := &calls[protocol.SearchParams, protocol.SearchResult]{turn: turn, method: method,
		most: protocol.MaxSearches, done: spec.Name + " was called"}
	return worker.DefineTool(spec, arguments, func(ctx context.Context, call worker.Call, _ A) (worker.Result, error) {
		found, err := searches.answer(ctx, protocol.SearchParams{Call: call.ID})
		return worker.Result{Text: found.Text, World: found.World}, err
	})
}
