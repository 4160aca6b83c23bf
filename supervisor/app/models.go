package app

import (
	"context"

	"github.com/hashicorp/go-hclog"

	"mews/config"
	"mews/supervisor"
	"mews/supervisor/command"
	"mews/supervisor/model"
	"mews/supervisor/usage"
	"mews/supervisor/users"
)

// modelCommands is what the commands about models work on: the catalogue, who chose what, and what
// it cost.
type modelCommands struct {
	users.ModelChoice
	usage.Sums
	catalogue *model.Catalogue
}

// Resolve is a model's full name.
func (m modelCommands) Resolve(spec string) (string, error) {
	choice, err := m.catalogue.Resolve(spec)
	return choice.Spec, err
}

// Offers are the models that there are.
func (m modelCommands) Offers(ctx context.Context) []command.Offer {
	var offers []command.Offer
	for _, o := range m.catalogue.List(ctx) {
		offers = append(offers, command.Offer(o))
	}
	return offers
}

// NewCatalogue makes a configuration's catalogue of models. Who calls it closes it.
func NewCatalogue(cfg *config.Config, log hclog.Logger) (*model.Catalogue, error) {
	m := cfg.Models
	o := model.Options{Default: m.Default, Small: m.Small, Fallback: m.Fallback, Prices: pricesOf(cfg),
		Payloads: cfg.Log.Payloads, Calls: cfg.Limits.ModelCalls, Log: log.Named("model")}
	for name, p := range m.Providers {
		o.Providers = append(o.Providers, model.ProviderOptions{
			Name: name, Kind: p.Kind, BaseURL: p.BaseURL, APIKey: p.APIKey.Reveal(), Server: p.Server, Silence: m.Silence,
			Window: p.Window,
		})
	}
	return model.NewCatalogue(o)
}

func (s *service) openModels(context.Context) (err error) {
	if s.models, err = NewCatalogue(s.config, s.log); err != nil {
		return err
	}
	s.models.HideFaults(s.mayReadFaults, s.tellAdmins)
	s.addCloser(func() error { s.models.Close(); return nil })
	return nil
}

func (s *service) modelCommands() modelCommands {
	return modelCommands{s.modelChoice(), s.usageSums(), s.models}
}

func (s *service) usageSums() usage.Sums {
	return usage.Sums{Store: s.db.Usage(), Conversations: s.db.Conversations()}
}

// jobModel is the whole name of a model that a person wants for a job.
func (s *service) resolveJobModel(user, spec string) (string, error) {
	choice, err := s.models.Resolve(spec)
	switch {
	case err != nil:
		return "", err
	case !s.modelChoice().May(user, choice.Spec):
		return "", supervisor.Errorf(supervisor.CodeForbidden, textJobModel, choice.Spec)
	}
	return choice.Spec, nil
}
