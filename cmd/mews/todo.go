package main

import (
	"context"
	"strings"

	"mews/protocol"
	"mews/supervisor/todo"
)

// todoVerb runs `mews todo`.
func todoVerb(ctx context.Context, con console, args []string) error {
	set := flags(con, "todo")
	file := set.String("config", "", flagConfig)
	user := set.String("user", "", flagMemoryUser)
	asJSON := set.Bool("json", false, flagJSON)
	words, cfg, err := parseClient(set, file, args, 0, 1000)
	if err != nil {
		return err
	}
	words = append(words, "", "")
	q := todo.Query{User: *user, Parameters: protocol.TodoParameters{Action: protocol.TodoAction(words[0])}}
	switch q.Parameters.Action {
	case "", protocol.TodoActionList:
		q.Parameters.Action = protocol.TodoActionList
		q.Parameters.Done = words[1] == "done"
	case protocol.TodoActionAdd:
		q.Parameters.Text = strings.TrimSpace(strings.Join(words[1:], " "))
	default:
		q.Parameters.ID, q.When = words[1], strings.TrimSpace(strings.Join(words[2:], " "))
	}
	all, err := todo.FetchAllPages(q, func(q todo.Query) (protocol.TodoResult, error) {
		return askFor[protocol.TodoResult](ctx, cfg, todo.MethodTodo, q)
	})
	if err != nil {
		return err
	}
	return show(con.out, all, *asJSON, func(r protocol.TodoResult) string {
		return todo.FormatResult(q.Parameters.Action, r)
	})
}
