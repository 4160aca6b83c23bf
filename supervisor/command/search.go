package command

import (
	"context"
	"fmt"
	"strings"

	"mews/supervisor"
	"mews/supervisor/feature"
	"mews/supervisor/search"
	"mews/supervisor/slash"
)

// Searcher tells people what was said and what their homes hold.
type Searcher interface {
	// Parse reads a time, if a text begins with one, and words.
	Parse(text, user string) (span supervisor.Span, words string)
	Tell(ctx context.Context, a search.Asked) (text string, more bool, err error)
}

// Sent has what people have sent.
type Sent interface {
	FindOf(ctx context.Context, user string, inbound int64) (in supervisor.Inbound, ok bool, err error)
}

const (
	historyName  = "history"
	searchPrefix = "h:"
)

var searchRows = []row{
	{SlashCommand: supervisor.SlashCommand{Name: "search",
		Help: "/search WORDS finds what was said, and what your files hold; in a group what was said there"},
		place: 89, run: searchFor, prefix: searchPrefix, press: searchOn},
	{SlashCommand: supervisor.SlashCommand{Name: historyName,
		Help: "what was said last; /history 2026-11-20, /history 2026-11-01..2026-11-07 or /history 7d WORDS is of another time"},
		place: 89, run: searchFor},
}

// searchFor tells what was said, or what has some words.
func searchFor(ctx context.Context, c *Commands, r feature.Request) (supervisor.Delivery, error) {
	if r.Name != historyName && strings.TrimSpace(r.Arguments) == "" {
		return supervisor.Delivery{Text: textSearchUsage}, nil
	}
	return c.search(ctx, r, 0)
}

// searchOn tells the next page: a press says of which command, and how many were told.
func searchOn(ctx context.Context, c *Commands, r feature.Request) (d supervisor.Delivery, err error) {
	var skip int
	if n, _ := fmt.Sscan(r.Arguments, &r.Inbound, &skip); n < 2 || skip < 0 {
		return supervisor.Delivery{Text: feature.TextDeadButton}, nil
	}
	in, ok, err := c.o.Sent.FindOf(ctx, r.Conversation.User, r.Inbound)
	if err != nil || !ok || in.Conversation.ID != r.Conversation.ID {
		return supervisor.Delivery{Text: feature.TextDeadButton}, err
	}
	r.Name, r.Arguments, r.At = in.Command, slash.Arguments(in.Text), in.ReceivedAt
	return c.search(ctx, r, skip)
}

func (c *Commands) search(ctx context.Context, r feature.Request, skip int) (d supervisor.Delivery, err error) {
	a := search.Asked{Conversation: r.Conversation, Words: r.Arguments, At: r.At, Skip: skip}
	if r.Name == historyName {
		a.Span, a.Words = c.o.Searcher.Parse(r.Arguments, r.Conversation.User)
	}
	text, more, err := c.o.Searcher.Tell(ctx, a)
	if err != nil {
		return d, fmt.Errorf("search what was said: %w", err)
	}
	d.Text = text
	if more {
		d.Buttons = [][]supervisor.Button{{{Text: textNextButton, Press: fmt.Sprint(searchPrefix, r.Inbound, " ", skip+search.Page)}}}
	}
	return d, nil
}
