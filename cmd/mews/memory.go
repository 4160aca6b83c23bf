package main

import (
	"context"
	"strings"

	"mews/protocol"
	"mews/supervisor/memory"
)

// memoryVerb runs `mews memory`.
func memoryVerb(ctx context.Context, con console, args []string) error {
	set := flags(con, "memory")
	file := set.String("config", "", flagConfig)
	user := set.String("user", "", flagMemoryUser)
	asJSON := set.Bool("json", false, flagJSON)
	words, cfg, err := parseClient(set, file, args, 0, 1000)
	if err != nil {
		return err
	}
	words = append(words, "", "")
	p := protocol.MemoryParameters{Action: protocol.MemoryAction(words[0]), ID: words[1], Path: words[1],
		Limit: protocol.MaxFactsPerMemoryPage,
		Text:  strings.TrimSpace(strings.Join(words[2:], " "))}
	if p.Action == "" {
		p.Action = protocol.MemoryActionList
	}
	if p.Action != protocol.MemoryActionImport {
		p.Path = ""
	}
	all, err := memory.FetchAllPages(memory.Query{User: *user, Parameters: p},
		func(q memory.Query) (protocol.MemoryResult, error) {
			return askFor[protocol.MemoryResult](ctx, cfg, memory.MethodMemory, q)
		})
	if err != nil {
		return err
	}
	return show(con.out, all, *asJSON, func(r protocol.MemoryResult) string { return memory.FormatResult(p.Action, r) })
}
