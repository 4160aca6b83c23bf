package answer

import (
	"strconv"
	"strings"
	"time"

	"mews/protocol"
	"mews/supervisor"
)

// toAsk is what a message says to a question of a model's.
func toAsk(q protocol.Ask, text string, _ time.Time) (a supervisor.Answer, ok bool) {
	switch q.Kind {
	case protocol.AskText:
		return supervisor.Answer{Say: supervisor.SayThis, Text: text}, true
	case protocol.AskChoice:
		if i, err := strconv.Atoi(strings.TrimSpace(text)); err == nil && i > 0 && i <= len(q.Options) {
			return supervisor.Answer{Say: supervisor.SayThis, Options: []int{i - 1}}, true
		}
	}
	return a, false
}

func pressedAsk(q protocol.Ask, _ supervisor.Answer, word string) (a supervisor.Answer, came supervisor.PressResult) {
	if i, err := strconv.Atoi(word); err == nil && i >= 0 && i < len(q.Options) {
		return supervisor.Answer{Say: supervisor.SayThis, Options: []int{i}}, supervisor.PressTaken
	}
	return a, supervisor.PressForeign
}

func askButtons(q protocol.Ask, _ supervisor.Answer, press func(string) string) (rows [][]supervisor.Button) {
	for i, option := range q.Options {
		rows = append(rows, []supervisor.Button{{Text: option, Press: press(strconv.Itoa(i))}})
	}
	return rows
}

// toldAsk is an answer to a question of a model's in words, for the person.
func toldAsk(q supervisor.Question) string {
	var said []string
	for _, i := range q.Answer.Options {
		said = append(said, q.Ask.Options[i])
	}
	if q.Answer.Text != "" {
		said = append(said, q.Answer.Text)
	}
	return "➜ " + strings.Join(said, ", ")
}
