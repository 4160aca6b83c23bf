package sqlite

import (
	"encoding/json"
	"fmt"
	"strings"

	"mews/protocol"
	"mews/supervisor"
)

// SettingConversationLog is the name of the setting to write conversations into a log in the home.
// The value ConversationLogOn turns the log on.
const (
	SettingConversationLog = "log"
	ConversationLogOn      = "on"
)

// putLog queues a log entry about the turn's inbounds and answer, if the user wants a log. A worker
// writes the entry after the turn has ended.
func (t turnTx) putLog(ins []supervisor.Inbound, answer string) {
	in := t.turn.Conversation
	if t.turn.Kind != supervisor.TurnChat || !talks(in) ||
		t.setting(in.User, SettingConversationLog) != ConversationLogOn {
		return
	}
	p := protocol.LogParameters{Turn: t.turn.ID, At: ins[0].ReceivedAt,
		Channel: t.policies.History.Channel(supervisor.SentMessageInfo{Conversation: in}), Answer: clipForLog(answer),
		Effects: t.policies.Effects.Lines(all(t, scanEffect, listDone, t.turn.ID))}
	for _, i := range ins {
		p.Said = append(p.Said, protocol.LoggedMessage{Text: t.wordsOf(i), World: i.Origin == supervisor.OriginWorld})
	}
	t.Insert(insertOperation, in.User, protocol.OperationKindLog, columnEncoder{p}, ins[0].ID, 0, t.Now, t.Now)
}

// wordsOf returns the words of an inbound and of its files.
func (t turnTx) wordsOf(in supervisor.Inbound) string {
	words := []string{in.Text}
	var parts []protocol.ContentPart
	if in.Parts != "" {
		if err := json.Unmarshal([]byte(in.Parts), &parts); err != nil {
			t.fail(fmt.Errorf("read what came with inbound %d: %w", in.ID, err))
		}
	}
	for _, p := range parts {
		words = append(words, p.Text)
	}
	return clipForLog(strings.Join(words, "\n"))
}

// clipForLog shortens a text for the log.
func clipForLog(text string) string {
	return strings.ToValidUTF8(text[:min(len(text), protocol.MaxLogTextBytes)], "")
}
