// Package doctor looks for what may keep Mews from working, and says what to do about it.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"mews/config"
)

// Options are what the examinations look at, and where the findings go.
type Options struct {
	Config  *config.Config
	Path    string // the configuration's file; "" is none
	Version string // of this program
	Out     io.Writer
}

// examination looks at one thing. A finding is what it saw. An error says what is wrong and what to
// do; a *warning is one with which Mews works all the same.
type examination struct {
	name string
	look func(ctx context.Context, o Options) (finding string, err error)
}

// warning is what one should know, though Mews works all the same.
type warning struct{ text string }

func (w *warning) Error() string { return w.text }

// examinations is the table, in the order in which the findings are printed.
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
	{"models", examineModels},
	{"telegram", examineTelegram},
	{"github", examineGitHub},
	{"service", examineService},
	{"gate", examineGate},
	{"seal", examineSeal},
	{"budget", examineBudget},
	{"walls", examineWalls},
	{"limits", examineLimits},
}

// Run makes every examination and prints a line for each. It fails when one of them found something
// that is wrong.
func Run(ctx context.Context, o Options) error {
	bad := 0
	for _, e := range examinations {
		finding, err := e.look(ctx, o)
		mark := "ok"
		switch {
		case errors.As(err, new(*warning)):
			mark, finding = "WARN", indented(err.Error())
		case err != nil:
			bad++
			mark, finding = "BAD", indented(err.Error())
		}
		fmt.Fprintf(o.Out, "%-4s  %-9s %s\n", mark, e.name, finding)
	}
	if bad > 0 {
		return fmt.Errorf(textNeedAttention, bad)
	}
	return nil
}

// indented puts the further lines of a finding below its first, beside the names of what was looked
// at.
func indented(finding string) string {
	const beside = 16 // the width of the columns before a finding
	return strings.ReplaceAll(finding, "\n", "\n"+strings.Repeat(" ", beside))
}

func examineConfig(_ context.Context, o Options) (string, error) {
	if o.Path == "" {
		return textNoConfig, nil
	}
	if wrong := o.Config.Warnings; wrong != nil {
		return "", &warning{wrong.Error()}
	}
	return o.Path, nil
}
