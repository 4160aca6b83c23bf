package app

import (
	"context"
	"fmt"

	"github.com/hashicorp/go-hclog"

	"mews/config"
	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/command"
	"mews/supervisor/model"
	"mews/supervisor/modelcall"
	"mews/supervisor/usage"
	"mews/supervisor/users"
)

// modelCommands connects the model commands with the catalogue, users' choices and costs.
type modelCommands struct {
	users.ModelChoice
	usage.Calculator
	catalogue *model.Catalogue
}

// ResolveName returns the full name of a model.
func (m modelCommands) ResolveName(spec string) (string, error) {
	choice, err := m.catalogue.Resolve(spec)
	return choice.Spec, err
}

// ListOffers lists all available models.
func (m modelCommands) ListOffers(ctx context.Context) []command.ModelOffer {
	var offers []command.ModelOffer
	for _, o := range m.catalogue.ListModels(ctx) {
		offers = append(offers, command.ModelOffer{Spec: o.Spec, Default: o.Default, Err: o.Err,
			Unpriced: m.IsUnpriced(o.Spec)})
	}
	return offers
}

// IsUnpriced reports whether the price of a model is unknown.
func (m modelCommands) IsUnpriced(spec string) bool {
	_, known := m.catalogue.Cost(spec, protocol.Usage{}, 0)
	return !known
}

// NewModelCatalogue makes the catalogue of a configuration's models. The caller closes it.
func NewModelCatalogue(cfg *config.Config, log hclog.Logger) (*model.Catalogue, error) {
	m := cfg.Models
	o := model.Options{Default: m.Default, Small: m.Small, Fallback: m.Fallback, Prices: pricesOf(cfg),
		Payloads: cfg.Log.Payloads, Calls: cfg.Limits.ModelCalls, Log: log.Named("model")}
	for name, p := range m.Providers {
		o.Providers = append(o.Providers, model.ProviderOptions{
			Name: name, Kind: p.Kind, BaseURL: p.BaseURL, APIKey: p.APIKey.Reveal(), Server: p.Server, Silence: m.Silence,
			Window: p.Window, KeyAdvice: keyAdvice(cfg, name), URLVariable: cfg.ProviderURLVariable(name),
		})
	}
	return model.NewCatalogue(o)
}

// keyAdvice says where to correct a provider's wrong key.
func keyAdvice(cfg *config.Config, provider string) string {
	variable, file := cfg.ProviderKeyVariable(provider), cfg.Models.Providers[provider].APIKeyFile
	switch {
	case cfg.Local:
		return fmt.Sprintf(textCheckVariable, variable)
	case file != "":
		return fmt.Sprintf(textCheckKeyFile, file)
	case variable != "":
		return fmt.Sprintf(textCheckKeyVariable, variable)
	}
	return textCheckKey
}

// openModels makes the catalogue of models. Only admins see its faults in detail.
func (s *service) openModels(context.Context) (err error) {
	if s.models, err = NewModelCatalogue(s.config, s.log); err != nil {
		return err
	}
	s.models.HideFaultsFromUsers(s.mayReadFaults, s.tellAdmins)
	s.addCloser(func() error { s.models.Close(); return nil })
	return nil
}

// TryModel calls the default model for one token. It returns why the model does not answer.
func TryModel(ctx context.Context, cfg *config.Config, log hclog.Logger) error {
	models, err := NewModelCatalogue(cfg, log)
	if err != nil {
		return err
	}
	defer models.Close()
	_, err = models.Stream(ctx, cfg.Models.Default, modelcall.Request{Output: 1,
		Messages: []protocol.Message{{Role: protocol.RoleUser, Parts: []protocol.ContentPart{{Text: "hi"}}}}},
		func(modelcall.Delta) {})
	return err
}

// modelCommands returns the dependencies of the model commands.
func (s *service) modelCommands() modelCommands {
	return modelCommands{s.modelChoice(), s.usageSums(), s.models}
}

// usageSums returns the sums of what models have cost.
func (s *service) usageSums() usage.Calculator {
	return usage.Calculator{Store: s.db.Usage(), Conversations: s.db.Conversations(), Free: s.models.IsFree}
}

// resolveJobModel returns the full name of a model that a user wants for a job. It fails if the
// user may not choose that model.
func (s *service) resolveJobModel(user, spec string) (string, error) {
	choice, err := s.models.Resolve(spec)
	switch {
	case err != nil:
		return "", err
	case !s.modelChoice().MayChoose(user, choice.Spec):
		return "", supervisor.Errorf(supervisor.CodeForbidden, textJobModel, choice.Spec)
	}
	return choice.Spec, nil
}
