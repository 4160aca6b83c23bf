package search

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/index"
	"mews/supervisor/job"
	"mews/supervisor/printable"
	"mews/supervisor/spans"
)

// maxUserExcerpt is how many characters of a hit a user sees.
const maxUserExcerpt = 160

// UserSearch is a user's search in the history: words, or a span, or both.
type UserSearch struct {
	// Conversation is where the user asks. In a group, only that group is searched.
	Conversation supervisor.Conversation
	Words        string
	Span         supervisor.TimeSpan
	At           time.Time // when the user asks; later messages are left out
	Skip         int
}

// ParseLeadingSpan takes a span of time, such as "7d", from the beginning of a text. words is the
// rest. Without a span at the beginning, span is zero.
func (s *Searcher) ParseLeadingSpan(text, user string) (span supervisor.TimeSpan, words string) {
	fields := strings.Fields(text)
	for n := min(spans.MaxWords, len(fields)); n > 0; n-- {
		span, err := spans.Parse(strings.Join(fields[:n], " "), s.Now().In(s.Zone(user)))
		if err == nil {
			return span, strings.Join(fields[n:], " ")
		}
	}
	return supervisor.TimeSpan{}, text
}

// SearchForUser answers a user's search in Markdown. more says that another page follows. With
// words it lists the hits, best first. Without words it lists the span in order, or the newest
// messages if there is no span.
func (s *Searcher) SearchForUser(ctx context.Context, a UserSearch) (text string, more bool, err error) {
	if a.Span.To.IsZero() || a.Span.To.After(a.At) {
		a.Span.To = a.At
	}
	if strings.TrimSpace(a.Words) == "" {
		return s.tellTime(ctx, a)
	}
	q := Query{User: a.Conversation.User, Words: a.Words, Span: a.Span, Skip: a.Skip, Limit: HitsPerPage}
	if a.Conversation.IsInGroup() {
		q.Source, q.Conversation = index.ScopeTranscript, a.Conversation.ID
	}
	found, err := s.FindHits(ctx, q)
	if len(found.Hits) == 0 {
		text = textPersonNothing
	}
	for i, h := range found.Hits {
		text += s.markdown(a.Skip+i+1, h, a.Words)
	}
	if found.Incomplete != "" {
		text += "\n" + found.Incomplete
	}
	return strings.TrimSpace(text), found.More, err
}

func (s *Searcher) tellTime(ctx context.Context, a UserSearch) (text string, more bool, err error) {
	q := supervisor.HistoryQuery{User: a.Conversation.User, Span: a.Span, Newest: a.Span.From.IsZero(),
		NoBareCalls: true, Skip: a.Skip, Limit: HitsPerPage + 1}
	if a.Conversation.IsInGroup() {
		q.Conversation = a.Conversation.ID
	}
	list, err := s.Transcript.ListHistory(ctx, q)
	if len(list) == 0 {
		return textNothingSaid, false, err
	}
	if more = len(list) > HitsPerPage; more {
		list = list[:HitsPerPage]
	}
	for i, m := range list {
		text += s.markdown(a.Skip+i+1, Hit{Message: m}, "")
	}
	return strings.TrimSpace(text), more, err
}

// markdown formats a hit for a user.
func (s *Searcher) markdown(number int, h Hit, words string) string {
	if h.Source == index.ScopeHome {
		return fmt.Sprintf(textPersonFile, number, code(h.Path), h.Line, code(excerpt(cmp.Or(h.Text, h.Heading), words, maxUserExcerpt)))
	}
	m := h.Message
	when := m.At.In(s.Zone(m.Conversation.User)).Format(textHitTime)
	if link := link(m); link != "" {
		when = "[" + when + "](" + link + ")"
	}
	return fmt.Sprintf(textPersonHit, number, when, s.conversationName(m.Conversation), m.Speaker(),
		code(cmp.Or(excerpt(messageText(m), words, maxUserExcerpt), textWordless)))
}

// conversationName is ConversationName with the group's title, for its user.
func (s *Searcher) conversationName(c supervisor.Conversation) string {
	if s.GroupTitle != nil && c.IsInGroup() {
		if title := s.GroupTitle(c); title != "" {
			c.Chat = code(title)
		}
	}
	return ConversationName(c)
}

// messageText returns a message's words, and the names of the tools that it calls.
func messageText(m supervisor.HistoryMessage) string {
	text := messageWords(m)
	for _, c := range m.ToolCalls() {
		text += " [" + c.Name + "]"
	}
	return text
}

// messageWords returns a message's words. Messages of jobs that Mews put before a user's words are
// shown after the words, and are marked. An attached file, which begins with a bracket, gets its
// own line.
func messageWords(m supervisor.HistoryMessage) string {
	var text, sent string
	for _, p := range m.Parts {
		if messages, ok := job.QuotedMessages(p.Text); ok && m.Role == protocol.RoleUser {
			sent += fmt.Sprintf(textSentBefore, messages)
			continue
		}
		if text != "" && strings.HasPrefix(p.Text, "[") && !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		text += p.Text
	}
	return text + sent
}

// code formats a text as code on one line, so that nothing in it is markup.
func code(text string) string {
	return "`" + strings.ReplaceAll(printable.DropControls(text), "`", "'") + "`"
}

// link returns the address of a message in Telegram, or "". Only messages of private supergroups
// have an address.
func link(m supervisor.HistoryMessage) string {
	group, ok := strings.CutPrefix(m.Conversation.Chat, "-100")
	if _, err := strconv.ParseInt(m.ChannelMessage, 10, 64); !ok || err != nil || !m.Conversation.IsInGroup() {
		return ""
	}
	return "https://t.me/c/" + group + "/" + m.ChannelMessage
}
