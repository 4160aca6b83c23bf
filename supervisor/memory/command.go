package memory

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"mews/protocol"
	"mews/protocol/amount"
	"mews/supervisor"
	"mews/supervisor/feature"
	"mews/supervisor/markdown"
)

const (
	prefix = "k:"
	page   = 8
)

// ForgetButtonPress returns the press of a button that forgets a fact.
func ForgetButtonPress(fact string) string { return prefix + "forget " + fact }

func (m *Memory) commands() []feature.Command {
	return []feature.Command{{SlashCommand: supervisor.SlashCommand{Name: "memory",
		Help: "what I remember of you, and where it comes from; /memory k7, /memory correct k7 WORDS, /memory " +
			"forget k7, /memory import PATH"},
		Group: feature.HelpGroupEveryday, Run: m.command, Private: feature.AlwaysPrivateAnswer, Prefix: prefix}}
}

// words are the first words of /memory and of its buttons' presses. Any other word is a fact's id.
var words = map[string]func(m *Memory, ctx context.Context, user, rest string) (supervisor.Delivery, error){
	"":        (*Memory).listFacts,
	"from":    (*Memory).listFacts,
	"correct": (*Memory).correctFact,
	"forget":  (*Memory).forgetFact,
	"import":  (*Memory).importFacts,
	wordOld:   (*Memory).restoreFact,
}

// command runs /memory. The first word of its arguments chooses the action.
func (m *Memory) command(ctx context.Context, r feature.CommandRequest) (d supervisor.Delivery, err error) {
	what, rest, _ := strings.Cut(strings.TrimSpace(r.Arguments), " ")
	do, known := words[strings.ToLower(what)]
	if !known {
		do, rest = (*Memory).showFact, what
	}
	return do(m, ctx, r.Conversation.User, strings.TrimSpace(rest))
}

// listFacts lists a page of facts, with a button for each. rest is the number of facts to skip.
func (m *Memory) listFacts(ctx context.Context, user, rest string) (d supervisor.Delivery, err error) {
	from, _ := strconv.Atoi(rest) // from is 0 if rest is no number
	r, err := m.RunAction(ctx, user, protocol.MemoryParameters{Action: protocol.MemoryActionList, Offset: from,
		Limit: page})
	if err != nil || len(r.Facts) == 0 {
		return supervisor.Delivery{Text: textNoFacts}, err
	}
	d.Text = fmt.Sprintf(textFacts, amount.Plural(r.Total, "fact", "facts"))
	var row []supervisor.Button
	for _, f := range r.Facts {
		d.Text += fmt.Sprintf(textFactLine, f.ID, markdown.EscapeName(f.Text), f.Origin)
		row = append(row, supervisor.Button{Text: f.ID, Press: prefix + f.ID})
		if len(row) == page/2 {
			d.Buttons, row = append(d.Buttons, row), nil
		}
	}
	if len(row) > 0 {
		d.Buttons = append(d.Buttons, row)
	}
	if next := from + len(r.Facts); next < r.Total {
		d.Buttons = append(d.Buttons, []supervisor.Button{{Text: textMoreButton,
			Press: fmt.Sprint(prefix, "from ", next)}})
	}
	return d, nil
}

// oneFact shows, corrects or forgets one fact, and returns the result for the user.
func (m *Memory) oneFact(ctx context.Context, user string, p protocol.MemoryParameters,
	format string) (d supervisor.Delivery, err error) {
	if p.ID == "" || p.Action == protocol.MemoryActionCorrect && strings.TrimSpace(p.Text) == "" {
		return supervisor.Delivery{Text: textMemoryUsage}, nil
	}
	r, err := m.RunAction(ctx, user, p)
	if err != nil || len(r.Facts) == 0 {
		return supervisor.Delivery{Text: fmt.Sprintf(textNoFact, markdown.EscapeName(p.ID))}, err
	}
	f := r.Facts[0]
	if format == textFact && f.Line == 0 {
		format = textEarlierFact
	}
	d.Text = fmt.Sprintf(format, f.ID, markdown.EscapeName(f.Text), f.Kind, f.Confidence, f.Origin, f.Line)
	if p.Action == protocol.MemoryActionShow {
		d.Buttons = [][]supervisor.Button{{{Text: textForgetButton, Press: m.o.AskForget(f.ID)}}}
	}
	return d, nil
}

func (m *Memory) showFact(ctx context.Context, user, id string) (supervisor.Delivery, error) {
	return m.oneFact(ctx, user, protocol.MemoryParameters{Action: protocol.MemoryActionShow, ID: id}, textFact)
}

func (m *Memory) forgetFact(ctx context.Context, user, id string) (supervisor.Delivery, error) {
	d, err := m.oneFact(ctx, user, protocol.MemoryParameters{Action: protocol.MemoryActionForget, ID: id},
		textFactForgotten)
	if err == nil && m.o.HistoryLeft != nil {
		d.Text += m.o.HistoryLeft(user)
	}
	return d, err
}

func (m *Memory) correctFact(ctx context.Context, user, rest string) (supervisor.Delivery, error) {
	id, text, _ := strings.Cut(rest, " ")
	return m.oneFact(ctx, user, protocol.MemoryParameters{Action: protocol.MemoryActionCorrect, ID: id, Text: text},
		textFactCorrected)
}

func (m *Memory) importFacts(ctx context.Context, user, path string) (d supervisor.Delivery, err error) {
	r, err := m.RunAction(ctx, user, protocol.MemoryParameters{Action: protocol.MemoryActionImport, Path: path})
	if err != nil {
		return d, err
	}
	d.Text = fmt.Sprintf(textImported, amount.Plural(r.Added, "fact", "facts"), amount.Plural(r.Notes, "note", "notes"),
		r.Known)
	for _, left := range r.NotImported {
		d.Text += "\n- " + markdown.EscapeName(left)
	}
	if r.More > 0 {
		d.Text += fmt.Sprintf(textImportMore, r.More)
	}
	return d, nil
}
