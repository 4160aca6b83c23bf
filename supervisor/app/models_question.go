package app

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"mews/supervisor/printable"
)

// MethodModels is what the control socket answers with a modelsReport; anybody with an account may
// ask.
const MethodModels = "models"

// ModelsReport is which models there are.
type ModelsReport struct {
	Models []ModelLine  `json:"models"`
	Silent []SilentLine `json:"silent,omitempty"`
}

// ModelLine is a model that can be had.
type ModelLine struct {
	Spec    string `json:"spec"`             // provider/model, or offline
	InUse   bool   `json:"in_use,omitempty"` // by whoever asks
	Default bool   `json:"default,omitempty"`
}

// SilentLine is a provider that did not say what it has.
type SilentLine struct {
	Provider string `json:"provider"`
	Why      string `json:"why"` // for a person
}

// Text is which models there are, in full length, for people.
func (r ModelsReport) Text() string {
	width := 0
	for _, m := range r.Models {
		if m.mark() != "" {
			width = max(width, utf8.RuneCountInString(printable.Text(m.Spec)))
		}
	}
	var b strings.Builder
	for _, m := range r.Models {
		line := fmt.Sprintf("%-*s  %s", width, printable.Text(m.Spec), m.mark())
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	for _, s := range r.Silent {
		fmt.Fprintf(&b, textProviderSilent, printable.Text(s.Provider), printable.Text(s.Why))
	}
	return b.String()
}

// mark says whether a model is in use and whether it is the default.
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
