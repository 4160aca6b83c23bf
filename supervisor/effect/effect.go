// Package effect words what the ledger of effects has. It is pure, and imports no more than the words:
// the store asks it in the transaction that keeps what was done.
package effect

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mews/protocol/amount"
	"mews/supervisor"
	"mews/supervisor/printable"
)

// The groups of kinds, as people ask for them.
const (
	GroupChanged  = "changed"
	GroupRun      = "run"
	GroupSent     = "sent"
	GroupAsked    = "asked"
	GroupReceived = "received"
)

// Kind is a kind of effects, and how a line about one reads: words, its target, and its detail.
type Kind struct {
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

// FindKind finds a kind by its name.
func FindKind(name string) (k Kind, known bool) {
	i := slices.IndexFunc(Kinds, func(k Kind) bool { return k.Name == name })
	if i < 0 {
		return Kind{Name: name, words: name, detail: " (%s)"}, false
	}
	return Kinds[i], true
}

// Groups are the groups of Kinds in their order.
func Groups() (groups []string) {
	for _, k := range Kinds {
		groups = append(groups, k.Group)
	}
	return slices.Compact(groups)
}

// KindsOf are the names of a group's kinds; none of a group that there is not.
func KindsOf(group string) (names []string) {
	for _, k := range Kinds {
		if k.Group == group {
			names = append(names, k.Name)
		}
	}
	return names
}

// Words say in a few words what was done. quote makes a name that others gave fit where it is to
// stand; nil only takes out what can't be printed.
func Words(e supervisor.Effect, quote func(string) string) string {
	k, _ := FindKind(e.Kind)
	return k.line(e, 1, quote)
}

// maxEffectField is how many characters are told of a target or a detail.
const maxEffectField = 80

// line is about n effects of one kind and target, of which e is the last.
func (k Kind) line(e supervisor.Effect, n int, quote func(string) string) string {
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

// Lines are what stands below the answer of a turn with these effects, in the order in which
// they were done first: a line for each thing that was done, however often.
func Lines(done []supervisor.Effect) (lines []string) {
	type thing struct{ kind, target string }
	var order []thing
	times, last := map[thing]int{}, map[thing]supervisor.Effect{}
	for _, e := range done {
		t := thing{e.Kind, e.Target}
		if k, _ := FindKind(e.Kind); k.unsaid {
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
		k, _ := FindKind(t.kind)
		lines = append(lines, k.line(last[t], times[t], nil))
	}
	return lines
}

// Bound are as many of some lines as stand below an answer.
func Bound(lines []string) []string {
	if left := len(lines) - maxEffectLines + 1; left > 1 {
		return append(lines[:maxEffectLines-1:maxEffectLines-1], fmt.Sprintf(textMoreEffects, left))
	}
	return lines
}

// ByGroup sums up counts of kinds by the groups of those, sorted by person and then as the groups are.
func ByGroup(counts []supervisor.EffectCount) (list []supervisor.EffectCount) {
	sums := map[supervisor.EffectCount]int{}
	for _, c := range counts {
		k, _ := FindKind(c.Group)
		sums[supervisor.EffectCount{User: c.User, Group: cmp.Or(k.Group, k.Name)}] += c.Count
	}
	for c, n := range sums {
		c.Count = n
		list = append(list, c)
	}
	groups := Groups()
	slices.SortFunc(list, func(a, b supervisor.EffectCount) int {
		return cmp.Or(strings.Compare(a.User, b.User), slices.Index(groups, a.Group)-slices.Index(groups, b.Group))
	})
	return list
}

// FileSent is a file that was sent, as the ledger has it.
func FileSent(f supervisor.File) (target, detail string) {
	return f.Name, fmt.Sprintf("%s, %d bytes, sha256 %s", f.MediaType, f.Size, f.SHA256)
}

// MessageSent is a text that was sent, as the ledger has it.
func MessageSent(text string) (detail string) {
	return amount.Plural(int64(len(text)), "byte", "bytes")
}

// Received is a file of a person's that was taken in, as the ledger has it.
func Received(a supervisor.Attachment) (target, detail string) {
	return cmp.Or(a.Name, string(a.Kind)), amount.Bytes(a.Size)
}
