package offline

import (
	"slices"
	"strings"

	"mews/protocol"
	"mews/supervisor"
)

// intent is something that a person may want.
type intent struct {
	name     string
	example  string   // one way to ask for it, as the help shows it; "" keeps it out of the help
	phrases  []phrase // tried in order
	needs    []need   // what has to be known before it can be done, in the order of asking
	file     string   // the file that it is always about, where there is one
	destroys bool     // what was there before is gone: it takes a plain order at the beginning of the message
	whole    bool     // it takes all of the message as it is written, whatever else that might say
	do       func(r *run, s slots)
}

// need is something to know, and how to ask for it.
type need struct {
	slot string
	kind string   // the kind of the answer; "" is a file's name
	ask  string   // may name other slots: "Where should I move {path} to?"
	or   []string // slots that do as well
}

// question is the need's question. It ends in a question mark, and is what the answer is recognised by.
func (n need) question(s slots) string {
	if !strings.Contains(n.ask, "{") {
		return n.ask
	}
	var known []string
	for name, value := range s {
		known = append(known, "{"+name+"}", value)
	}
	return strings.NewReplacer(known...).Replace(n.ask)
}

// match fills the slots of the first of the intent's phrases that text is of.
func (it *intent) match(text string) (slots, bool) {
	for _, p := range it.phrases {
		if s, ok := p.match(text); ok {
			return s, true
		}
	}
	return nil, false
}

// book is all the rules. It is not changed once it is made.
type book struct {
	intents   []*intent // tried in order: the narrow ones come first
	unknown   *intent   // what nothing else matches
	cancelled *intent   // a question taken back
	unclear   *intent   // a text that may end in an order
}

func newBook() *book {
	b := &book{unknown: unknownIntent(), cancelled: cancelIntent(), unclear: unclearIntent()}
	b.intents = slices.Concat(
		[]*intent{b.cancelled}, talk(), todos(), notes(), programs(), cannot(), finds(), lists(), reads(), changes(),
		[]*intent{howTo()},
	)
	return b
}

// say makes the phrases of an intent.
func say(sources []string) []phrase {
	phrases := make([]phrase, len(sources))
	for i, source := range sources {
		phrases[i] = newPhrase(source)
	}
	return phrases
}

// answer is the model's next message.
func (b *book) answer(req supervisor.ModelRequest) protocol.Message {
	t := transcript(req.Messages)
	i := t.lastUser(len(t))
	if i < 0 {
		return textMessage("There is no message to answer.")
	}
	if pictured(t[i]) && strings.TrimSpace(t[i].Text()) == "" {
		return textMessage(unseen + " I am the offline model, a list of rules. " + howToConnect)
	}
	p := b.understand(t, i, 0)
	if question := p.question(); question != "" {
		return textMessage(question)
	}
	r := &run{book: b, past: t[:i], steps: t.steps(i + 1), offered: req.Tools}
	answer := r.play(p)
	if pictured(t[i]) && len(answer.Calls()) == 0 {
		return textMessage(unseen + "\n\n" + answer.Text())
	}
	return answer
}

// unseen is what is said of a picture that came with a message.
const unseen = "I cannot see the picture that you sent."

// pictured says whether a message has a picture.
func pictured(m protocol.Message) bool {
	return slices.ContainsFunc(m.Parts, func(p protocol.Part) bool { return p.Image != nil })
}

func textMessage(text string) protocol.Message {
	return protocol.Message{Role: protocol.RoleAssistant, Parts: []protocol.Part{{Text: text}}}
}
