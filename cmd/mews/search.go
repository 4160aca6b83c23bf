package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"mews/supervisor/search"
)

// searchVerb runs `mews search`.
func searchVerb(ctx context.Context, con console, args []string) error {
	set := flags(con, "search")
	file := set.String("config", "", flagConfig)
	var q search.TextQuery
	set.StringVar(&q.User, "user", "", flagHistoryUser)
	set.StringVar(&q.From, "from", "", flagFrom)
	set.StringVar(&q.To, "to", "", flagTo)
	set.StringVar(&q.In, "in", "", flagSearchIn)
	asJSON := set.Bool("json", false, flagJSON)
	words, cfg, err := parseClient(set, file, args, 1, maxSearchWords)
	if err != nil {
		return err
	}
	q.Words = strings.Join(words, " ")
	return askAndShow(ctx, con, cfg, search.MethodSearch, q, *asJSON, search.SearchReport.Text)
}

// maxSearchWords limits the arguments of a search.
const maxSearchWords = 100

// historyVerb runs `mews history`.
func historyVerb(ctx context.Context, con console, args []string) (err error) {
	set := flags(con, "history")
	file := set.String("config", "", flagConfig)
	var q search.HistoryQuery
	set.StringVar(&q.User, "user", "", flagHistoryUser)
	set.StringVar(&q.From, "from", "", flagFrom)
	set.StringVar(&q.To, "to", "", flagTo)
	format := set.String("format", "text", flagHistoryFormat)
	output := set.String("output", "", flagHistoryOutput)
	_, cfg, err := parseClient(set, file, args, 0, 0)
	if err != nil {
		return err
	}
	if search.HistoryFormats[*format] == nil {
		fmt.Fprintf(con.err, textNoFormat, *format)
		return errMisuse
	}
	out := con.out
	if *output != "" {
		f, err := os.OpenFile(*output, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return fmt.Errorf("write what was said: %w", err)
		}
		defer func() { err = errors.Join(err, f.Close()) }()
		out = f
	}
	return search.WriteHistory(q, *format, out, func(q search.HistoryQuery) (search.HistoryPage, error) {
		return askFor[search.HistoryPage](ctx, cfg, search.MethodHistory, q)
	})
}
