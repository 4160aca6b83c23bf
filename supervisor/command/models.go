package command

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"mews/protocol/amount"
	"mews/supervisor"
	"mews/supervisor/feature"
	"mews/supervisor/markdown"
)

// maxListedModels limits the models of one provider in /models. Some providers have hundreds.
const maxListedModels = 20

var modelsRows = []row{
	{SlashCommand: supervisor.SlashCommand{Name: "models",
		Help: "which models there are; /models WORD lists those with that word in their names"},
		group: feature.HelpGroupAssistant, run: textAnswer(models)},
}

// models lists the available models. With an argument, it lists those whose name contains the
// argument.
func models(ctx context.Context, c *Commands, r feature.CommandRequest) (string, error) {
	current, err := c.currentModel(ctx, r.Conversation.User)
	if err != nil {
		return "", err
	}
	l := modelList{word: strings.ToLower(r.Arguments), used: current.full, reasons: !r.Conversation.IsInGroup() &&
		c.isAdmin(r.Conversation.User)}
	offers := slices.DeleteFunc(slices.Clone(c.o.Models.ListOffers(ctx)), func(o ModelOffer) bool {
		return o.Err == "" && o.Spec != l.used && (!o.canChat() || !c.o.Choices.MayChoose(r.Conversation.User, o.Spec))
	})
	if current.err == nil && !slices.ContainsFunc(offers, func(o ModelOffer) bool { return o.Spec == l.used }) {
		// the model in use belongs to a provider without a list
		offers = append(offers, ModelOffer{Spec: l.used, Unpriced: c.o.Models.IsUnpriced(l.used)})
	}
	return l.text(offers), nil
}

// modelList is the list of models for one user.
type modelList struct {
	word string // lower-case text that a listed name must contain
	used string // full name of the user's model
	// show why a provider has no list; only for admins, in private chats
	reasons bool
}

func (l modelList) text(offers []ModelOffer) string {
	slices.SortFunc(offers, func(a, b ModelOffer) int { return cmp.Compare(a.Spec, b.Spec) })
	byProvider := map[string][]ModelOffer{}
	silent := ""
	for _, o := range offers {
		byProvider[o.provider()] = append(byProvider[o.provider()], o)
		if o.Err != "" {
			silent += "\n\n" + l.noListText(o)
		}
	}
	var lines []string
	cut := false
	for _, provider := range slices.Sorted(maps.Keys(byProvider)) {
		shown, more := l.selectOffers(byProvider[provider])
		for _, o := range shown {
			lines = append(lines, "- "+markdown.EscapeName(o.Spec)+l.remark(o))
		}
		if more > 0 {
			lines, cut = append(lines, fmt.Sprintf(textMoreOfProvider, amount.FormatNumber(int64(more)),
				markdown.EscapeName(provider))), true
		}
	}
	return l.head(len(lines)) + strings.Join(lines, "\n") + silent + l.tail(len(lines), cut)
}

// selectOffers returns the offers of one provider to show, and how many are left out.
func (l modelList) selectOffers(offers []ModelOffer) (shown []ModelOffer, more int) {
	for _, o := range offers {
		switch {
		case o.Err != "" || !strings.Contains(strings.ToLower(o.Spec), l.word):
		case len(shown) < maxListedModels || l.remark(o) != "":
			shown = append(shown, o)
		default:
			more++
		}
	}
	return shown, more
}

// remark returns the remark behind a model: "in use" or "the default".
func (l modelList) remark(o ModelOffer) string {
	switch {
	case o.Spec == l.used && o.Unpriced:
		return textInUseUnpriced
	case o.Spec == l.used && o.Default:
		return textInUseDefault
	case o.Spec == l.used:
		return textInUse
	case o.Default:
		return textDefault
	}
	return ""
}

func (l modelList) head(shown int) string {
	switch {
	case shown == 0 && l.word != "":
		return fmt.Sprintf(textNoModelWith, markdown.EscapeName(l.word))
	case shown == 0:
		return textNoModels
	case l.word != "":
		return fmt.Sprintf(textModelsWith, markdown.EscapeName(l.word))
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

// noListText says that a provider has no list of models. Admins also read why.
func (l modelList) noListText(o ModelOffer) string {
	if !l.reasons {
		return fmt.Sprintf(textSilent, markdown.EscapeName(o.provider()))
	}
	return fmt.Sprintf(textSilentWhy, markdown.EscapeName(o.provider()), o.Err)
}
