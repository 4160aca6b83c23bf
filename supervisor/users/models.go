package users

import (
	"cmp"
	"context"

	"mews/supervisor/access"
	"mews/supervisor/sqlite"
)

// SettingModel is the setting that a person's choice of a model is kept under.
const SettingModel = "model"

// ModelChoice says which model answers whom.
type ModelChoice struct {
	People        *access.People
	Settings      sqlite.Settings
	Configuration func() *Configuration // the one in force
}

// Choice is the model that answers a user: their own choice while they may have it, else the
// configuration's for them, else the default. own says that it is their own.
func (c ModelChoice) Choice(ctx context.Context, user string) (spec string, own bool, err error) {
	spec, own, err = c.Settings.Find(ctx, user, SettingModel)
	if err != nil || own && c.May(user, spec) {
		return spec, own, err
	}
	u, _ := c.People.Find(user)
	return cmp.Or(u.Model, c.Configuration().Defaults.Model.Value), false, nil
}

// May says whether a user may choose a model, which is named in full.
func (c ModelChoice) May(user, spec string) bool { return c.Configuration().MayChoose(user, spec) }

// Choose keeps a user's choice; "" takes it back.
func (c ModelChoice) Choose(ctx context.Context, user, spec string) error {
	if spec == "" {
		return c.Settings.Delete(ctx, user, SettingModel)
	}
	return c.Settings.Put(ctx, user, SettingModel, spec)
}
