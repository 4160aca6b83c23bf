package main

import (
	"context"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"mews/config"
	"mews/supervisor"
	"mews/supervisor/app"
	"mews/supervisor/model/openai"
)

// findLocalModels finds servers of models on this machine.
var findLocalModels = openai.FindLocal

// plainModel is a model's name that a shell does not interpret. Other people choose the names, and the hint is there to be copied.
var plainModel = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:/@+-]*$`)

// nearbyModels are hints at models on this machine, where none is configured. Mews never uses one unasked.
func nearbyModels(ctx context.Context, cfg *config.Config, path string) (hints []string) {
	if path != "" || cfg.Models.Default != config.Offline {
		return nil
	}
	for _, f := range findLocalModels(ctx) {
		if i := slices.IndexFunc(f.Models, plainModel.MatchString); i >= 0 {
			hints = append(hints, fmt.Sprintf(textModelNearby,
				f.Name, f.BaseURL, f.BaseURL, f.Models[i]))
		}
	}
	return hints
}

// modelsVerb is `mews models`.
func modelsVerb(ctx context.Context, con console, args []string) error {
	set := flags(con, "models")
	file := set.String("config", "", flagConfig)
	asJSON := set.Bool("json", false, flagJSON)
	_, cfg, err := parseClient(set, file, args, 0, 0)
	if err != nil {
		return err
	}
	report, err := askFor[app.ModelsReport](ctx, cfg, app.MethodModels, nil)
	if err != nil {
		return err
	}
	return show(con.out, report, *asJSON, printModels)
}

// printModels prints which models there are, in full length.
func printModels(w io.Writer, r app.ModelsReport) error {
	width := 0
	for _, m := range r.Models {
		if modelMark(m) != "" {
			width = max(width, utf8.RuneCountInString(supervisor.Printable(m.Spec)))
		}
	}
	var b strings.Builder
	for _, m := range r.Models {
		line := fmt.Sprintf("%-*s  %s", width, supervisor.Printable(m.Spec), modelMark(m))
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	for _, s := range r.Silent {
		fmt.Fprintf(&b, textProviderSilent, supervisor.Printable(s.Provider), supervisor.Printable(s.Why))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// modelMark says whether a model is in use and whether it is the default.
func modelMark(m app.ModelLine) string {
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
