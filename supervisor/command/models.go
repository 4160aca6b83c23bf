package command

import (
	"cmp"
	"context"
	"fmt"
	"mews/protocol/amount"
	"mews/supervisor"
	"slices"
	"strings"
	"unicode"
)

// maxListedModels is how many models of one provider /models lists; some have hundreds.
const maxListedModels = 20

func init() {
	register(row{SlashCommand: supervisor.SlashCommand{Name: "models",
		Help: "which models there are; /models WORD lists those with that word in their names"}, place: 70, run: textAnswer(models)})
}

// models lists what the providers offer; what follows the command narrows it to names that hold it.
func models(ctx context.Context, c *Commands, r Request) (string, error) {
	spec, _, err := c.o.Choices.Choice(ctx, r.Conversation.User)
	if err != nil {
		return "", fmt.Errorf("find who answers: %w", err)
	}
	l := modelList{word: strings.ToLower(r.Arguments), reasons: !c.o.InGroup(r.Conversation)}
	l.used, err = c.o.Models.Resolve(spec)
	offers := slices.DeleteFunc(slices.Clone(c.o.Models.Offers(ctx)), func(o Offer) bool {
		return o.Err == "" && o.Spec != l.used && !c.o.Choices.May(r.Conversation.User, o.Spec)
	})
	if err == nil && !slices.ContainsFunc(offers, func(o Offer) bool { return o.Spec == l.used }) {
		offers = append(slices.Clone(offers), Offer{Spec: l.used}) // whose provider is silent
	}
	return l.text(offers), nil
}

// modelList is how offers are told to one person.
type modelList struct {
	word    string // what a name has to hold, in small letters
	used    string // the model that answers them
	reasons bool   // say why a provider did not say what it has: not where others read it
}

func (l modelList) text(offers []Offer) string {
	offers = slices.SortedFunc(slices.Values(offers), func(a, b Offer) int { return cmp.Compare(a.Spec, b.Spec) })
	providers := slices.Compact(slices.Sorted(mapOffers(offers, Offer.provider)))
	var lines, silent []string
	cut := false
	for _, p := range providers {
		shown, more := l.choose(offersOf(offers, p))
		for _, o := range shown {
			lines = append(lines, "- "+quoteName(o.Spec)+l.mark(o))
		}
		if more > 0 {
			lines, cut = append(lines, fmt.Sprintf("- and %s more of %s", amount.Number(int64(more)), quoteName(p))), true
		}
	}
	for _, o := range offers {
		if o.Err != "" {
			silent = append(silent, "\n\n"+l.silence(o))
		}
	}
	return l.head(len(lines)) + strings.Join(lines, "\n") + strings.Join(silent, "") + l.tail(len(lines), cut)
}

// choose is what is shown of one provider's offers, and how many are not.
func (l modelList) choose(offers []Offer) (shown []Offer, more int) {
	for _, o := range offers {
		switch {
		case o.Err != "" || !strings.Contains(strings.ToLower(o.Spec), l.word):
		case len(shown) < maxListedModels || l.mark(o) != "":
			shown = append(shown, o)
		default:
			more++
		}
	}
	return shown, more
}

// mark says what is special about a model.
func (l modelList) mark(o Offer) string {
	switch {
	case o.Spec == l.used && o.Default:
		return " (in use, the default)"
	case o.Spec == l.used:
		return " (in use)"
	case o.Default:
		return " (the default)"
	}
	return ""
}

func (l modelList) head(shown int) string {
	switch {
	case shown == 0 && l.word != "":
		return fmt.Sprintf(textNoModelWith, quoteName(l.word))
	case shown == 0:
		return textNoModels
	case l.word != "":
		return fmt.Sprintf(textModelsWith, quoteName(l.word))
	}
	return textModels
}

func (l modelList) tail(shown int, cut bool) string {
	switch {
	case cut:
		return textModelsCut
	case shown > 0:
		return textModelsEnd
	}
	return ""
}

func (l modelList) silence(o Offer) string {
	text := quoteName(o.provider()) + " did not say what it has"
	if !l.reasons {
		return text + "."
	}
	return text + ": " + o.Err
}

// mapOffers is f of every offer.
func mapOffers[T any](offers []Offer, f func(Offer) T) func(yield func(T) bool) {
	return func(yield func(T) bool) {
		for _, o := range offers {
			if !yield(f(o)) {
				return
			}
		}
	}
}

const maxQuotedName = 120

// quoteName is a name that others gave, shown as it is written: in Markdown, on one line.
func quoteName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r == '`' || !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, name)
	if runes := []rune(name); len(runes) > maxQuotedName {
		name = string(runes[:maxQuotedName]) + "…"
	}
	if name == "" {
		return "(without a name)"
	}
	return "`" + name + "`"
}
