package command

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"mews/protocol"
	"mews/protocol/amount"
	"mews/supervisor"
)

// Memories are what is remembered of people, which their workers see to. Errors are for the person.
type Memories interface {
	See(ctx context.Context, user string, p protocol.MemoryParameters) (protocol.MemoryResult, error)
	// Mentions counts the rows of the service in which the words of a fact stand, by table.
	Mentions(ctx context.Context, user string, f protocol.MemoryFact) (map[string]int64, error)
}

const (
	memoryPrefix = "k:"
	memoryPage   = 8
)

func init() {
	register(row{SlashCommand: supervisor.SlashCommand{Name: "memory",
		Help: "what I remember of you, and where each comes from; /memory k7, /memory correct k7 WORDS, /memory forget k7, /memory import PATH"},
		place: 83, run: memory, private: always, prefix: memoryPrefix})
}

// memoryWords are what /memory and its buttons may do; any other word is the id of a fact.
var memoryWords = map[string]func(ctx context.Context, c *Commands, user, rest string) (supervisor.Delivery, error){
	"":        listFacts,
	"from":    listFacts,
	"correct": correctFact,
	"forget":  forgetFact,
	"import":  importFacts,
}

// memory does what its first word says.
func memory(ctx context.Context, c *Commands, r Request) (d supervisor.Delivery, err error) {
	what, rest, _ := strings.Cut(strings.TrimSpace(r.Arguments), " ")
	do, known := memoryWords[strings.ToLower(what)]
	if !known {
		do, rest = showFact, what
	}
	return do(ctx, c, r.Conversation.User, strings.TrimSpace(rest))
}

// listFacts lists a page of facts, with a button for each. rest is how many stand before it.
func listFacts(ctx context.Context, c *Commands, user, rest string) (d supervisor.Delivery, err error) {
	from, _ := strconv.Atoi(rest) // 0 of what is none
	r, err := c.o.Memories.See(ctx, user, protocol.MemoryParameters{Action: protocol.MemoryList, Offset: from, Limit: memoryPage})
	if err != nil || len(r.Facts) == 0 {
		return supervisor.Delivery{Text: textNoFacts}, err
	}
	d.Text = fmt.Sprintf(textFacts, amount.Plural(r.Total, "fact", "facts"))
	var row []supervisor.Button
	for _, f := range r.Facts {
		d.Text += fmt.Sprintf(textFactLine, f.ID, QuoteName(f.Text), f.Source)
		row = append(row, supervisor.Button{Text: f.ID, Press: memoryPrefix + f.ID})
		if len(row) == memoryPage/2 {
			d.Buttons, row = append(d.Buttons, row), nil
		}
	}
	if len(row) > 0 {
		d.Buttons = append(d.Buttons, row)
	}
	if next := from + len(r.Facts); next < r.Total {
		d.Buttons = append(d.Buttons, []supervisor.Button{{Text: textMoreButton, Press: fmt.Sprint(memoryPrefix, "from ", next)}})
	}
	return d, nil
}

// oneFact does something with a fact, and says what came of it.
func oneFact(ctx context.Context, c *Commands, user string, p protocol.MemoryParameters, format string) (d supervisor.Delivery, err error) {
	r, err := c.o.Memories.See(ctx, user, p)
	if err != nil || len(r.Facts) == 0 {
		return supervisor.Delivery{Text: fmt.Sprintf(textNoFact, QuoteName(p.ID))}, err
	}
	f := r.Facts[0]
	d.Text = fmt.Sprintf(format, f.ID, QuoteName(f.Text), f.Kind, f.Confidence, f.Source, f.Line)
	if p.Action == protocol.MemoryShow {
		d.Buttons = [][]supervisor.Button{{{Text: textForgetButton, Press: forgetPrefix + pressSpan + " " + oneFactOf + f.ID}}}
	}
	return d, nil
}

func showFact(ctx context.Context, c *Commands, user, id string) (supervisor.Delivery, error) {
	return oneFact(ctx, c, user, protocol.MemoryParameters{Action: protocol.MemoryShow, ID: id}, textFact)
}

func forgetFact(ctx context.Context, c *Commands, user, id string) (supervisor.Delivery, error) {
	return oneFact(ctx, c, user, protocol.MemoryParameters{Action: protocol.MemoryForget, ID: id}, textFactForgotten)
}

func correctFact(ctx context.Context, c *Commands, user, rest string) (supervisor.Delivery, error) {
	id, text, _ := strings.Cut(rest, " ")
	return oneFact(ctx, c, user, protocol.MemoryParameters{Action: protocol.MemoryCorrect, ID: id, Text: text}, textFactCorrected)
}

func importFacts(ctx context.Context, c *Commands, user, path string) (d supervisor.Delivery, err error) {
	r, err := c.o.Memories.See(ctx, user, protocol.MemoryParameters{Action: protocol.MemoryImport, Path: path})
	if err != nil {
		return d, err
	}
	d.Text = fmt.Sprintf(textImported, amount.Plural(r.Added, "fact", "facts"), amount.Plural(r.Notes, "note", "notes"), r.Known)
	for _, left := range r.Left {
		d.Text += "\n- " + QuoteName(left)
	}
	if r.More > 0 {
		d.Text += fmt.Sprintf(textImportMore, r.More)
	}
	return d, nil
}
