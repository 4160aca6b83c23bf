package app

import (
	"cmp"
	"context"
	"time"

	"mews/config"
	"mews/supervisor"
	"mews/supervisor/access"
	"mews/supervisor/command"
	"mews/supervisor/model"
	"mews/supervisor/sqlite"
)

// voices are the models that answer people, and what that came to: where the catalogue and the store meet the commands.
type voices struct {
	models        *model.Catalogue
	people        *access.People
	settings      sqlite.Settings
	usage         sqlite.Usage
	conversations sqlite.Conversations
	config        func() *config.Config // that is in force
}

// chosenModel is the setting that a person's choice is kept under.
const chosenModel = "model"

func (v voices) Resolve(spec string) (string, error) {
	choice, err := v.models.Resolve(spec)
	return choice.Spec, err
}

func (v voices) Offers(ctx context.Context) []command.Offer {
	var offers []command.Offer
	for _, o := range v.models.List(ctx) {
		offers = append(offers, command.Offer(o))
	}
	return offers
}

// Choice is the model that answers a user: their own choice while they may have it, else the configuration's for them, else
// its default.
func (v voices) Choice(ctx context.Context, user string) (spec string, own bool, err error) {
	spec, own, err = v.settings.Get(ctx, user, chosenModel)
	if err != nil || own && v.May(user, spec) {
		return spec, own, err
	}
	u, _ := v.people.Find(user)
	return cmp.Or(u.Model, v.models.Default()), false, nil
}

// May says whether a user may choose a model, which is named in full. For those who were added it is the general rule.
func (v voices) May(user, spec string) bool {
	cfg := v.config()
	for _, u := range cfg.Users {
		if u.Name == user {
			return u.MayChoose(spec)
		}
	}
	return config.User{ModelsAllowed: cfg.Models.Allowed}.MayChoose(spec)
}

// Choose keeps a user's choice; "" takes it back.
func (v voices) Choose(ctx context.Context, user, spec string) error {
	if spec == "" {
		return v.settings.Delete(ctx, user, chosenModel)
	}
	return v.settings.Put(ctx, user, chosenModel, spec)
}

// Usage is what a user, "" everybody, asked of models since a moment.
func (v voices) Usage(ctx context.Context, user string, from time.Time, by string) ([]command.UsageLine, error) {
	totals, err := v.usage.Sum(ctx, sqlite.UsageQuery{User: user, From: from, By: []sqlite.UsageDimension{sqlite.UsageDimension(by)}})
	lines := usageLines(totals)
	if err != nil || by != string(sqlite.ByConversation) {
		return lines, err
	}
	for i, t := range totals {
		c, known, err := v.conversations.Get(ctx, t.Conversation)
		if err != nil {
			return nil, err
		}
		lines[i].Name = nameOf(c, known)
	}
	return lines, nil
}

// Daily is what a user asked of models on each day since that of a moment.
func (v voices) Daily(ctx context.Context, user string, since time.Time, zone *time.Location) ([]command.UsageLine, error) {
	totals, err := v.usage.Daily(ctx, user, since, zone)
	return usageLines(totals), err
}

func usageLines(totals []sqlite.UsageTotal) (lines []command.UsageLine) {
	for _, t := range totals {
		lines = append(lines, command.UsageLine{
			Name: cmp.Or(t.Model, t.User, t.Day), Calls: t.Calls, Input: t.Usage.Input, Output: t.Usage.Output,
			CacheRead: t.Usage.CacheRead, CacheWrite: t.Usage.CacheWrite, Cost: t.Cost, Unpriced: t.Unpriced,
		})
	}
	return lines
}

// nameOf is a conversation for its own person: "telegram", "telegram group -100123, topic 7", "terminal work".
func nameOf(c supervisor.Conversation, known bool) string {
	if !known {
		return "no conversation"
	}
	name := string(c.Channel)
	switch {
	case inGroup(c):
		name += " group " + c.Chat
	case c.Channel != supervisor.ChannelTelegram && c.Chat != "":
		name += " " + c.Chat
	}
	if c.Thread != "" {
		name += ", topic " + c.Thread
	}
	return name
}
