package offline

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// command is one thing that the person wants done.
type command struct {
	intent *intent
	slots  slots
}

// missing is the first thing that the command needs and does not have.
func (c command) missing() (need, bool) {
	for _, n := range c.intent.needs {
		known := func(slot string) bool { _, ok := c.slots[slot]; return ok }
		if !known(n.slot) && !slices.ContainsFunc(n.or, known) {
			return n, true
		}
	}
	return need{}, false
}

// plan is what one message asks for: one command or a few, in order.
type plan []command

// question is what has to be asked before the plan can begin; "" when nothing is missing.
func (p plan) question() string {
	for _, c := range p {
		if n, missing := c.missing(); missing {
			return n.question(c.slots)
		}
	}
	return ""
}

const (
	maxAsked   = 4   // questions in a row that one request may lead to
	maxClauses = 3   // commands in one message
	maxJoined  = 500 // bytes of a message that may hold more than one command: a longer one is a text
)

// understand is the plan of the person's message at index i of t. Where the message before it in the transcript is a
// question of ours, it is taken as the answer.
func (b *book) understand(t transcript, i, depth int) plan {
	text := strings.TrimSpace(t[i].Text())
	if before := t.lastUser(i); before >= 0 && depth < maxAsked {
		if said := t.lastSaid(before, i); strings.HasSuffix(said, "?") {
			if p, ok := b.answered(b.understand(t, before, depth+1), said, text); ok {
				return p
			}
		}
	}
	return b.parse(text, t.lastFile(i))
}

// parse reads a message that stands by itself. It is the plan of its clauses when each is a command, else of its whole.
func (b *book) parse(text, it string) plan {
	if c, ok := b.command(text); ok && c.intent.whole {
		return plan{c}
	}
	if clauses := splitClauses(text); len(clauses) > 1 {
		if p, ok := b.parseClauses(clauses, it); ok {
			return p
		}
	}
	c, ok := b.command(text)
	if !ok {
		return plan{{intent: b.unknown, slots: slots{}}}
	}
	return plan{c.refer(it)}
}

// parseClauses reads each clause as a command. After words that are to be written somewhere, and were not quoted, an
// order that destroys something might be words of the same text: then nothing is done.
func (b *book) parseClauses(clauses []string, it string) (plan, bool) {
	var p plan
	open, unclear := false, false
	for _, clause := range clauses {
		c, ok := b.command(clause)
		if !ok {
			return nil, false
		}
		if open && c.intent.destroys {
			unclear = true
		}
		c = c.refer(it)
		p = append(p, c)
		if named := c.names(); named != "" {
			it = named
		}
		open = open || !strings.HasSuffix(clause, `"`) && c.freeText()
	}
	if unclear {
		return plan{{intent: b.unclear, slots: slots{}}}, true
	}
	return p, true
}

// freeText says whether the command holds words that the person wants written.
func (c command) freeText() bool {
	for _, name := range []string{"content", "new"} {
		if c.slots[name] != "" {
			return true
		}
	}
	return false
}

// names is the file that the command leaves behind as "it".
func (c command) names() string {
	if to := c.slots["to"]; to != "" {
		return to
	}
	if c.intent.file != "" {
		return c.intent.file
	}
	return c.slots["path"]
}

// refer puts the file that was last spoken of in place of "it", and takes out words that name nothing.
func (c command) refer(it string) command {
	for _, name := range []string{"path", "to"} {
		value, ok := c.slots[name]
		switch {
		case !ok:
		case isPronoun(value) && it != "":
			c.slots[name] = it
		case isPronoun(value) || isGeneric(value):
			delete(c.slots, name)
		}
	}
	if content, ok := c.slots["content"]; ok && standIn(content) {
		delete(c.slots, "content")
	}
	return c
}

// separator stands between two commands; its group, where it took part, is the beginning of the second.
var separator = lazy(`(?i)\s*;\s*|[,.]?\s+(?:and\s+)?then,?\s+|,?\s+and\s+also\s+|` +
	`,?\s+and\s+((?:show|read|display|print|open)\s+(?:it|me|that)\b)`)

// splitClauses cuts a message where one command may end and another begin. A text with lines is left whole, as is what
// stands in quotes.
func splitClauses(text string) []string {
	if len(text) > maxJoined || strings.Contains(text, "\n") {
		return []string{text}
	}
	var clauses []string
	start := 0
	for _, at := range separator().FindAllStringSubmatchIndex(text, -1) {
		before := text[:at[0]]
		if strings.Count(before, `"`)%2 == 1 || strings.Count(before, "“") > strings.Count(before, "”") {
			continue
		}
		clauses = append(clauses, text[start:at[0]])
		start = at[1]
		if at[2] >= 0 {
			start = at[2]
		}
	}
	clauses = append(clauses, text[start:])
	if len(clauses) > maxClauses {
		return []string{text}
	}
	return clauses
}

// courtesies are what a request may begin with. They are taken off one by one, as long as nothing is understood.
var courtesies = lazy(`(?i)^(?:please|pls|kindly|do\s+you\s+know|(?:can|could)\s+you\s+tell\s+me|` +
	`(?:can|could|would|will)\s+you|i\s+(?:want|need)\s+you\s+to|i(?:'d|’d|\s+would)\s+like\s+you\s+to|go\s+ahead\s+and|` +
	`let['’]?s|ok|okay|so|now|then|and|also|just|well|great|perfect|thanks|thank\s+you|hi|hello|hey|` +
	`good\s+(?:morning|afternoon|evening)|mews|there|yes)(?:\s*[,.!:]+\s*|\s+)`)

// lazy is a regular expression that is compiled when it is first used.
func lazy(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// command reads text as one command. What destroys something has to begin with the order for it: a question about it is
// not one, unless it is put as a request ("can you ...?").
func (b *book) command(text string) (command, bool) {
	text = strings.TrimSpace(text)
	for asked := false; ; {
		for _, it := range b.intents {
			if it.destroys && !asked && strings.HasSuffix(text, "?") {
				continue
			}
			if s, ok := it.match(text); ok {
				return command{it, s}, true
			}
		}
		prefix := courtesies().FindString(text)
		if prefix == "" || len(prefix) == len(text) {
			return command{}, false
		}
		text = text[len(prefix):]
		if asks().MatchString(prefix) {
			asked = true
			text = strings.TrimRight(text, " ?") // the question is not part of what is asked for
		}
	}
}

// asks matches a courtesy that makes a question of a request.
var asks = lazy(`(?i)^(?:can|could|would|will)\s+you\b`)

// answered puts a person's answer where the question belongs. It is not one when it is a request of its own, or when
// the question was not this plan's; then ok is false.
func (b *book) answered(p plan, question, answer string) (filled plan, ok bool) {
	i, n, ok := p.asked(question)
	if !ok {
		return nil, false
	}
	if b.cancels(answer) {
		return plan{{intent: b.cancelled, slots: slots{}}}, true
	}
	value, ok := b.value(n, answer)
	if !ok {
		return nil, false
	}
	return p.with(i, n.slot, value), true
}

// asked finds what a question of this plan's is about: what was missing from the start, or else what turned out to be
// while the plan ran.
func (p plan) asked(question string) (int, need, bool) {
	for i, c := range p {
		if n, missing := c.missing(); missing {
			return i, n, strings.HasSuffix(question, n.question(c.slots))
		}
	}
	for i, c := range slices.Backward(p) {
		for _, n := range c.intent.needs {
			if strings.HasSuffix(question, n.question(c.slots)) {
				return i, n, true
			}
		}
	}
	return 0, need{}, false
}

// with is p with a slot of its command i filled. A question that came up while the plan ran, after the earlier commands
// were done, leaves those out.
func (p plan) with(i int, slot, value string) plan {
	filled := slices.Clone(p)
	if p.question() == "" {
		filled, i = filled[i:], 0
	}
	s := slots{slot: value}
	for name, v := range filled[i].slots {
		if name != slot {
			s[name] = v
		}
	}
	filled[i].slots = s
	return filled
}

// maxNameWords is how long a file's name may be as an answer, in words.
const maxNameWords = 6

// value is the value that an answer gives the slot, if it is one.
func (b *book) value(n need, answer string) (string, bool) {
	if answer == "" {
		return "", false
	}
	if kinds()[n.kind].verbatim {
		return plain(answer), true
	}
	name := bareName(answer)
	if hasEnding(name) && !strings.ContainsAny(name, " \n") {
		return name, true
	}
	if _, other := b.command(answer); other || isGeneric(name) || len(strings.Fields(name)) > maxNameWords {
		return "", false
	}
	return name, true
}

// bareName is a name without the words that people put around it in an answer: "the file called a.txt, please".
func bareName(answer string) string {
	name := strings.TrimRight(withoutCourtesy(answer), ".,?! \n")
	for {
		short := courtesies().ReplaceAllString(strings.TrimSpace(name), "")
		if short == name || short == "" {
			break
		}
		name = short
	}
	return unquote(fillers().ReplaceAllString(name, ""))
}

// withoutCourtesy is text up to the courtesy at its end.
func withoutCourtesy(text string) string {
	for _, n := range words(manyWords)(text, true) {
		if isCourtesy(text[n:]) {
			return text[:n]
		}
	}
	return text
}

// fillers are words before a name in an answer.
var fillers = lazy(`(?i)^(?:(?:in|into|to|it['’]?s|it\s+is|the|my|a|one|file|folder|called|named)\s+)+`)

// cancels says whether an answer takes the request back.
func (b *book) cancels(answer string) bool {
	_, ok := b.cancelled.match(strings.TrimSpace(answer))
	return ok
}
