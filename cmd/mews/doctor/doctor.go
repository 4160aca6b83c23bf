// Package doctor finds problems of an installation, and says how to fix them.
package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"mews/config"
)

// Options are the inputs of the examinations, and the output for their findings.
type Options struct {
	Config  *config.Config
	Path    string // the configuration file; "" means none
	Version string // version of this program
	Out     io.Writer
	JSON    bool // write the report as JSON
	Calls   bool // call the default model with its key
	// Drift names what is not as the installer has made it. nil means that the installer has made
	// nothing.
	Drift func(ctx context.Context) ([]string, error)
}

// examination examines one thing. run returns a finding about it, or an error that says what is
// wrong and what to do. If Mews works anyway, the error is a *warning. "" without an error means
// that there is nothing to examine. All examinations run at once.
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
	{"drift", examineDrift},
	{"credentials", examineCredentials},
	{"programs", examinePrograms},
	{"readers", examineReaders},
	{"voice", examineVoice},
	{"state", examineState},
	{"disk", examineDisk},
	{"homes", examineHomes},
	{"versions", examineHistories},
	{"models", examineModels},
	{"key", examineKey},
	{"telegram", examineTelegram},
	{"clock", examineClock},
	{"webhook", examineWebhook},
	{"github", examineGitHub},
	{"services", examineServices},
	{"service", examineService},
	{"last poll", examinePoll},
	{"listeners", examineListeners},
	{"alarms", examineAlarms},
	{"database", examineDatabase},
	{"backups", examineBackups},
	{"drill", examineDrill},
	{"update", examineUpdate},
	{"gate", examineGate},
	{"seal", examineSeal},
	{"budget", examineBudget},
	{"free models", examineFreeModels},
	{"walls", examineWalls},
	{"limits", examineLimits},
	{"memory", examineMemory},
	{"files", examineOpenFiles},
}

// limit is how long the doctor may take. An examination that takes longer ends with a warning.
const limit = 9 * time.Second

// ErrWarnings is the error of Run if there are only warnings. Run has printed them.
var ErrWarnings = errors.New("there are warnings")

// Run runs all examinations at once, and prints a line for each, in their order. It fails if any of
// them found an error.
func Run(ctx context.Context, o Options) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	findings := make([]chan Finding, len(examinations))
	for i, e := range examinations {
		findings[i] = make(chan Finding, 1) // an examination that takes too long is left behind
		go func() { findings[i] <- e.run(ctx, o) }()
	}
	marks := map[string]int{}
	var found []Finding
	grace := time.After(limit + time.Second/2) // for examinations that end with their context
	var late bool
	for i, e := range examinations {
		f := await(grace, &late, e, findings[i])
		if f.Text == "" {
			continue // there is nothing to examine
		}
		marks[f.Mark]++
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
	switch {
	case marks[markBad] > 0:
		return fmt.Errorf(textNeedAttention, marks[markBad])
	case marks[markWarn] > 0:
		return ErrWarnings
	}
	return nil
}

// await returns the finding of an examination, or a warning if it takes too long. late is whether
// the grace of all examinations is over.
func await(grace <-chan time.Time, late *bool, e examination, finding chan Finding) Finding {
	if !*late {
		select {
		case f := <-finding:
			return f
		case <-grace:
			*late = true
		}
	}
	select {
	case f := <-finding:
		return f
	default:
		return Finding{e.name, markWarn, fmt.Sprintf(textTooLong, limit)}
	}
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
