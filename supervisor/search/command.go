package search

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"mews/supervisor"
	"mews/supervisor/feature"
	"mews/supervisor/slash"
	"mews/supervisor/spans"
)

const (
	historyName = "history"
	prefix      = "h:"
)

func (s *Searcher) commands() []feature.Command {
	return []feature.Command{
		{SlashCommand: supervisor.SlashCommand{Name: "search",
			Help: "find what was said, and what your files hold: /search WORDS; in a group, what was said there"},
			Group: feature.HelpGroupEveryday, Run: s.command, Prefix: prefix, Press: s.nextPage},
		{SlashCommand: supervisor.SlashCommand{Name: historyName,
			Help: "what was said last; /history 2026-11-20, /history 2026-11-01..2026-11-07 or /history 7d WORDS " +
				"shows another time; /history files lists earlier versions of files"},
			Group: feature.HelpGroupPrivacy, Run: s.history, MayAsk: true,
			Prefix: s.Files.Prefix, Press: s.Files.Press, Keeps: s.Files.Keeps, Private: s.isPrivate},
	}
}

// history runs /history, or the command about files whose name is the first argument.
func (s *Searcher) history(ctx context.Context, r feature.CommandRequest) (supervisor.Delivery, error) {
	if rest, ok := s.cutFiles(r.Arguments); ok {
		r.Arguments = rest
		return s.Files.Run(ctx, r)
	}
	return s.command(ctx, r)
}

// cutFiles cuts the name of the command about files from the beginning of arguments.
func (s *Searcher) cutFiles(arguments string) (rest string, ok bool) {
	name, rest, _ := strings.Cut(arguments, " ")
	return strings.TrimSpace(rest), s.Files.Run != nil && strings.EqualFold(name, s.Files.Name)
}

// isPrivate reports whether the answer to arguments is only for the user.
func (s *Searcher) isPrivate(arguments string) bool {
	rest, ok := s.cutFiles(arguments)
	return ok && s.Files.Private != nil && s.Files.Private(rest)
}

// command runs /search and /history.
func (s *Searcher) command(ctx context.Context, r feature.CommandRequest) (supervisor.Delivery, error) {
	if r.Name != historyName && strings.TrimSpace(r.Arguments) == "" {
		return supervisor.Delivery{Text: textSearchUsage}, nil
	}
	return s.answer(ctx, r, 0)
}

// nextPage shows the next page of hits. The press of its button has the id of the command's
// inbound, and how many hits to skip.
func (s *Searcher) nextPage(ctx context.Context, r feature.CommandRequest) (d supervisor.Delivery, err error) {
	var skip int
	if n, _ := fmt.Sscan(r.Arguments, &r.Inbound, &skip); n < 2 || skip < 0 {
		return supervisor.Delivery{Text: feature.DeadButtonText}, nil
	}
	in, ok, err := s.Sent.Find(ctx, r.Conversation.User, r.Inbound)
	if err != nil || !ok || in.Conversation.ID != r.Conversation.ID {
		return supervisor.Delivery{Text: feature.DeadButtonText}, err
	}
	r.Name, r.Arguments, r.At = in.Command, slash.ParseArguments(in.Text), in.ReceivedAt
	return s.answer(ctx, r, skip)
}

func (s *Searcher) answer(ctx context.Context, r feature.CommandRequest, skip int) (d supervisor.Delivery, err error) {
	a := UserSearch{Conversation: r.Conversation, Words: r.Arguments, At: r.At, Skip: skip}
	if r.Name == historyName {
		first, _, _ := strings.Cut(r.Arguments, " ")
		if _, err := spans.Parse(first, r.At); errors.As(err, new(*spans.BackwardsError)) {
			return d, err
		}
		a.Span, a.Words = s.ParseLeadingSpan(r.Arguments, r.Conversation.User)
	}
	text, more, err := s.SearchForUser(ctx, a)
	if err != nil {
		return d, fmt.Errorf("search: %w", err)
	}
	d.Text = text
	if more {
		d.Buttons = [][]supervisor.Button{{{Text: textNextButton,
			Press: fmt.Sprint(prefix, r.Inbound, " ", skip+HitsPerPage)}}}
	}
	return d, nil
}
