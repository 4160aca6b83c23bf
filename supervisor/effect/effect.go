// Package effect makes the texts about effects of the ledger. It is pure: the store calls it in the
// transaction that stores an effect.
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

// Groups of kinds of effects, as users name them.
const (
	GroupChanged        = "changed"
	GroupProgramsRun    = "run"
	GroupSent           = "sent"
	GroupCalled         = "called" // services
	GroupQuestionsAsked = "asked"
	GroupReceived       = "received"
)

// Kind is a kind of effects, with the words of a line about such an effect.
type Kind struct {
	Name  string
	Group string

	words        string
	detail       string // the format for the detail of an effect
	cutAt        string // the shown detail ends before this text; "" shows the whole detail
	suffix       string // the words at the end of the line
	detailIsName bool   // the detail is a name that other people may have given, so it is quoted
	showsLast    bool   // a line about several effects shows the last detail
	hidden       bool   // no line below an answer, because the user did or ordered the effect
	notDone      bool   // not counted, because the effect may not have happened
}

// FindKind returns the kind of effects with a name.
func FindKind(name string) (k Kind, known bool) {
	i := slices.IndexFunc(Kinds, func(k Kind) bool { return k.Name == name })
	if i < 0 {
		return Kind{Name: name, words: name, detail: " (%s)"}, false
	}
	return Kinds[i], true
}

// Groups lists the groups of Kinds in their order.
func Groups() (groups []string) {
	for _, k := range Kinds {
		groups = append(groups, k.Group)
	}
	return slices.Compact(groups)
}

// GroupKinds lists the kinds of a group; an unknown group has no kinds.
func GroupKinds(group string) (names []string) {
	for _, k := range Kinds {
		if k.Group == group {
			names = append(names, k.Name)
		}
	}
	return names
}

// Describe returns a short text about an effect. The function quote escapes names that other people
// gave; nil only removes unprintable characters.
func Describe(e supervisor.Effect, quote func(string) string) string {
	k, _ := FindKind(e.Kind)
	return k.line(e, 1, quote)
}

// maxEffectField is the most shown characters of a target or a detail.
const maxEffectField = 80

// line returns the line about n effects of one kind and target. The argument e is the last of these
// effects.
func (k Kind) line(e supervisor.Effect, n int, quote func(string) string) string {
	if quote == nil {
		quote = func(s string) string { return s }
	}
	line := k.words
	if target := clip(e.Target); target != "" {
		line += " " + quote(target)
	}
	if k.cutAt != "" {
		e.Detail, _, _ = strings.Cut(e.Detail, k.cutAt)
	}
	detail, form := clip(e.Detail), k.detail
	if n > 1 {
		line, form = line+fmt.Sprintf(textManyTimes, n), textLastTime
	}
	if detail == "" || n > 1 && !k.showsLast {
		return line + k.suffix
	}
	if k.detailIsName {
		detail = quote(detail)
	}
	return line + fmt.Sprintf(form, detail) + k.suffix
}

// clip returns the beginning of a text, on one line.
func clip(text string) string {
	runes := []rune(printable.DropControls(strings.Join(strings.Fields(text), " ")))
	if len(runes) > maxEffectField {
		return string(runes[:maxEffectField-1]) + "…"
	}
	return string(runes)
}

// maxEffectLines is the most lines below an answer. The last line may count further effects.
const maxEffectLines = 10

// AnswerLines returns the lines about effects below the answer of a turn. Equal effects share a
// line, at the position of the first one.
func AnswerLines(done []supervisor.Effect) (lines []string) {
	type thing struct{ kind, target string }
	var order []thing
	times, last := map[thing]int{}, map[thing]supervisor.Effect{}
	for _, e := range done {
		t := thing{e.Kind, e.Target}
		if k, _ := FindKind(e.Kind); k.hidden {
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

// LimitLines shortens a list of lines to at most maxEffectLines, with a count of the rest.
func LimitLines(lines []string) []string {
	if left := len(lines) - maxEffectLines + 1; left > 1 {
		return append(lines[:maxEffectLines-1:maxEffectLines-1], fmt.Sprintf(textMoreEffects, left))
	}
	return lines
}

// SumByGroup adds up the counts of kinds by group. It leaves out effects that may not have
// happened. The result is sorted by user, and then in the order of the groups.
func SumByGroup(counts []supervisor.EffectCount) (list []supervisor.EffectCount) {
	sums := map[supervisor.EffectCount]int{}
	for _, c := range counts {
		k, _ := FindKind(c.Group)
		if k.notDone {
			continue
		}
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

// SentFileEntry returns the target and detail of a sent file in the ledger.
func SentFileEntry(f supervisor.File) (target, detail string) {
	return f.Name, fmt.Sprintf("%s, %d bytes, sha256 %s", f.MediaType, f.Size, f.SHA256)
}

// SentMessageDetail returns the detail of a sent text in the ledger.
func SentMessageDetail(text string) (detail string) {
	return amount.Plural(int64(len(text)), "byte", "bytes")
}

// RefusalTextForUser returns the user's text about effects that a channel refused. The channel
// refused them after the turn. The function quote escapes names.
func RefusalTextForUser(refused []supervisor.Effect, quote func(string) string) string {
	return fmt.Sprintf(textRefusedNotice, nameRefused(refused, quote))
}

// RefusalTextForModel returns the model's text about effects that the channel refused.
func RefusalTextForModel(refused []supervisor.Effect) string {
	return fmt.Sprintf(textRefusedNote, nameRefused(refused, func(name string) string { return name }))
}

// nameRefused joins the names of refused effects, each with the channel's reason. No name or reason
// can pass for another part of the text.
func nameRefused(refused []supervisor.Effect, quote func(string) string) string {
	var names []string
	for _, e := range refused[:min(len(refused), maxEffectLines)] {
		name := textRefusedText
		if e.Target != "" {
			name = quote(plain(e.Target))
		}
		if why := plain(e.Detail); why != "" {
			name += " (" + why + ")"
		}
		names = append(names, name)
	}
	if more := len(refused) - maxEffectLines; more > 0 {
		names = append(names, fmt.Sprintf(textMoreEffects, more))
	}
	return strings.Join(names, ", ")
}

// plain returns the beginning of a text, with round brackets instead of square ones. Square
// brackets mark notes to the model.
func plain(text string) string { return strings.NewReplacer("[", "(", "]", ")").Replace(clip(text)) }

// ReceivedFileEntry returns the target and detail of a received file in the ledger.
func ReceivedFileEntry(a supervisor.Attachment) (target, detail string) {
	return cmp.Or(a.Name, string(a.Kind)), amount.FormatBytes(a.Size)
}
