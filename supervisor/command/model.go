package command

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"mews/protocol/amount"
	"mews/supervisor"
	"mews/supervisor/approval"
)

// Models are the models that can be used.
type Models interface {
	// Resolve is the whole name of the model that spec names. It asks no provider. Its errors are for the person.
	Resolve(spec string) (full string, err error)
	// Offers are what the providers say they have, and those that did not say.
	Offers(ctx context.Context) []Offer
}

// Offer is a model that can be used, or a provider that did not say what it has.
type Offer struct {
	Spec    string // as it is written in full; of a provider that did not say, its name
	Default bool
	Err     string // why it did not say, for a person
}

// Choices are which models people chose for themselves.
type Choices interface {
	// Choice is the model that answers a user, and whether that is their own choice or the configuration's.
	Choice(ctx context.Context, user string) (spec string, own bool, err error)
	// Choose keeps a user's choice; "" takes it back.
	Choose(ctx context.Context, user, spec string) error
	// May says whether a user may choose a model, which is named in full.
	May(user, spec string) bool
}

const modelPrefix = "m:"

func init() {
	register(row{SlashCommand: supervisor.SlashCommand{Name: "model",
		Help: "which model answers you; /model PROVIDER/MODEL chooses one, /model default takes that back"},
		place: 60, run: model, mayAsk: true, prefix: modelPrefix})
}

// model shows which model answers the person, or has another do so.
func model(ctx context.Context, c *Commands, r Request) (d supervisor.Delivery, err error) {
	spec := strings.Trim(r.Arguments, "`\"'“”")
	switch {
	case spec == "":
		if d.Text, err = shownModel(ctx, c, r); err == nil {
			d.Buttons, err = modelButtons(ctx, c, r.Conversation.User)
		}
	case strings.EqualFold(spec, resetWord):
		d.Text, err = configuredModel(ctx, c, r)
	case len(strings.Fields(spec)) > 1:
		err = supervisor.Errorf(supervisor.CodeInvalid, textModelUsage)
	default:
		d.Text, err = chosenModel(ctx, c, r, spec)
	}
	return d, err
}

const (
	maxModelButtons = 8
	maxPress        = 64 // bytes of what comes back of a button (Bot API, callback_data)
	inUse           = "✓ "
)

// modelButtons are for the models that a person may choose. The one that answers them is marked.
func modelButtons(ctx context.Context, c *Commands, user string) (rows [][]supervisor.Button, err error) {
	spec, own, err := c.o.Choices.Choice(ctx, user)
	if err != nil {
		return nil, fmt.Errorf("find who answers: %w", err)
	}
	used, _ := c.o.Models.Resolve(spec)
	place := func(o Offer) int { return slices.Index([]bool{o.Spec == used, o.Default, true}, true) }
	offers := slices.SortedFunc(slices.Values(c.o.Models.Offers(ctx)), func(a, b Offer) int {
		return cmp.Or(place(a)-place(b), cmp.Compare(a.Spec, b.Spec))
	})
	for _, o := range offers {
		press := modelPrefix + o.Spec
		if o.Err != "" || len(press) > maxPress || !printable(press) || len(rows) == maxModelButtons || !c.o.Choices.May(user, o.Spec) {
			continue
		}
		text := o.Spec
		if o.Spec == used {
			text = inUse + text
		}
		rows = append(rows, []supervisor.Button{{Text: text, Press: press}})
	}
	if own {
		rows = append(rows, []supervisor.Button{{Text: textConfiguredModelButton, Press: modelPrefix + resetWord}})
	}
	return rows, nil
}

// printable says whether a button can bring a text back.
func printable(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' })
}

func shownModel(ctx context.Context, c *Commands, r Request) (string, error) {
	spec, own, err := c.o.Choices.Choice(ctx, r.Conversation.User)
	if err != nil {
		return "", fmt.Errorf("find who answers: %w", err)
	}
	full, err := c.o.Models.Resolve(spec)
	switch {
	case err != nil && own:
		return fmt.Sprintf(textChosenModelGone, quoteName(spec), supervisor.ErrorMessage(err)), nil
	case err != nil:
		return "", err
	case own:
		return fmt.Sprintf(textOwnModel, quoteName(full)), nil
	}
	return fmt.Sprintf(textConfiguredModel, quoteName(full)), nil
}

func configuredModel(ctx context.Context, c *Commands, r Request) (string, error) {
	if err := c.allow(ctx, r, approval.EffectSettings, textConfiguredModelQuestion, "model", ""); err != nil {
		return "", err
	}
	if err := c.o.Choices.Choose(ctx, r.Conversation.User, ""); err != nil {
		return "", fmt.Errorf("take back a choice: %w", err)
	}
	spec, _, err := c.o.Choices.Choice(ctx, r.Conversation.User)
	if err != nil {
		return "", fmt.Errorf("find who answers: %w", err)
	}
	if full, err := c.o.Models.Resolve(spec); err == nil {
		spec = full
	}
	return fmt.Sprintf(textConfiguredModelSet, quoteName(spec)), nil
}

// chosenModel keeps a choice under its whole name, which means the same whatever the configuration's default becomes.
func chosenModel(ctx context.Context, c *Commands, r Request, spec string) (string, error) {
	full, err := c.o.Models.Resolve(spec)
	offers := c.o.Models.Offers(ctx)
	switch {
	case err != nil && supervisor.ErrorCode(err) == supervisor.CodeInternal:
		return "", err
	case err != nil:
		return "", &supervisor.Error{Code: supervisor.ErrorCode(err), Err: err,
			Message: supervisor.ErrorMessage(err) + suggestions(offers, spec)}
	case !offered(offers, full):
		provider, name, _ := strings.Cut(full, "/")
		return "", supervisor.Errorf(supervisor.CodeNotFound, textNoSuchModel, quoteName(provider), quoteName(name),
			suggestions(offersOf(offers, provider), full))
	case !c.o.Choices.May(r.Conversation.User, full):
		return "", supervisor.Errorf(supervisor.CodeForbidden, textModelNotAllowed, quoteName(full))
	}
	err = c.allow(ctx, r, approval.EffectSettings, fmt.Sprintf(textModelQuestion, quoteName(full)), "model", full)
	if err != nil {
		return "", err
	}
	if err := c.o.Choices.Choose(ctx, r.Conversation.User, full); err != nil {
		return "", fmt.Errorf("keep a choice: %w", err)
	}
	return fmt.Sprintf(textModelSet, quoteName(full)), nil
}

// offered says whether a model can be used, as far as its provider says. A provider that says nothing may have any model. One that lists
// a longer name knows the shorter one too: qwen3 is qwen3:latest, and claude-haiku-4-5 is the newest of that version. Some take more
// behind a colon than they list.
func offered(offers []Offer, full string) bool {
	provider, _, _ := strings.Cut(full, "/")
	own := offersOf(offers, provider)
	return len(own) == 0 || slices.ContainsFunc(own, func(o Offer) bool {
		return o.Err != "" || o.Spec == full || strings.HasPrefix(full, o.Spec+":") ||
			strings.HasPrefix(o.Spec, full+":") || strings.HasPrefix(o.Spec, full+"-")
	})
}

// offersOf is what one provider offers.
func offersOf(offers []Offer, provider string) []Offer {
	return slices.DeleteFunc(slices.Clone(offers), func(o Offer) bool { return o.provider() != provider })
}

func (o Offer) provider() string {
	provider, _, _ := strings.Cut(o.Spec, "/")
	return provider
}

// maxSuggestions is how many models are listed to somebody who named a wrong one.
const maxSuggestions = 10

// suggestions lists what was perhaps meant, the most similar first.
func suggestions(offers []Offer, meant string) string {
	there := slices.DeleteFunc(slices.Clone(offers), func(o Offer) bool { return o.Err != "" })
	if len(there) == 0 {
		return textModelsHint
	}
	bare := meant[strings.Index(meant, "/")+1:]
	slices.SortStableFunc(there, func(a, b Offer) int { return similarity(b, meant, bare) - similarity(a, meant, bare) })
	var b strings.Builder
	b.WriteString(textSuggestions)
	for _, o := range there[:min(maxSuggestions, len(there))] {
		fmt.Fprintf(&b, "\n- %s", quoteName(o.Spec))
	}
	if more := len(there) - maxSuggestions; more > 0 {
		fmt.Fprintf(&b, textMoreModels, amount.Number(int64(more)))
	}
	return b.String()
}

// similarity is how many letters a model's name and a wrong name begin with alike, with the provider or without it.
func similarity(o Offer, meant, bare string) int {
	_, name, _ := strings.Cut(o.Spec, "/")
	return max(commonPrefix(o.Spec, meant), commonPrefix(name, bare))
}

func commonPrefix(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}
