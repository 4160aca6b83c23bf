// Package doctor finds problems of an installation, and says how to fix them.
package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"mews/config"
)

// Options are the inputs of the examinations, and the output for their findings.
type Options struct {
	Config  *config.Config
	Path    string // the configuration file; "" means none
	Version string // version of this program
	Out     io.Writer
	JSON    bool // write the report as JSON
}

// examination examines one thing. run returns a finding about it, or an error that says what is
// wrong and what to do. If Mews works anyway, the error is a *warning.
type examination struct {
	name    string
	examine func(ctx context.Context, o Options) (finding string, err error)
}

// warning is an error about a problem that does not keep Mews from working.
type warning struct{ text string }

func (w *warning) Error() string { return w.text }

// examinations are all examinations, in the order of the output.
var examinations = []examination{
	{"config", examineConfig},
	{"secrets", examineSecrets},
	{"unit", examineUnit},
	{"programs", examinePrograms},
	{"readers", examineReaders},
	{"voice", examineVoice},
	{"state", examineState},
	{"disk", examineDisk},
	{"homes", examineHomes},
	{"versions", examineHistories},
	{"models", examineModels},
	{"telegram", examineTelegram},
	{"github", examineGitHub},
	{"services", examineServices},
	{"service", examineService},
	{"database", examineDatabase},
	{"backups", examineBackups},
	{"gate", examineGate},
	{"seal", examineSeal},
	{"budget", examineBudget},
	{"free models", examineFreeModels},
	{"walls", examineWalls},
	{"limits", examineLimits},
}

// Run runs all examinations and prints a line for each. It fails if any of them found an error.
func Run(ctx context.Context, o Options) error {
	bad := 0
	var found []Finding
	for _, e := range examinations {
		f := e.run(ctx, o)
		if f.Mark == markBad {
			bad++
		}
		if found = append(found, f); !o.JSON {
			fmt.Fprintf(o.Out, "%-4s  %-9s %s\n", f.Mark, f.Name, indentRest(f.Text))
		}
	}
	if o.JSON {
		enc := json.NewEncoder(o.Out)
		enc.SetIndent("", "  ")
		if err := enc.Encode(found); err != nil {
			return err
		}
	}
	if bad > 0 {
		return fmt.Errorf(textNeedAttention, bad)
	}
	return nil
}

// Finding is the result of one examination.
type Finding struct {
	Name string `json:"name"`
	Mark string `json:"mark"`
	Text string `json:"text"`
}

// Marks of findings.
const (
	markOK   = "ok"
	markWarn = "WARN" // Mews works, but with a problem
	markBad  = "BAD"
)

// UnreadableConfigFindings returns the findings about a configuration that can't be read.
func UnreadableConfigFindings(err error) []Finding {
	return []Finding{{examinations[0].name, markBad, err.Error()}}
}

func (e examination) run(ctx context.Context, o Options) Finding {
	text, err := e.examine(ctx, o)
	switch {
	case errors.As(err, new(*warning)):
		return Finding{e.name, markWarn, err.Error()}
	case err != nil:
		return Finding{e.name, markBad, err.Error()}
	}
	return Finding{e.name, markOK, text}
}

// indentRest indents all lines of a finding but the first, to the column of the findings.
func indentRest(finding string) string {
	const beside = 16 // width of the columns before a finding
	return strings.ReplaceAll(finding, "\n", "\n"+strings.Repeat(" ", beside))
}

func examineConfig(_ context.Context, o Options) (string, error) {
	hints := o.Config.Hints
	if o.Path == "" {
		return strings.Join(append([]string{textNoConfig}, hints...), "\n"), nil
	}
	if wrong := o.Config.Warnings; wrong != nil {
		hints = append([]string{wrong.Error()}, hints...)
	}
	if hints != nil {
		return "", &warning{strings.Join(hints, "\n")}
	}
	return o.Path, nil
}
