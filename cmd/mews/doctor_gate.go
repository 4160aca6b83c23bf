package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"mews/supervisor/app"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mews/config"
	"mews/protocol"
	"mews/supervisor/access"
)

// lookAtGate says who has a second factor, who must have one and has not, and who is locked out.
func lookAtGate(ctx context.Context, cfg *config.Config) (string, error) {
	if !hasDatabase(cfg) {
		return "nobody has a second factor yet; `mews totp enroll NAME` sets one up", nil
	}
	var list app.People
	if err := app.Have(ctx, cfg, app.MethodUserList, app.Named{}, &list); err != nil {
		return "", err
	}
	var have, lack, locked []string
	for _, p := range list.Users {
		switch {
		case p.Factor.State == app.FactorConfirmed:
			have = append(have, p.Name)
		case p.Factor.Mode == string(config.TOTPRequired) && !p.Suspended:
			lack = append(lack, p.Name)
		}
		if !p.Factor.LockedUntil.IsZero() {
			locked = append(locked, fmt.Sprintf("%s until %s", p.Name, p.Factor.LockedUntil.Local().Format("2006-01-02 15:04")))
		}
	}
	var wrong []string
	if len(lack) > 0 {
		wrong = append(wrong, strings.Join(lack, ", ")+" must have a second factor and can't speak without: `mews totp enroll "+lack[0]+"`")
	}
	if len(locked) > 0 {
		wrong = append(wrong, "locked out after wrong codes: "+strings.Join(locked, ", ")+"; `mews totp unlock NAME` takes codes again")
	}
	if len(wrong) > 0 {
		return "", &warned{strings.Join(wrong, "; ")}
	}
	if len(have) == 0 {
		return "nobody has a second factor; `mews totp enroll NAME` sets one up", nil
	}
	return "a second factor have " + strings.Join(have, ", "), nil
}

// hasDatabase says whether a Mews has run here: the doctor makes no state folder.
func hasDatabase(cfg *config.Config) bool {
	_, err := os.Stat(filepath.Join(cfg.State, "private", "mews.db"))
	return !errors.Is(err, fs.ErrNotExist)
}

// lookAtSeal looks whether the key that seals second factors is there, and nobody else's to read.
func lookAtSeal(_ context.Context, cfg *config.Config) (string, error) {
	if cfg.Access.KeyFile != "" {
		return "second factors are sealed with the key of access.key_file", nil // which was read and looked at with the configuration
	}
	path := filepath.Join(cfg.State, "private", "seal.key")
	if finding, is, err := sealOfService(cfg, path); is {
		return finding, err
	}
	_, err := access.LoadKey(path, false)
	if errors.Is(err, fs.ErrNotExist) && !hasDatabase(cfg) {
		return "the key that seals second factors is made when Mews starts", nil
	}
	if err != nil {
		return "", fmt.Errorf("%w; whoever has a second factor can't speak until it can be read", err)
	}
	return path + " can be read by this account alone", nil
}

// lookAtBudget looks whether a budget is set for models whose price is not known: those answer nobody whom it limits.
func lookAtBudget(ctx context.Context, cfg *config.Config) (string, error) {
	limited := cfg.Budget.Month.Micro > 0 || cfg.Budget.Users.Day.Micro > 0 || cfg.Budget.Users.Month.Micro > 0
	for _, u := range cfg.Users {
		limited = limited || app.BudgetOf(u.Budget) != app.BudgetOf(config.SpendLimits{})
	}
	if !limited {
		return "no limit on what models may cost; `budget:` in the configuration sets one", nil
	}
	s := &app.Service{Ground: app.Ground{Config: cfg, Log: app.Discard()}}
	if err := s.OpenModels(ctx); err != nil {
		return "", err
	}
	defer s.Models.Close()
	unpriced := map[string]bool{}
	for _, spec := range modelsOf(cfg) {
		if _, known := s.Models.Cost(spec, protocol.Usage{Input: 1}, time.Duration(0)); !known {
			unpriced[spec] = true
		}
	}
	if len(unpriced) > 0 {
		return "", &warned{"there is a budget, and no price is known of " + strings.Join(slices.Sorted(maps.Keys(unpriced)), ", ") +
			": whom the budget limits they can't answer. models.prices sets prices"}
	}
	return "the price of every configured model is known", nil
}

// modelsOf are the models that a configuration names.
func modelsOf(cfg *config.Config) []string {
	specs := append([]string{cfg.Models.Default, cfg.Models.Small}, cfg.Models.Fallback...)
	for _, u := range cfg.Users {
		specs = append(specs, u.Model)
	}
	return slices.DeleteFunc(specs, func(spec string) bool { return spec == "" })
}
