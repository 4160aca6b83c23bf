package app

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"mews/config"
	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/access"
	"mews/supervisor/control"
	"mews/supervisor/index"
	"mews/supervisor/printable"
	"mews/supervisor/search"
)

// What the control socket answers to a SearchQuestion with a SearchReport, and to a HistoryQuestion
// with a HistoryPage. Anybody with an account may ask for their own; admins for somebody's, which
// is in the audit log then.
const (
	MethodSearch  = "search"
	MethodHistory = "history"
)

// SearchQuestion asks for what has words.
type SearchQuestion struct {
	User  string `json:"user,omitempty"` // "" is whoever asks
	Words string `json:"words"`
	From  string `json:"from,omitempty"` // as supervisor.ParseSpan reads them
	To    string `json:"to,omitempty"`
	In    string `json:"in,omitempty"` // history or home; "" is both
}

// SearchReport is what has them, the best first.
type SearchReport struct {
	Hits   []SearchHit `json:"hits"`
	Behind string      `json:"behind,omitempty"` // why there may be more, in words
}

// SearchHit is a message, or a section of a file.
type SearchHit struct {
	Said    *HistoryLine `json:"said,omitempty"`
	Path    string       `json:"path,omitempty"`
	Heading string       `json:"heading,omitempty"`
	Line    int          `json:"line,omitempty"`
	Section string       `json:"section,omitempty"` // the file's words
}

// HistoryQuestion asks what was said, in order.
type HistoryQuestion struct {
	User  string                     `json:"user,omitempty"` // "" is whoever asks
	From  string                     `json:"from,omitempty"` // as supervisor.ParseSpan reads them
	To    string                     `json:"to,omitempty"`
	After supervisor.HistoryPosition `json:"after,omitzero"`
}

// HistoryPage is some of it.
type HistoryPage struct {
	Lines []HistoryLine `json:"lines"`
	// behind which the next page begins; the zero value: this was the last
	Next supervisor.HistoryPosition `json:"next,omitzero"`
}

// HistoryLine is a message.
type HistoryLine struct {
	At      time.Time          `json:"at"` // where the person lives
	Channel supervisor.Channel `json:"channel"`
	Chat    string             `json:"chat,omitempty"`
	Thread  string             `json:"thread,omitempty"`
	Who     string             `json:"who"` // person or assistant
	World   bool               `json:"world,omitempty"`
	Text    string             `json:"text,omitempty"`
	Tools   []string           `json:"tools,omitempty"` // that it calls
}

// Of a page: messages that are read at once, and bytes of words after which it ends.
const (
	historyPage  = 200
	historyBytes = 256 << 10
)

// searchMethods answers `mews search` and `mews history` over the control socket.
type searchMethods struct {
	searcher *search.Searcher
	people   *access.People
	audit    func(user, action, detail string)
}

// whose is the person whose talk a process may read.
func (q searchMethods) whose(uid uint32, name, method string) (string, error) {
	u, err := q.people.Speaker(uid, name)
	if own, nobody := q.people.Speaker(uid, ""); err == nil && (nobody != nil || own.Name != u.Name) {
		q.audit(u.Name, method+".read", fmt.Sprintf("by uid %d", uid))
	}
	return u.Name, err
}

// sources are what is searched, by name.
var sources = map[string]index.Source{"": index.SourceBoth, "history": index.SourceTranscript, "home": index.SourceHome}

func (q searchMethods) search(ctx context.Context, uid uint32, req *protocol.Request) (any, error) {
	var p SearchQuestion
	if err := req.Decode(&p); err != nil {
		return nil, err
	}
	source, known := sources[p.In]
	if !known {
		return nil, supervisor.Errorf(supervisor.CodeInvalid, textNoSource, p.In)
	}
	user, err := q.whose(uid, p.User, MethodSearch)
	if err != nil {
		return nil, err
	}
	span, err := q.searcher.Span(user, p.From, p.To)
	if err != nil {
		return nil, err
	}
	found, err := q.searcher.Find(ctx, search.Query{User: user, Words: p.Words, Source: source, Span: span, Limit: search.Page})
	report := SearchReport{Behind: found.Behind, Hits: []SearchHit{}}
	for _, h := range found.Hits {
		hit := SearchHit{Path: h.Path, Heading: h.Heading, Line: h.Line, Section: h.Text}
		if h.Source == index.SourceTranscript {
			line := q.line(h.Said)
			hit = SearchHit{Said: &line}
		}
		report.Hits = append(report.Hits, hit)
	}
	return report, err
}

func (q searchMethods) history(ctx context.Context, uid uint32, req *protocol.Request) (any, error) {
	var p HistoryQuestion
	if err := req.Decode(&p); err != nil {
		return nil, err
	}
	user, err := q.people.Speaker(uid, p.User)
	if (p.After == supervisor.HistoryPosition{}) { // one line for all its pages
		user.Name, err = q.whose(uid, p.User, MethodHistory)
	}
	if err != nil {
		return nil, err
	}
	span, err := q.searcher.Span(user.Name, p.From, p.To)
	if err != nil {
		return nil, err
	}
	list, err := q.searcher.Transcript.History(ctx, supervisor.HistoryQuery{User: user.Name, Span: span, After: p.After, Limit: historyPage})
	page, bytes := HistoryPage{Lines: []HistoryLine{}}, 0
	for i, m := range list {
		page.Lines = append(page.Lines, q.line(m))
		if bytes += len(m.Text()); i == historyPage-1 || bytes > historyBytes && i < len(list)-1 {
			page.Next = m.Position()
			break
		}
	}
	return page, err
}

// line is a message as it is told.
func (q searchMethods) line(m supervisor.HistoryMessage) HistoryLine {
	line := HistoryLine{At: m.At.In(q.searcher.Zone(m.In.User)), Channel: m.In.Channel, Chat: m.In.Chat, Thread: m.In.Thread,
		Who: m.Who(), World: m.Origin == supervisor.OriginWorld, Text: m.Text()}
	for _, c := range m.Calls() {
		line.Tools = append(line.Tools, c.Name)
	}
	return line
}

// answers are the methods by name.
func (q searchMethods) answers() map[string]control.Method {
	return map[string]control.Method{MethodSearch: q.search, MethodHistory: q.history}
}

// Text is what was found, for a terminal.
func (r SearchReport) Text() string {
	var b strings.Builder
	for _, h := range r.Hits {
		if h.Said != nil {
			b.WriteString(h.Said.text())
			continue
		}
		place := fmt.Sprintf("%s:%d  %s", printable.Escape(h.Path), h.Line, printable.Escape(h.Heading))
		b.WriteString(strings.TrimRight(place, " ") + "\n" + indented(h.Section))
	}
	if b.Len() == 0 {
		b.WriteString(textNothingFound)
	}
	if r.Behind != "" {
		fmt.Fprintln(&b, r.Behind)
	}
	return b.String()
}

// WriteHistory has the running service tell what was said, and writes it in one of HistoryFormats.
func WriteHistory(ctx context.Context, cfg *config.Config, q HistoryQuestion, format string, w io.Writer) error {
	day := ""
	for {
		var page HistoryPage
		if err := control.Ask(ctx, SocketPath(cfg), MethodHistory, q, &page); err != nil {
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

// HistoryFormats write a message each; day is that of the one before.
var HistoryFormats = map[string]func(b *strings.Builder, line HistoryLine, day *string){
	"text": func(b *strings.Builder, line HistoryLine, _ *string) { b.WriteString(line.text()) },
	"jsonl": func(b *strings.Builder, line HistoryLine, _ *string) {
		_ = json.NewEncoder(b).Encode(line) // such a value always can be
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

// text is a message for a terminal.
func (l HistoryLine) text() string {
	return l.At.Format("2006-01-02 15:04") + "  " + l.head() + "\n" + indented(strings.TrimSpace(l.Text+"\n"+l.calls()))
}

// head says who has said a message, and where.
func (l HistoryLine) head() string {
	head := fmt.Sprintf("%s, %s", l.Who, l.Channel)
	if l.Chat != "" {
		head += " " + printable.Escape(l.Chat)
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

// indented is a text whose lines no terminal obeys.
func indented(text string) (s string) {
	for line := range strings.Lines(text) {
		s += "    " + printable.Escape(strings.TrimRight(line, "\r\n")) + "\n"
	}
	return s
}
