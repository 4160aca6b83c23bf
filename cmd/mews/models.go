package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"mews/config"
	"mews/supervisor/control"
	"mews/supervisor/model/openai"
)

// methodModels is what the control socket answers with a modelsReport; anybody with an account may ask.
const methodModels = "models"

// modelsReport is which models there are.
type modelsReport struct {
	Models []modelLine  `json:"models"`
	Silent []silentLine `json:"silent,omitempty"`
}

// modelLine is a model that can be had.
type modelLine struct {
	Spec    string `json:"spec"`             // provider/model, or offline
	InUse   bool   `json:"in_use,omitempty"` // by whoever asks
	Default bool   `json:"default,omitempty"`
}

// silentLine is a provider that did not say what it has.
type silentLine struct {
	Provider string `json:"provider"`
	Why      string `json:"why"` // for a person
}

// askModels asks the service.
var askModels = func(ctx context.Context, socket string) (modelsReport, error) {
	var report modelsReport
	err := control.Ask(ctx, socket, methodModels, nil, &report)
	return report, err
}

// lookNearby finds servers of models on this machine.
var lookNearby = openai.FindLocal

// plainModel is a model's name that means the same in a shell: a hint is there to be copied, and others have named it.
var plainModel = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:/@+-]*$`)

// nearby tells of models on this machine, where none is configured: they are offered, and never used unasked.
func nearby(ctx context.Context, cfg *config.Config, path string) (hints []string) {
	if path != "" || cfg.Models.Default != config.Offline {
		return nil
	}
	for _, f := range lookNearby(ctx) {
		if i := slices.IndexFunc(f.Models, plainModel.MatchString); i >= 0 {
			hints = append(hints, fmt.Sprintf("%s answers at %s; to talk to a model of it: OPENAI_BASE_URL=%s OPENAI_MODEL=%s mews run",
				f.Name, f.BaseURL, f.BaseURL, f.Models[i]))
		}
	}
	return hints
}

// modelsVerb is `mews models`.
func modelsVerb(ctx context.Context, con console, args []string) error {
	set := flags(con, "models")
	file := set.String("config", "", "the configuration `FILE`")
	asJSON := set.Bool("json", false, "print it as JSON")
	if err := parse(set, args); err != nil {
		return err
	}
	socket, err := findService(*file)
	if err != nil {
		return err
	}
	report, err := askModels(ctx, socket)
	if err != nil {
		return err
	}
	if *asJSON {
		return printJSON(con.out, report)
	}
	return printModels(con.out, report)
}

// printModels writes for people which models there are. It cuts nothing: who runs the verb can.
func printModels(w io.Writer, r modelsReport) error {
	width := 0
	for _, m := range r.Models {
		if m.mark() != "" {
			width = max(width, utf8.RuneCountInString(printable(m.Spec)))
		}
	}
	var b strings.Builder
	for _, m := range r.Models {
		line := fmt.Sprintf("%-*s  %s", width, printable(m.Spec), m.mark())
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	for _, s := range r.Silent {
		fmt.Fprintf(&b, "%s did not say what it has: %s\n", printable(s.Provider), printable(s.Why))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// mark says what is special about a model.
func (m modelLine) mark() string {
	switch {
	case m.InUse && m.Default:
		return "in use, the default"
	case m.InUse:
		return "in use"
	case m.Default:
		return "the default"
	}
	return ""
}

// printJSON writes a value for programs.
func printJSON(w io.Writer, value any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(value)
}

// printable is what others named, without what could move a terminal's cursor.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return -1
	}, text)
}
