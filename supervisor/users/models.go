package users

import (
	"cmp"
	"context"

	"mews/supervisor/access"
	"mews/supervisor/sqlite"
)

// SettingModel is the name of the setting for a user's model.
const SettingModel = "model"

// ModelChoice decides which model answers a user.
type ModelChoice struct {
	People        *access.People
	Settings      sqlite.Settings
	Configuration func() *Configuration // returns the current configuration
}

// CurrentModel returns the model that answers a user. The user's own choice comes first, if it is
// still allowed. Otherwise it is the configuration's model for the user, or else the default. own
// means that the user has chosen the model.
func (c ModelChoice) CurrentModel(ctx context.Context, user string) (spec string, own bool, err error) {
	spec, own, err = c.Settings.Find(ctx, user, SettingModel)
	if err != nil || own && c.MayChoose(user, spec) {
		return spec, own, err
	}
	u, _ := c.People.Find(user)
	return cmp.Or(u.Model, c.Configuration().Defaults.Model.Value), false, nil
}

// MayChoose reports whether a user may choose a model. spec is the model's full name.
func (c ModelChoice) MayChoose(user, spec string) bool {
	return c.Configuration().MayChoose(user, spec)
}

// Choose stores a user's choice of a model; "" removes the choice.
func (c ModelChoice) Choose(ctx context.Context, user, spec string) error {
	if spec == "" {
		return c.Settings.Delete(ctx, user, SettingModel)
	}
	return c.Settings.Put(ctx, user, SettingModel, spec)
}
