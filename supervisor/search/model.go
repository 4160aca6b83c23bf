package search

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"mews/protocol"
	"mews/protocol/foreign"
	"mews/supervisor"
	"mews/supervisor/index"
	"mews/supervisor/printable"
)

// Numbers of characters that a model sees: of a hit, of its neighbours, and of a message in a list.
const (
	hitExcerpt       = 320
	neighbourExcerpt = 120
	listExcerpt      = 500
)

// SearchHistory runs the tool search_history for the conversation destination. In a group it
// searches only that group. Its errors are for the model.
func (s *Searcher) SearchHistory(ctx context.Context, user string, destination int64,
	a protocol.HistorySearchArguments) (found protocol.SearchResult, err error) {
	in, _, err := s.Conversations.FindConversation(ctx, destination)
	if err != nil {
		return found, err
	}
	q := Query{User: user, Words: a.Words, Source: index.ScopeTranscript, Who: a.Who, OmitShownIn: destination,
		Limit: HitsPerPage}
	if in.IsInGroup() {
		q.Conversation = destination
	}
	q.Span, err = s.ParseSpan(user, a.From, a.To)
	switch {
	case err != nil:
		return found, err
	case a.Who != "" && a.Who != supervisor.SpeakerUser && a.Who != supervisor.SpeakerAssistant:
		return found, supervisor.Errorf(supervisor.CodeInvalid, textNoWho, a.Who)
	case strings.TrimSpace(a.Words) != "":
		return s.forModel(ctx, q, textInHistory)
	case q.Span == supervisor.TimeSpan{}:
		return found, supervisor.Errorf(supervisor.CodeInvalid, textNoQuery)
	}
	return s.listForModel(ctx, q)
}

// SearchHome runs the tool search_home. Its errors are for the model.
func (s *Searcher) SearchHome(ctx context.Context, user string, a protocol.HomeSearchArguments) (found protocol.SearchResult, err error) {
	if strings.TrimSpace(a.Words) == "" {
		return found, supervisor.Errorf(supervisor.CodeInvalid, textNoWords)
	}
	return s.forModel(ctx, Query{User: user, Words: a.Words, Source: index.ScopeHome, Under: a.Under,
		Limit: HitsPerPage}, textInHome)
}

// forModel runs a query and formats its hits for a model, in at most protocol.MaxSearchAnswerBytes.
func (s *Searcher) forModel(ctx context.Context, q Query, where string) (told protocol.SearchResult, err error) {
	found, err := s.FindHits(ctx, q)
	if err != nil {
		return told, err
	}
	if len(found.Hits) == 0 {
		told.Text = fmt.Sprintf(textNothing, where, excerpt(q.Words, "", neighbourExcerpt))
	}
	end := ""
	if found.More {
		end = textMoreForModel
	}
	if found.Omitted {
		end += textShown
	}
	if found.Incomplete != "" {
		end += "\n(" + found.Incomplete + ")"
	}
	for i, h := range found.Hits {
		text := fmt.Sprintf("%d. %s", i+1, h.forModel(q.Words, s.Zone(q.User)))
		if len(told.Text)+len(text)+len(end)+len(textMoreForModel) > protocol.MaxSearchAnswerBytes {
			told.Text += textMoreForModel
			break
		}
		told.Text += text
		told.World = told.World || h.hasOthersWords()
	}
	told.Text = strings.TrimSpace(told.Text + end)
	return told, nil
}

// forModel formats one hit for a model.
func (h Hit) forModel(words string, zone *time.Location) string {
	if h.Source == index.ScopeHome {
		text := fmt.Sprintf(textFileHit, printable.DropControls(h.Path), h.Line)
		if h.Heading != "" {
			text += " (" + excerpt(h.Heading, words, neighbourExcerpt) + ")"
		}
		return text + ": " + excerpt(h.Text, words, hitExcerpt) + "\n"
	}
	text := line(h.Message, words, hitExcerpt, zone, textHitTime) + "\n"
	for _, m := range []supervisor.HistoryMessage{h.Before, h.After} {
		if m.ID != 0 {
			text += "   " + neighbourLabels[m.ID > h.Message.ID] + line(m, "", neighbourExcerpt, zone, "15:04") + "\n"
		}
	}
	return text
}

// line formats a message on one line: time, conversation, sender and words.
func line(m supervisor.HistoryMessage, words string, most int, zone *time.Location, layout string) string {
	return fmt.Sprintf("%s, %s, %s: %s", m.At.In(zone).Format(layout), ConversationName(m.Conversation), m.Speaker(), cmp.Or(excerpt(messageText(m), words, most), textWordless))
}

// hasOthersWords reports whether a hit may contain other people's words.
func (h Hit) hasOthersWords() bool {
	if h.Source == index.ScopeHome {
		return strings.HasPrefix(h.Path, protocol.UploadsFolder+"/") || strings.HasPrefix(h.Path, protocol.LogsFolder+"/")
	}
	for _, m := range []supervisor.HistoryMessage{h.Message, h.Before, h.After} {
		if m.Origin == supervisor.OriginWorld {
			return true
		}
	}
	return h.World
}

// listForModel lists the messages of a span for a model, in at most protocol.MaxSearchAnswerBytes.
func (s *Searcher) listForModel(ctx context.Context, q Query) (told protocol.SearchResult, err error) {
	list, err := s.Transcript.ListHistory(ctx, supervisor.HistoryQuery{User: q.User, Conversation: q.Conversation,
		Span: q.Span, Speaker: q.Who, Limit: maxHits})
	if len(list) == 0 || err != nil {
		return protocol.SearchResult{Text: textNothingSaid}, err
	}
	zone := s.Zone(q.User)
	for i, m := range list {
		text := line(m, "", listExcerpt, zone, "2006-01-02 15:04") + "\n"
		if i == maxHits-1 || len(told.Text)+len(text)+len(textGoesOn)+20 > protocol.MaxSearchAnswerBytes {
			told.Text += fmt.Sprintf(textGoesOn, m.At.In(zone).Format("2006-01-02 15:04"))
			break
		}
		told.Text += text
		told.World = told.World || m.Origin == supervisor.OriginWorld
	}
	return told, nil
}

// ReadMessage runs the tool read_message for the conversation destination. In a group it reads only
// messages of that group. Its errors are for the model.
func (s *Searcher) ReadMessage(ctx context.Context, user string, destination, message int64) (
	read protocol.SearchResult, err error) {
	in, _, err := s.Conversations.FindConversation(ctx, destination)
	if err != nil {
		return read, err
	}
	m, conversation, found, err := s.Transcript.FindWholeMessage(ctx, user, message)
	if err != nil {
		return read, err
	}
	from, known, err := s.Conversations.FindConversation(ctx, conversation)
	if err != nil {
		return read, err
	}
	if !found || !known || in.IsInGroup() && conversation != destination {
		return read, supervisor.Errorf(supervisor.CodeInvalid, textNoMessage, message)
	}
	text := wholeText(m.Message)
	if most := protocol.MaxReadMessageBytes; len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + textGoesOnUnread
	}
	read.World = m.World
	read.Text = fmt.Sprintf(textReadMessage, message, m.At.In(s.Zone(user)).Format(textHitTime), ConversationName(from),
		speakers[m.Role], foreign.IndentMarks(text))
	return read, nil
}

// speakers name the speakers of messages to the model.
var speakers = map[protocol.Role]string{protocol.RoleUser: supervisor.SpeakerUser,
	protocol.RoleAssistant: supervisor.SpeakerAssistant, protocol.RoleTool: textToolResult}

// wholeText returns all words of a message.
func wholeText(m protocol.Message) string {
	var texts []string
	for _, p := range m.Parts {
		if p.Text != "" {
			texts = append(texts, p.Text)
		}
		if p.Result != nil {
			texts = append(texts, p.Result.Text)
		}
	}
	return cmp.Or(strings.Join(texts, "\n"), textWordless)
}

// ConversationName names a conversation in a few words.
func ConversationName(c supervisor.Conversation) string {
	if c.IsInGroup() {
		return fmt.Sprintf(textGroup, c.Channel, printable.DropControls(c.Chat))
	}
	return string(c.Channel)
}
