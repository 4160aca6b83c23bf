package api

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"mews/supervisor/feature"
	"mews/supervisor/model"
	"mews/supervisor/printable"
	"mews/supervisor/users"
)

// MethodModels is the method of the control socket that returns a ModelsReport. Every user may call
// it.
const MethodModels = "models"

// ModelsReport lists the available models.
type ModelsReport struct {
	Models []ModelLine      `json:"models"`
	Silent []FailedProvider `json:"silent,omitempty"`
}

// ModelLine is an available model in a report.
type ModelLine struct {
	Spec    string `json:"spec"`             // provider/model, or offline
	InUse   bool   `json:"in_use,omitempty"` // the caller uses this model
	Default bool   `json:"default,omitempty"`
}

// FailedProvider is a provider that did not list its models.
type FailedProvider struct {
	Provider string `json:"provider"`
	Why      string `json:"why"` // why the provider is silent, as a text for people
}

// Text lists the models for people.
func (r ModelsReport) Text() string {
	width := 0
	for _, m := range r.Models {
		if m.mark() != "" {
			width = max(width, utf8.RuneCountInString(printable.DropControls(m.Spec)))
		}
	}
	var b strings.Builder
	for _, m := range r.Models {
		line := fmt.Sprintf("%-*s  %s", width, printable.DropControls(m.Spec), m.mark())
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	for _, s := range r.Silent {
		fmt.Fprintf(&b, textProviderSilent, printable.DropControls(s.Provider), printable.DropControls(s.Why))
	}
	return b.String()
}

// mark says whether a model is in use, and whether it is the default.
func (m ModelLine) mark() string {
	switch {
	case m.InUse && m.Default:
		return textInUseDefault
	case m.InUse:
		return textInUse
	case m.Default:
		return textDefault
	}
	return ""
}

// modelCalls answers calls for the available models.
type modelCalls struct {
	catalogue *model.Catalogue
	choices   users.ModelChoice
}

// answer lists the models, and marks the caller's model.
func (c modelCalls) answer(ctx context.Context, by feature.Caller) (report ModelsReport, err error) {
	inUse := ""
	user, err := by.UserFor("", "")
	switch {
	case err == nil:
		if inUse, _, err = c.choices.CurrentModel(ctx, user.Name); err != nil {
			return report, err
		}
	case !by.Admin:
		return report, err
	}
	for _, o := range c.catalogue.ListModels(ctx) {
		if o.Err != "" {
			report.Silent = append(report.Silent, FailedProvider{Provider: o.Spec, Why: o.Err})
			continue
		}
		report.Models = append(report.Models, ModelLine{Spec: o.Spec, InUse: o.Spec == inUse, Default: o.Default})
	}
	return report, nil
}
