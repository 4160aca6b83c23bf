package supervisor

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"mews/supervisor/printable"
)

// Effect is one thing that was done for a person: a row of the ledger.
type Effect struct {
	ID         int64
	User       string
	Turn       int64  // 0 where none did it
	Call       string // the tool call that did it; "" where none did
	Kind       string // one of EffectKinds
	Target     string // what it was done to
	Detail     string
	ReportedBy Reporter // whose word it is
	At         time.Time
}

// Reporter is whose word an effect is.
type Reporter string

const (
	ReportedByWorker     Reporter = "worker"     // what runs in a worker may have it say anything
	ReportedBySupervisor Reporter = "supervisor" // it was done here
)

// The kinds of effects that the supervisor reports.
const (
	EffectFileSent    = "file.sent"
	EffectMessageSent = "message.sent"
	EffectBegun       = "call.begun" // and not known to have ended
	EffectUndone      = "change.undone"
	EffectAsked       = "question.asked"
	EffectReceived    = "file.received"
	EffectCorrected   = "fact.corrected" // by its person, as are the next two
	EffectForgotten   = "fact.forgotten"
	EffectImported    = "memory.imported"
)

// The groups of kinds, as people ask for them.
const (
	EffectsChanged  = "changed"
	EffectsRun      = "run"
	EffectsSent     = "sent"
	EffectsAsked    = "asked"
	EffectsReceived = "received"
)

// EffectKind is a kind of effects, and how a line about one reads: words, its target, and its
// detail.
type EffectKind struct {
	Name  string
	Group string

	words  string
	detail string // how the detail is put in
	until  string // where what is told of the detail ends; "" is nowhere
	ends   string // the end of its line
	named  bool   // the detail is a name, as the target is
	last   bool   // the last detail is told of several
	unsaid bool   // it is not told below an answer: its person has done it, or has had it done
}

// ReportedBy is whose word an effect of the kind is.
func (k EffectKind) ReportedBy() Reporter {
	if strings.Contains(k.Name, ".") {
		return ReportedBySupervisor
	}
	return ReportedByWorker
}

// FindEffectKind finds a kind by its name.
func FindEffectKind(name string) (k EffectKind, known bool) {
	i := slices.IndexFunc(EffectKinds, func(k EffectKind) bool { return k.Name == name })
	if i < 0 {
		return EffectKind{Name: name, words: name, detail: " (%s)"}, false
	}
	return EffectKinds[i], true
}

// EffectGroups are the groups of EffectKinds in their order.
func EffectGroups() (groups []string) {
	for _, k := range EffectKinds {
		groups = append(groups, k.Group)
	}
	return slices.Compact(groups)
}

// KindsOf are the names of a group's kinds; none of a group that there is not.
func KindsOf(group string) (names []string) {
	for _, k := range EffectKinds {
		if k.Group == group {
			names = append(names, k.Name)
		}
	}
	return names
}

// Words say in a few words what was done. quote makes a name that others gave fit where it is to
// stand; nil only takes out what can't be printed.
func (e Effect) Words(quote func(string) string) string {
	k, _ := FindEffectKind(e.Kind)
	return k.line(e, 1, quote)
}

// maxEffectField is how many characters are told of a target or a detail.
const maxEffectField = 80

// line is about n effects of one kind and target, of which e is the last.
func (k EffectKind) line(e Effect, n int, quote func(string) string) string {
	if quote == nil {
		quote = func(s string) string { return s }
	}
	line := k.words
	if target := clipped(e.Target); target != "" {
		line += " " + quote(target)
	}
	if k.until != "" {
		e.Detail, _, _ = strings.Cut(e.Detail, k.until)
	}
	detail, form := clipped(e.Detail), k.detail
	if n > 1 {
		line, form = line+fmt.Sprintf(textManyTimes, n), textLastTime
	}
	if detail == "" || n > 1 && !k.last {
		return line + k.ends
	}
	if k.named {
		detail = quote(detail)
	}
	return line + fmt.Sprintf(form, detail) + k.ends
}

// clipped is the beginning of a text, on one line.
func clipped(text string) string {
	runes := []rune(printable.Text(strings.Join(strings.Fields(text), " ")))
	if len(runes) > maxEffectField {
		return string(runes[:maxEffectField-1]) + "…"
	}
	return string(runes)
}

// maxEffectLines is how many lines stand below an answer; the last may count the rest.
const maxEffectLines = 10

// EffectLines are what stands below the answer of a turn with these effects, in the order in which
// they were done first: a line for each thing that was done, however often.
func EffectLines(done []Effect) (lines []string) {
	type thing struct{ kind, target string }
	var order []thing
	times, last := map[thing]int{}, map[thing]Effect{}
	for _, e := range done {
		t := thing{e.Kind, e.Target}
		if k, _ := FindEffectKind(e.Kind); k.unsaid {
			continue
		}
		if times[t]++; times[t] == 1 {
			order = append(order, t)
		}
		last[t] = e
	}
	for i, t := range order {
		if left := len(order) - i; i == maxEffectLines-1 && left > 1 {
			return append(lines, fmt.Sprintf(textMoreEffects, left))
		}
		k, _ := FindEffectKind(t.kind)
		lines = append(lines, k.line(last[t], times[t], nil))
	}
	return lines
}

// BoundEffects are as many of some lines as stand below an answer.
func BoundEffects(lines []string) []string {
	if left := len(lines) - maxEffectLines + 1; left > 1 {
		return append(lines[:maxEffectLines-1:maxEffectLines-1], fmt.Sprintf(textMoreEffects, left))
	}
	return lines
}

// EffectCount is how many effects of a group a person has.
type EffectCount struct {
	User  string `json:"user"`
	Group string `json:"kind"`
	Count int    `json:"count"`
}

// CompareEffectCounts sorts them by person and then as the groups are.
func CompareEffectCounts(a, b EffectCount) int {
	groups := EffectGroups()
	return cmp.Or(strings.Compare(a.User, b.User), slices.Index(groups, a.Group)-slices.Index(groups, b.Group))
}
