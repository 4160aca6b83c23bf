// Package install sets Mews up as a service of systemd: its accounts, programs, files, homes and
// unit. It needs root and no supervisor.
//
//	answers.go   what an admin says, as a file, by flags and in the terminal (ask.go)
//	facts.go     what the machine is like
//	layout.go    where the parts of an instance are
//	steps.go     the table of steps, each of which finds out whether it is done
//	from.go      the data of an earlier Mews, which come along as a backup
//	record.go    what was written and with which answers, so that edited files are left alone
//	identity.go  the key of the homes in backups, which is shown once
//	numbers.go   the uids and the port, which no other instance has
//	render.go    the configuration, the policy and the drop-in that follow from the answers
//	folders.go   what must be root's alone, and no link
//	machine.go   changes of files and commands, below a root folder
//	probe.go     calls of Telegram and of the model, before anything is written
//	remove.go    the way back
//	pair.go      the first admin's invite
package install

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"mews/config"
	"mews/supervisor/app"
)

// Options configure an Installer.
type Options struct {
	Layout  Layout
	Root    string // the root folder of the installed system; "" means this machine's
	Version string
	Source  string // the folder with the four programs
	Out     io.Writer
	Facts   Facts
	// Command runs a program; nil means RunCommand.
	Command func(ctx context.Context, name string, args ...string) (string, error)
	// Changed is called after each change of the system; an error ends the run. nil is allowed.
	Changed func() error
}

// Installer sets up one instance.
type Installer struct {
	Options
	layout   Layout
	machine  machine
	facts    Facts
	record   record
	found    bool              // there is a record of an earlier run
	answered bool              // the answers differ from those of the record
	secrets  map[string]string // secrets that were given now, by their names
}

// New makes an installer. It reads the record of an earlier run.
func New(o Options) (*Installer, error) {
	if o.Root == "" {
		o.Root = "/"
	}
	if o.Command == nil {
		o.Command = RunCommand
	}
	if o.Changed == nil {
		o.Changed = func() error { return nil }
	}
	in := &Installer{Options: o, layout: o.Layout, facts: o.Facts, secrets: map[string]string{},
		machine: machine{root: o.Root, image: o.Root != "/", command: o.Command, changed: o.Changed}}
	if err := in.checkLinks(); err != nil {
		return nil, err
	}
	var err error
	in.record, in.found, err = readRecord(in.machine, in.layout)
	return in, err
}

// Found reports whether an earlier run has left its answers.
func (in *Installer) Found() bool { return in.found }

// Answers returns the current answers.
func (in *Installer) Answers() Answers { return in.record.Answers }

// Answer takes answers and reads the secrets that they name. Earlier answers stay where more has
// none.
func (in *Installer) Answer(more Answers) error {
	a := &in.record.Answers
	a.Merge(more)
	in.answered = in.answered || !in.found || !isEmpty(more)
	if more.TokenFile == noTelegram {
		a.Telegram, a.NoTelegram = false, true
	} else if more.TokenFile != "" {
		if err := in.readSecret(secretToken, more.TokenFile); err != nil {
			return err
		}
		a.Telegram, a.NoTelegram = true, false
	}
	if more.KeyFile != "" {
		if err := in.readSecret(secretKey, more.KeyFile); err != nil {
			return err
		}
		a.Keyed = true
	}
	if a.Model == offlineModel {
		a.Keyed = false
	}
	return nil
}

func isEmpty(a Answers) bool {
	return a.TokenFile == "" && a.TelegramURL == "" && a.Model == "" && a.ModelURL == "" && a.KeyFile == "" &&
		a.People == nil && a.Timezone == "" && a.Month == nil && a.Backups == nil && a.Updates == "" &&
		a.Recipient == "" && a.From == ""
}

// Check refuses answers and machines that make no service. It writes nothing.
func (in *Installer) Check() error {
	if err := in.facts.check(); err != nil {
		return err
	}
	if err := in.record.Answers.check(); err != nil {
		return err
	}
	if err := in.checkPeople(); err != nil {
		return err
	}
	for _, name := range in.record.Answers.secrets() {
		if in.lacksSecret(name) {
			return fmt.Errorf(textSecretMissing, in.layout.Mews("install secret "+name))
		}
	}
	if err := errors.Join(in.checkFolders(), in.reserve(), in.checkFrom()); err != nil {
		return err
	}
	return in.checkConfig()
}

// checkConfig checks the configuration that follows from the answers, as `mews check` would.
func (in *Installer) checkConfig() error {
	_, err := in.config()
	return err
}

// config loads the configuration that follows from the answers, with the secrets that will be there.
func (in *Installer) config() (*config.Config, error) {
	env, err := config.ReadMachineEnv(app.DefaultEffectRules(), app.TaintedEffectRules())
	if err != nil {
		return nil, err
	}
	env.Getenv = func(string) string { return "" }
	env.ReadFile = func(file string) ([]byte, error) {
		if file == in.layout.Config() {
			return []byte(in.renderConfig()), nil
		}
		if text := in.secrets[filepath.Base(file)]; text != "" {
			return []byte(text), nil
		}
		return os.ReadFile(in.machine.path(file))
	}
	return config.Load(in.layout.Config(), env)
}

// Plan prints each step with its state. It writes nothing.
func (in *Installer) Plan() error {
	for _, note := range in.facts.notes() {
		fmt.Fprintln(in.Out, note)
	}
	for _, s := range in.steps() {
		st, err := s.state()
		if err != nil {
			return fmt.Errorf(textStepFailed, s.name, err)
		}
		fmt.Fprintf(in.Out, "%-7s %s\n", wordOf(st), s.about)
	}
	return nil
}

func wordOf(st state) string {
	switch {
	case st.edited != "":
		return textWordEdited
	case st.done:
		return textWordDone
	}
	return textWordToDo
}

// ErrDrift means that a step is not done, or was undone by a person.
var ErrDrift = errors.New(textDrift)

// Status prints every step that is not done. If there is one, the error is ErrDrift.
func (in *Installer) Status() error {
	if !in.found {
		return fmt.Errorf(textNotInstalled, in.layout.recordFile())
	}
	drift := 0
	for _, s := range in.steps() {
		st, err := s.state()
		switch {
		case err != nil:
			fmt.Fprintf(in.Out, "%-7s %s\n%v\n", textWordWrong, s.about, err)
		case st.edited != "":
			fmt.Fprintf(in.Out, "%-7s %s\n%s\n", textWordEdited, s.about, st.edited)
		case !st.done:
			fmt.Fprintf(in.Out, "%-7s %s\n", textWordMissing, s.about)
		default:
			continue
		}
		drift++
	}
	if drift > 0 {
		return ErrDrift
	}
	_, err := fmt.Fprintf(in.Out, textInOrder, in.layout.unit(), in.Version)
	return err
}

// Apply does every step that is not done. It leaves edited files as they are, and shows the
// difference.
func (in *Installer) Apply(ctx context.Context) error {
	for _, note := range in.facts.notes() {
		fmt.Fprintln(in.Out, note)
	}
	return in.apply(ctx, in.steps())
}

func (in *Installer) apply(ctx context.Context, steps []step) error {
	for _, s := range steps {
		st, err := s.state()
		if err == nil && st.edited != "" {
			fmt.Fprintf(in.Out, "%-7s %s\n%s\n", textWordKept, s.about, st.edited)
			continue
		}
		if err == nil && !st.done {
			fmt.Fprintf(in.Out, "%-7s %s\n", textWordDoes, s.about)
			err = in.do(ctx, s)
		}
		if err != nil {
			return fmt.Errorf(textStepFailed, s.name, err)
		}
	}
	return nil
}

// do does a step, and looks whether it is done then.
func (in *Installer) do(ctx context.Context, s step) error {
	if err := s.do(ctx); err != nil {
		return err
	}
	st, err := s.state()
	if err == nil && !st.done {
		err = errors.New(textStillNotDone)
	}
	return err
}

// readSecret reads a file with a secret.
func (in *Installer) readSecret(name, file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf(textSecretUnread, name, err)
	}
	return in.SetSecret(name, string(text))
}

// SetSecret takes a secret, which Apply writes.
func (in *Installer) SetSecret(name, text string) error {
	if !slices.Contains(Secrets, name) {
		return fmt.Errorf(textNoSecret, name, Secrets)
	}
	text = trimLine(text)
	if text == "" || !isOneLine(text) {
		return fmt.Errorf(textBadSecret, name)
	}
	in.secrets[name] = text + "\n"
	return nil
}

// SaveSecret writes one secret of an installed service.
func (in *Installer) SaveSecret(ctx context.Context, name string) error {
	if !in.found || !slices.Contains(in.record.Answers.secrets(), name) {
		return fmt.Errorf(textSecretUnused, name)
	}
	if err := in.secretStep(name).do(ctx); err != nil {
		return err
	}
	if !in.machine.exists(in.layout.unitFile()) {
		return nil // an installation that has not ended
	}
	return in.serviceStep().do(ctx)
}

// lacksSecret reports whether a secret is neither given nor written, as after a kill.
func (in *Installer) lacksSecret(name string) bool {
	return in.secrets[name] == "" && !in.machine.exists(path.Join(in.layout.etc(), name))
}

// secretStep writes a secret for root alone. systemd hands it to the service (LoadCredential).
func (in *Installer) secretStep(name string) step {
	file := path.Join(in.layout.etc(), name)
	return step{name: "secret " + name, about: fmt.Sprintf(textFile, file, "root", 0o600),
		state: func() (state, error) {
			have, err := in.machine.read(file)
			st, there := in.machine.status(file)
			switch text := in.secrets[name]; {
			case err != nil:
				return state{}, err
			case text != "" && text != string(have):
				return state{}, nil
			case !there || len(have) == 0:
				return state{}, nil
			case st.Uid != uint32(os.Getuid()) || fs.FileMode(st.Mode&0o777) != 0o600:
				return state{edited: fmt.Sprintf(textSecretOpen, file, file, file)}, nil
			}
			return state{done: true}, nil
		},
		do: func(context.Context) error {
			text := in.secrets[name]
			if text == "" {
				return fmt.Errorf(textSecretMissing, in.layout.Mews("install secret "+name))
			}
			in.record.Restart = true
			if err := in.save(); err != nil {
				return err
			}
			return in.machine.write(file, []byte(text), 0o600, 0)
		}}
}
