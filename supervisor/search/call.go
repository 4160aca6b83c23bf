package search

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"mews/supervisor"
	"mews/supervisor/feature"
	"mews/supervisor/index"
	"mews/supervisor/printable"
)

// Names of control calls: MethodSearch takes a TextQuery, and MethodHistory a HistoryQuery. Users
// may search their own messages and files. Admins may search the messages and files of any user,
// which the audit log records.
const (
	MethodSearch  = "search"
	MethodHistory = "history"
)

// TextQuery asks for the messages and files that contain some words.
type TextQuery struct {
	User  string `json:"user,omitempty"` // the user whose messages are searched; "" means the caller
	Words string `json:"words"`
	From  string `json:"from,omitempty"` // beginning of the span, in a form that spans.Parse reads
	To    string `json:"to,omitempty"`
	In    string `json:"in,omitempty"` // where to search: history or home; "" means both
}

// SearchReport lists the hits of a TextQuery, best first.
type SearchReport struct {
	Hits       []ReportHit `json:"hits"`
	Incomplete string      `json:"behind,omitempty"` // reason why hits may be missing, for the user
}

// ReportHit is a message, or a section of a file.
type ReportHit struct {
	Said    *HistoryLine `json:"said,omitempty"`
	Path    string       `json:"path,omitempty"`
	Heading string       `json:"heading,omitempty"`
	Line    int          `json:"line,omitempty"`
	Section string       `json:"section,omitempty"` // the text of the section
}

// HistoryQuery asks for the messages of a span, in order.
type HistoryQuery struct {
	User  string                     `json:"user,omitempty"` // the user whose messages are listed; "" means the caller
	From  string                     `json:"from,omitempty"` // beginning of the span, in a form that spans.Parse reads
	To    string                     `json:"to,omitempty"`
	After supervisor.HistoryPosition `json:"after,omitzero"`
}

// HistoryPage is one page of the answer to a HistoryQuery.
type HistoryPage struct {
	Lines []HistoryLine `json:"lines"`
	// Next is the last position of this page; the zero value means that no page follows.
	Next supervisor.HistoryPosition `json:"next,omitzero"`
}

// HistoryLine is one message of the history.
type HistoryLine struct {
	At      time.Time          `json:"at"` // time of the message, in the user's time zone
	Channel supervisor.Channel `json:"channel"`
	Chat    string             `json:"chat,omitempty"`
	Thread  string             `json:"thread,omitempty"`
	Who     string             `json:"who"` // who wrote the message: person or assistant
	World   bool               `json:"world,omitempty"`
	Text    string             `json:"text,omitempty"`
	Tools   []string           `json:"tools,omitempty"` // names of the tools that the message calls
}

// Limits of a page: messages in one read, and bytes after which the page ends.
const (
	historyPage  = 200
	historyBytes = 256 << 10
)

func (s *Searcher) calls() []feature.ControlCall {
	return []feature.ControlCall{feature.NewControlCall(MethodSearch, s.answerSearch),
		feature.NewControlCall(MethodHistory, s.answerHistory)}
}

// indexSources are the places to search, by the value of TextQuery.In.
var indexSources = map[string]index.SearchScope{"": index.ScopeBoth, "history": index.ScopeTranscript,
	"home": index.ScopeHome}

func (s *Searcher) answerSearch(ctx context.Context, by feature.Caller, q TextQuery) (report SearchReport, err error) {
	source, known := indexSources[q.In]
	if !known {
		return report, supervisor.Errorf(supervisor.CodeInvalid, textNoSource, q.In)
	}
	user, err := by.UserFor(q.User, MethodSearch+".read")
	if err != nil {
		return report, err
	}
	span, err := s.ParseSpan(user.Name, q.From, q.To)
	if err != nil {
		return report, err
	}
	found, err := s.FindHits(ctx, Query{User: user.Name, Words: q.Words, Source: source, Span: span,
		Limit: HitsPerPage})
	report = SearchReport{Incomplete: found.Incomplete, Hits: []ReportHit{}}
	for _, h := range found.Hits {
		hit := ReportHit{Path: h.Path, Heading: h.Heading, Line: h.Line, Section: h.Text}
		if h.Source == index.ScopeTranscript {
			line := s.historyLine(h.Message)
			hit = ReportHit{Said: &line}
		}
		report.Hits = append(report.Hits, hit)
	}
	return report, err
}

func (s *Searcher) answerHistory(ctx context.Context, by feature.Caller, q HistoryQuery) (
	page HistoryPage, err error) {
	action := ""
	if (q.After == supervisor.HistoryPosition{}) { // a search is audited once, not for each page
		action = MethodHistory + ".read"
	}
	user, err := by.UserFor(q.User, action)
	if err != nil {
		return page, err
	}
	span, err := s.ParseSpan(user.Name, q.From, q.To)
	if err != nil {
		return page, err
	}
	list, err := s.Transcript.ListHistory(ctx, supervisor.HistoryQuery{User: user.Name, Span: span, After: q.After,
		Limit: historyPage})
	page = HistoryPage{Lines: []HistoryLine{}}
	bytes := 0
	for i, m := range list {
		page.Lines = append(page.Lines, s.historyLine(m))
		if bytes += len(m.Text()); i == historyPage-1 || bytes > historyBytes && i < len(list)-1 {
			page.Next = m.Position()
			break
		}
	}
	return page, err
}

// historyLine converts a message to a HistoryLine.
func (s *Searcher) historyLine(m supervisor.HistoryMessage) HistoryLine {
	line := HistoryLine{At: m.At.In(s.Zone(m.Conversation.User)), Channel: m.Conversation.Channel,
		Chat: m.Conversation.Chat, Thread: m.Conversation.Thread,
		Who: m.Speaker(), World: m.Origin == supervisor.OriginWorld, Text: messageWords(m)}
	for _, c := range m.ToolCalls() {
		line.Tools = append(line.Tools, c.Name)
	}
	return line
}

// Text formats the hits for a terminal.
func (r SearchReport) Text() string {
	var b strings.Builder
	for _, h := range r.Hits {
		if h.Said != nil {
			b.WriteString(h.Said.text())
			continue
		}
		where := fmt.Sprintf("%s:%d  %s", printable.EscapeControls(h.Path), h.Line, printable.EscapeControls(h.Heading))
		b.WriteString(strings.TrimRight(where, " ") + "\n" + indented(h.Section))
	}
	if b.Len() == 0 {
		b.WriteString(textNothingFound)
	}
	if r.Incomplete != "" {
		fmt.Fprintln(&b, r.Incomplete)
	}
	return b.String()
}

// WriteHistory writes the history in one of HistoryFormats. It calls ask for each page.
func WriteHistory(q HistoryQuery, format string, w io.Writer, ask func(HistoryQuery) (HistoryPage, error)) error {
	day := ""
	for {
		page, err := ask(q)
		if err != nil {
			return err
		}
		var b strings.Builder
		for _, line := range page.Lines {
			HistoryFormats[format](&b, line, &day)
		}
		if _, err := io.WriteString(w, b.String()); err != nil {
			return err
		}
		if q.After = page.Next; (q.After == supervisor.HistoryPosition{}) {
			return nil
		}
	}
}

// HistoryFormats are functions that append one message to b, by the name of the format. day is the
// day of the previous message.
var HistoryFormats = map[string]func(b *strings.Builder, line HistoryLine, day *string){
	"text": func(b *strings.Builder, line HistoryLine, _ *string) { b.WriteString(line.text()) },
	"jsonl": func(b *strings.Builder, line HistoryLine, _ *string) {
		_ = json.NewEncoder(b).Encode(line) // a HistoryLine can always be encoded
	},
	"markdown": func(b *strings.Builder, line HistoryLine, day *string) {
		if now := line.At.Format("2006-01-02"); now != *day {
			*day = now
			fmt.Fprintf(b, "# %s\n\n", now)
		}
		fmt.Fprintf(b, "## %s %s\n\n", line.At.Format("15:04"), line.head())
		for _, part := range []string{line.Text, line.calls()} {
			if part != "" {
				fmt.Fprintf(b, "%s\n\n", strings.TrimSpace(part))
			}
		}
	},
}

// text formats a message for a terminal.
func (l HistoryLine) text() string {
	return l.At.Format("2006-01-02 15:04") + "  " + l.head() + "\n" + indented(strings.TrimSpace(l.Text+"\n"+l.calls()))
}

// head returns the sender of a message and its conversation.
func (l HistoryLine) head() string {
	head := fmt.Sprintf("%s, %s", l.Who, l.Channel)
	if l.Chat != "" {
		head += " " + printable.EscapeControls(l.Chat)
	}
	if l.World {
		head += textFromOthers
	}
	return head
}

func (l HistoryLine) calls() string {
	if len(l.Tools) == 0 {
		return ""
	}
	return "[" + strings.Join(l.Tools, ", ") + "]"
}

// indented indents a text and removes its terminal escapes.
func indented(text string) (s string) {
	for line := range strings.Lines(text) {
		s += "    " + printable.EscapeControls(strings.TrimRight(line, "\r\n")) + "\n"
	}
	return s
}
