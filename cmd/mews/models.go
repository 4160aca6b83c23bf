package main

import (
	"context"
	"fmt"
	"regexp"
	"slices"

	"mews/config"
	"mews/supervisor/api"
	"mews/supervisor/model/openai"
)

// findLocalModels finds model servers on this machine.
var findLocalModels = openai.FindLocalServers

// plainModel matches a model's name without characters that a shell interprets. Strangers choose
// the names, and people copy the command in the hint.
var plainModel = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:/@+-]*$`)

// nearbyModels returns hints at model servers on this machine if no model is configured. Mews uses
// such a server only if it is configured.
func nearbyModels(ctx context.Context, cfg *config.Config, path string) (hints []string) {
	if path != "" || cfg.Models.Default != config.OfflineModel {
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

// modelsVerb runs `mews models`.
func modelsVerb(ctx context.Context, con console, args []string) error {
	set := flags(con, "models")
	file := set.String("config", "", flagConfig)
	asJSON := set.Bool("json", false, flagJSON)
	_, cfg, err := parseClient(set, file, args, 0, 0)
	if err != nil {
		return err
	}
	return askAndShow(ctx, con, cfg, api.MethodModels, nil, *asJSON, api.ModelsReport.Text)
}
