package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"mews/config"
	"mews/supervisor/admin"
	"mews/supervisor/app"
	"mews/supervisor/placement"
)

// ConfigReport is the outline of a configuration, with its problems.
type ConfigReport struct {
	File     string         `json:"file,omitempty"` // path of the file; "" means that there is no file
	State    string         `json:"state,omitempty"`
	Model    string         `json:"model,omitempty"`
	Free     []string       `json:"free_models,omitempty"`
	Telegram string         `json:"telegram,omitempty"` // the address of the Bot API
	Users    []ReportedUser `json:"users,omitempty"`
	GitHub   []ReportedRepo `json:"github,omitempty"`
	Hints    []string       `json:"hints,omitempty"`
	Problems []string       `json:"problems"` // empty means that Mews can start with this configuration

	err error // error that lists the problems
}

// ReportedUser is a user of a configuration.
type ReportedUser struct {
	Name     string `json:"name"`
	Role     string `json:"role"`
	Home     string `json:"home"`
	Telegram int64  `json:"telegram,omitempty"`
	TOTP     string `json:"totp"`
	Budget   string `json:"budget,omitempty"` // limits of the user's spending in words; "" means no limit
}

// ReportedRepo is a repository of a configuration.
type ReportedRepo struct {
	Repository string   `json:"repository"`
	User       string   `json:"user"`
	Does       []string `json:"does"`
	Events     string   `json:"events"`
}

// CheckConfig checks a configuration against this machine. path is its file, or "".
func CheckConfig(ctx context.Context, cfg *config.Config, path string) ConfigReport {
	r := ConfigReport{File: path, State: cfg.State, Model: cfg.Models.Default, Hints: cfg.Hints}
	if cfg.Telegram.Token.Reveal() != "" {
		r.Telegram = cfg.Telegram.APIURL
	}
	r.Hints = slices.Concat(r.Hints, app.ServiceHints(cfg))
	free, err := FreeModels(cfg)
	r.Free = free
	// FreeModels has already returned the same error
	if unpriced, _ := unpricedModels(cfg); len(unpriced) > 0 && hasBudget(cfg) {
		r.Hints = append(slices.Clone(r.Hints), fmt.Sprintf(textNoPrice, strings.Join(unpriced, ", ")))
	}
	for _, u := range cfg.Users {
		r.Users = append(r.Users, checkedUser(u))
	}
	for _, name := range slices.Sorted(maps.Keys(cfg.GitHub.Repos)) {
		r.GitHub = append(r.GitHub, checkedRepository(cfg, name))
	}
	r.add(cfg.Warnings, err, FindExposedSecrets(cfg), ValidateTelegramFiles(cfg), ValidateSpeechModel(cfg),
		app.ValidateServices(cfg),
		app.ValidateCalendars(cfg),
		missingFolders(cfg), unknownAccounts(cfg), FindServiceFaults(ctx, cfg))
	return r
}

// UnreadableConfigReport returns the report about a configuration that could not be read.
func UnreadableConfigReport(path string, err error) ConfigReport {
	r := ConfigReport{File: path}
	r.add(err)
	return r
}

// Err returns an error that lists the problems, or nil.
func (r ConfigReport) Err() error { return r.err }

// add adds the problems in errs. A nil error adds none.
func (r *ConfigReport) add(errs ...error) {
	r.err = errors.Join(append([]error{r.err}, errs...)...)
	r.Problems = problemTexts(r.err)
}

// problemTexts returns the text of each single error.
func problemTexts(err error) []string {
	texts := []string{}
	var list *config.ErrorList
	several, ok := err.(interface{ Unwrap() []error })
	switch {
	case err == nil:
	case ok:
		for _, one := range several.Unwrap() {
			texts = append(texts, problemTexts(one)...)
		}
	case errors.As(err, &list):
		for _, p := range list.Problems {
			texts = append(texts, list.Source+p.String())
		}
	default:
		texts = append(texts, err.Error())
	}
	return texts
}

func checkedUser(u config.User) ReportedUser {
	c := ReportedUser{Name: u.Name, Role: string(u.Role), Home: u.Home, Telegram: u.Telegram, TOTP: string(u.TOTP)}
	b := app.BudgetFromConfig(u.Budget)
	if s := (admin.SpendLimits{Turn: b.Turn, Day: b.Day, Month: b.Month}); s != (admin.SpendLimits{}) {
		c.Budget = s.Text()
	}
	return c
}

func checkedRepository(cfg *config.Config, name string) ReportedRepo {
	repo := cfg.GitHub.Repos[name]
	c := ReportedRepo{Repository: name, User: repo.User, Does: []string{textRepoNotices},
		Events: fmt.Sprintf(textRepoAsked, cfg.GitHub.Poll)}
	if repo.Review {
		c.Does = append(c.Does, fmt.Sprintf(textRepoReviews, repo.Post))
	}
	if repo.Triage {
		c.Does = append(c.Does, textRepoTriage)
	}
	if cfg.Webhooks.Listen != "" {
		c.Events = textRepoCalled
	}
	return c
}

// missingFolders names shared folders that are not there. No worker starts without them.
func missingFolders(cfg *config.Config) (err error) {
	check := func(key, path string) {
		switch info, bad := os.Stat(path); {
		case errors.Is(bad, fs.ErrNotExist):
			err = errors.Join(err, fmt.Errorf(textFolderMissing, key, path))
		case bad == nil && !info.IsDir():
			err = errors.Join(err, fmt.Errorf(textFolderIsFile, key, path))
		}
	}
	for i, path := range cfg.Worker.ReadOnly {
		check(fmt.Sprintf("worker.read_only[%d]", i), path)
	}
	for i, u := range cfg.Users {
		for j, path := range u.Workspaces {
			check(fmt.Sprintf("users[%d].workspaces[%d]", i, j), path)
		}
	}
	return err
}

// unknownAccounts names accounts of the configuration that this machine does not have.
func unknownAccounts(cfg *config.Config) (err error) {
	for i, u := range cfg.Users {
		if u.Account == "" {
			continue
		}
		if _, bad := placement.FindAccount(u.Account); bad != nil {
			err = errors.Join(err, fmt.Errorf(textAccountMissing, i, u.Account, u.Name))
		}
	}
	return err
}

// Text returns the outline for people. It leaves out the problems, which Err lists.
func (r ConfigReport) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, textChecked, configName(r.File), r.State, r.Model)
	if r.Telegram != "" {
		fmt.Fprintf(&b, textCheckedTelegram, r.Telegram)
	}
	if len(r.Free) > 0 {
		fmt.Fprintf(&b, textCheckedFree, strings.Join(r.Free, ", "))
	}
	for _, u := range r.Users {
		fmt.Fprintf(&b, textCheckedUser, u.Name, u.Role, u.Home, u.limits())
	}
	for _, g := range r.GitHub {
		fmt.Fprintf(&b, textCheckedRepo, g.Repository, g.User, strings.Join(g.Does, ", "), g.Events)
	}
	for _, hint := range r.Hints {
		fmt.Fprintf(&b, textCheckedHint, hint)
	}
	return b.String()
}

// limits returns a user's Telegram id, and the limits that differ from the defaults.
func (u ReportedUser) limits() (text string) {
	if u.Telegram != 0 {
		text += fmt.Sprintf(textCheckedID, u.Telegram)
	}
	if u.TOTP != string(config.TOTPOptional) {
		text += fmt.Sprintf(textCheckedTOTP, u.TOTP)
	}
	if u.Budget != "" {
		text += fmt.Sprintf(textCheckedBudget, u.Budget)
	}
	return text
}

// configName names a configuration's file, or says that it is missing or empty.
func configName(path string) string {
	if path == "" {
		return textNoConfigFile
	}
	if info, err := os.Stat(path); err == nil && info.Size() == 0 {
		return fmt.Sprintf(textEmptyConfig, path)
	}
	return path
}
