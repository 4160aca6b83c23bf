package app

import (
	"cmp"
	"context"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/config"
	"mews/supervisor"
	"mews/supervisor/command"
	"mews/supervisor/model"
	"mews/supervisor/sqlite"
	"mews/supervisor/users"
)

// modelCommands is what the commands about models work on: the catalogue, who chose what, and what
// it cost.
type modelCommands struct {
	users.ModelChoice
	catalogue     *model.Catalogue
	usage         sqlite.Usage
	conversations sqlite.Conversations
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

// Usage is what a user, "" everybody, asked of models since a moment.
func (m modelCommands) Usage(ctx context.Context, user string, from time.Time, by string) ([]command.UsageLine, error) {
	totals, err := m.usage.Sum(ctx, sqlite.UsageQuery{User: user, From: from, By: []sqlite.UsageDimension{sqlite.UsageDimension(by)}})
	lines := usageLines(totals)
	if err != nil || by != string(sqlite.ByConversation) {
		return lines, err
	}
	for i, t := range totals {
		c, known, err := m.conversations.FindByID(ctx, t.Conversation)
		if err != nil {
			return nil, err
		}
		lines[i].Name = nameOf(c, known)
	}
	return lines, nil
}

// Daily is what a user asked of models on each day since that of a moment.
func (m modelCommands) Daily(ctx context.Context, user string, since time.Time, zone *time.Location) ([]command.UsageLine, error) {
	totals, err := m.usage.Daily(ctx, user, since, zone)
	return usageLines(totals), err
}

func usageLines(totals []sqlite.UsageTotal) (lines []command.UsageLine) {
	for _, t := range totals {
		lines = append(lines, command.UsageLine{
			Name: cmp.Or(t.Model, t.User, t.Day), Calls: t.Calls, Input: t.Usage.Input, Output: t.Usage.Output,
			CacheRead: t.Usage.CacheRead, CacheWrite: t.Usage.CacheWrite, Cost: t.Cost, Unpriced: t.Unpriced,
			Estimated: t.Usage.Estimated,
		})
	}
	return lines
}

// nameOf is a conversation for its own person: "telegram", "telegram group -100123, topic 7",
// "terminal work".
func nameOf(c supervisor.Conversation, known bool) string {
	if !known {
		return "no conversation"
	}
	name := string(c.Channel)
	switch {
	case c.InGroup():
		name += " group " + c.Chat
	case !c.Channel.Can().Accounts && c.Chat != "":
		name += " " + c.Chat
	}
	if c.Thread != "" {
		name += ", topic " + c.Thread
	}
	return name
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
	s.models.HideFaults(s.readsFaults, s.tellAdmins)
	s.closing(func() error { s.models.Close(); return nil })
	return nil
}

func (s *service) modelCommands() modelCommands {
	return modelCommands{s.modelChoice(), s.models, s.db.Usage(), s.db.Conversations()}
}
