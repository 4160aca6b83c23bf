package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mews/config"
	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/access"
	"mews/supervisor/admin"
	"mews/supervisor/app"
	"mews/supervisor/logging"
	"mews/supervisor/model/offline"
	"mews/supervisor/placement"
)

// examineGate counts the users with a second factor. It names users who lack a required factor, and
// users who are locked out.
func examineGate(ctx context.Context, o Options) (string, error) {
	if !hasDatabase(o.Config) {
		return textNoFactors, nil
	}
	list, err := app.CallAdminService[admin.People](ctx, o.Config, admin.MethodUserList, admin.UserRequest{})
	if known := new(supervisor.Error); errors.As(err, &known) {
		return "", &warning{known.Message} // a fault of the database has a finding of its own
	} else if err != nil {
		return "", err
	}
	var have, lack, locked []string
	for _, p := range list.Users {
		switch {
		case p.Factor.State == admin.FactorConfirmed:
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
		wrong = append(wrong, fmt.Sprintf(textFactorsLacking, strings.Join(lack, ", "), lack[0]))
	}
	if len(locked) > 0 {
		wrong = append(wrong, fmt.Sprintf(textLockedOut, strings.Join(locked, ", ")))
	}
	switch {
	case len(wrong) > 0:
		return "", &warning{strings.Join(wrong, "; ")}
	case len(have) == 0:
		return textNoFactors, nil
	}
	return fmt.Sprintf(textFactors, strings.Join(have, ", ")), nil
}

// hasDatabase reports whether Mews has run here before. The doctor makes no state folder.
func hasDatabase(cfg *config.Config) bool {
	_, err := os.Stat(filepath.Join(cfg.State, "private", "mews.db"))
	return !errors.Is(err, fs.ErrNotExist)
}

// examineSeal checks that the key that seals second factors exists, and that no other account can
// read it.
func examineSeal(_ context.Context, o Options) (string, error) {
	cfg := o.Config
	if cfg.Access.KeyFile != "" {
		return textKeyFile, nil // loading the configuration has already checked the key
	}
	path := filepath.Join(cfg.State, "private", "seal.key")
	state, err1 := os.Stat(cfg.State)
	key, err2 := os.Lstat(path)
	if err1 == nil && err2 == nil && os.Getuid() == 0 && placement.OwnerUID(state) != 0 {
		return examineServiceSeal(placement.OwnerUID(state), path, key)
	}
	_, err := access.LoadSealingKey(path, false)
	if errors.Is(err, fs.ErrNotExist) && !hasDatabase(cfg) {
		return textKeyNotYet, nil
	}
	if err != nil {
		return "", fmt.Errorf(textKeyUnread, err)
	}
	return fmt.Sprintf(textKeyOwn, path), nil
}

// examineServiceSeal checks the sealing key of a service that runs under another account. Only root
// can do that.
func examineServiceSeal(service uint32, path string, key fs.FileInfo) (string, error) {
	if placement.OwnerUID(key) != service || key.Mode().Perm()&0o077 != 0 {
		return "", fmt.Errorf(textKeyExposed, path, service)
	}
	return fmt.Sprintf(textKeyOfService, path, service), nil
}

// examineFreeModels names the models that count as free.
func examineFreeModels(_ context.Context, o Options) (string, error) {
	free, err := FreeModels(o.Config)
	if err != nil || len(free) == 0 {
		return textNoFree, err
	}
	return fmt.Sprintf(textFree, strings.Join(free, ", ")), nil
}

// examineBudget checks that the price of each model is known if there is a budget.
func examineBudget(_ context.Context, o Options) (string, error) {
	if !hasBudget(o.Config) {
		return textNoBudget, nil
	}
	unpriced, err := unpricedModels(o.Config)
	switch {
	case err != nil:
		return "", err
	case len(unpriced) > 0:
		return "", &warning{fmt.Sprintf(textNoPrice, strings.Join(unpriced, ", "))}
	}
	return textPricesKnown, nil
}

// hasBudget reports whether a configuration limits the spending of anybody.
func hasBudget(cfg *config.Config) bool {
	limited := cfg.Budget.Month.Micro > 0 || cfg.Budget.Users.Day.Micro > 0 || cfg.Budget.Users.Month.Micro > 0 ||
		cfg.Budget.Users.Turn.Micro > 0
	for _, u := range cfg.Users {
		limited = limited || app.BudgetFromConfig(u.Budget) != app.BudgetFromConfig(config.SpendLimits{})
	}
	return limited
}

// unpricedModels lists the configured models without a known price. A user with a limit gets no
// answer from such a model.
func unpricedModels(cfg *config.Config) ([]string, error) {
	catalogue, err := app.NewModelCatalogue(cfg, logging.Discard())
	if err != nil {
		return nil, err
	}
	defer catalogue.Close()
	specs := slices.Sorted(slices.Values(namedModels(cfg)))
	return slices.DeleteFunc(slices.Compact(specs), func(spec string) bool {
		_, known := catalogue.Cost(spec, protocol.Usage{Input: 1}, time.Duration(0))
		return known
	}), nil
}

// FreeModels lists the configured models that count as free, without the offline model.
func FreeModels(cfg *config.Config) ([]string, error) {
	catalogue, err := app.NewModelCatalogue(cfg, logging.Discard())
	if err != nil {
		return nil, err
	}
	defer catalogue.Close()
	specs := slices.Sorted(slices.Values(namedModels(cfg)))
	return slices.DeleteFunc(slices.Compact(specs), func(spec string) bool {
		return spec == offline.Name ||
			!catalogue.IsFree(spec)
	}), nil
}

// namedModels lists the models in a configuration.
func namedModels(cfg *config.Config) []string {
	specs := append([]string{cfg.Models.Default, cfg.Models.Small}, cfg.Models.Fallback...)
	for _, u := range cfg.Users {
		specs = append(specs, u.Model)
	}
	return slices.DeleteFunc(specs, func(spec string) bool { return spec == "" })
}
