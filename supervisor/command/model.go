package command

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"mews/supervisor"
	"mews/supervisor/approval"
	"mews/supervisor/feature"
	"mews/supervisor/markdown"
	"mews/supervisor/problem"
)

// Models are the configured models.
type Models interface {
	// ResolveName returns the full name of a model. It makes no request to a provider. Its errors
	// are for the user.
	ResolveName(spec string) (full string, err error)
	// ListOffers returns the models that providers list. A provider without a list of models is
	// also an offer.
	ListOffers(ctx context.Context) []ModelOffer
	IsUnpriced(spec string) bool // reports whether the price of a model is unknown
}

// ModelChoices are the users' own choices of models.
type ModelChoices interface {
	// CurrentModel returns the user's model. own is false if the model comes from the
	// configuration.
	CurrentModel(ctx context.Context, user string) (spec string, own bool, err error)
	// Choose stores the model that a user has chosen; "" returns to the default.
	Choose(ctx context.Context, user, spec string) error
	// MayChoose reports whether a user may choose a model by its full name.
	MayChoose(user, spec string) bool
}

const modelPrefix = "m:"

var modelRows = []row{
	{SlashCommand: supervisor.SlashCommand{Name: "model",
		Help: "which model answers you; /model PROVIDER/MODEL chooses one, /model default takes that back"},
		group: feature.HelpGroupAssistant, run: model, private: feature.PrivateAnswerWithoutArguments, mayAsk: true,
		prefix: modelPrefix,
		keeps:  func(press string) bool { return press == "" }},
}

// model shows the user's model, or chooses another.
func model(ctx context.Context, c *Commands, r feature.CommandRequest) (d supervisor.Delivery, err error) {
	spec := strings.Trim(r.Arguments, "`\"'“”")
	switch {
	case spec == "":
		return showModel(ctx, c, r.Conversation.User)
	case strings.EqualFold(spec, resetWord):
		d.Text, err = resetModel(ctx, c, r)
	case len(strings.Fields(spec)) > 1:
		err = supervisor.Errorf(supervisor.CodeInvalid, textModelUsage)
	default:
		d.Text, err = setModel(ctx, c, r, spec)
	}
	return d, err
}

// currentModel is the model that a user uses.
type currentModel struct {
	spec, full string // name as chosen or configured, and full name
	own        bool   // the user has chosen the model
	err        error  // reason why the model can't be used, as a text for the user; nil if it can
}

func (c *Commands) currentModel(ctx context.Context, user string) (m currentModel, err error) {
	if m.spec, m.own, err = c.o.Choices.CurrentModel(ctx, user); err != nil {
		return m, fmt.Errorf("find who answers: %w", err)
	}
	m.full, m.err = c.o.Models.ResolveName(m.spec)
	return m, nil
}

func showModel(ctx context.Context, c *Commands, user string) (d supervisor.Delivery, err error) {
	m, err := c.currentModel(ctx, user)
	switch {
	case err != nil:
		return d, err
	case m.err != nil && !m.own:
		return d, m.err
	case m.err != nil:
		d.Text = fmt.Sprintf(textChosenModelGone, markdown.EscapeName(m.spec), problem.UserText(m.err))
	case m.own:
		d.Text = fmt.Sprintf(textOwnModel, markdown.EscapeName(m.full))
	default:
		d.Text = fmt.Sprintf(textConfiguredModel, markdown.EscapeName(m.full))
	}
	d.Buttons = modelButtons(ctx, c, user, m)
	return d, nil
}

const (
	maxModelButtons = 8
	maxPressBytes   = 64 // maximum length of a button's press, in bytes (Bot API, callback_data)
	inUse           = "✓ "
)

// modelButtons returns buttons for the models that a user may choose. The current model is marked.
func modelButtons(ctx context.Context, c *Commands, user string, m currentModel) (rows [][]supervisor.Button) {
	rank := func(o ModelOffer) int { return slices.Index([]bool{o.Spec == m.full, o.Default, true}, true) }
	offers := slices.SortedFunc(slices.Values(c.o.Models.ListOffers(ctx)), func(a, b ModelOffer) int {
		return cmp.Or(rank(a)-rank(b), cmp.Compare(a.Spec, b.Spec))
	})
	for _, o := range offers {
		button := supervisor.Button{Text: o.Spec, Press: modelPrefix + o.Spec}
		if o.Err != "" || !o.canChat() || !fitsPress(button.Press) || len(rows) == maxModelButtons || !c.o.Choices.MayChoose(user, o.Spec) {
			continue
		}
		if o.Spec == m.full {
			button.Text = inUse + o.Spec
		}
		rows = append(rows, []supervisor.Button{button})
	}
	if m.own {
		rows = append(rows, []supervisor.Button{{Text: textConfiguredModelButton, Press: modelPrefix + resetWord}})
	}
	return rows
}

// fitsPress reports whether a button's press can hold a text.
func fitsPress(text string) bool {
	return len(text) <= maxPressBytes && !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' })
}

func resetModel(ctx context.Context, c *Commands, r feature.CommandRequest) (string, error) {
	if err := c.storeModel(ctx, r, textConfiguredModelQuestion, ""); err != nil {
		return "", err
	}
	m, err := c.currentModel(ctx, r.Conversation.User)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf(textConfiguredModelSet, markdown.EscapeName(cmp.Or(m.full, m.spec))), nil
}

// setModel stores the full name of a chosen model, so that the configuration's default can't change
// it.
func setModel(ctx context.Context, c *Commands, r feature.CommandRequest, spec string) (string, error) {
	full, err := c.o.Models.ResolveName(spec)
	offers := c.o.Models.ListOffers(ctx)
	switch {
	case err != nil && supervisor.ErrorCodeOf(err) == supervisor.CodeInternal:
		return "", err
	case err != nil:
		return "", &supervisor.Error{Code: supervisor.ErrorCodeOf(err), Err: err,
			Message: problem.UserText(err) + suggestions(offers, spec)}
	case !isOffered(offers, full):
		provider, name, _ := strings.Cut(full, "/")
		return "", supervisor.Errorf(supervisor.CodeNotFound, textNoSuchModel, markdown.EscapeName(provider),
			markdown.EscapeName(name),
			suggestions(offersOf(offers, provider), full))
	case !c.o.Choices.MayChoose(r.Conversation.User, full):
		return "", supervisor.Errorf(supervisor.CodeForbidden, textModelNotAllowed, markdown.EscapeName(full))
	}
	if err := c.storeModel(ctx, r, fmt.Sprintf(textModelQuestion, markdown.EscapeName(full)), full); err != nil {
		return "", err
	}
	return fmt.Sprintf(textModelSet, markdown.EscapeName(full)), nil
}

// storeModel stores the user's choice after asking for approval; "" returns to the default.
func (c *Commands) storeModel(ctx context.Context, r feature.CommandRequest, question, full string) error {
	if err := c.allow(ctx, r, approval.EffectChangeSetting, question, "model", full); err != nil {
		return err
	}
	if err := c.o.Choices.Choose(ctx, r.Conversation.User, full); err != nil {
		return fmt.Errorf("keep a choice: %w", err)
	}
	return nil
}
