package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/term"

	"mews/cmd/mews/install"
	"mews/config"
	"mews/supervisor/admin"
)

func installSubcommands() []subcommand {
	return []subcommand{
		{name: "plan", run: installPlan},
		{name: "apply", run: installApply},
		{name: "status", run: installStatus},
		{name: "secret", run: installSecret},
		{name: "invite", run: installInvite},
		{name: "remove", run: installRemove},
	}
}

// installVerb runs `mews install`. Without a subcommand it asks, and then applies.
func installVerb(ctx context.Context, con console, args []string) error {
	help := len(args) > 0 && (args[0] == "--help" || args[0] == "-h")
	if len(args) == 0 || strings.HasPrefix(args[0], "-") && !help {
		return installApply(ctx, con, subcommand{verb: "install", name: "apply"}, args)
	}
	return choose(ctx, con, "install", installSubcommands(), args)
}

// installer is an installer with the flags that all subcommands have.
type installer struct {
	*install.Installer
	set            *flag.FlagSet
	instance, root *string
}

func newInstaller(con console, v subcommand) *installer {
	set := flags(con, v.verb+" "+v.name)
	return &installer{set: set, instance: set.String("instance", "", flagInstallInstance),
		root: set.String("root", "", flagInstallRoot)}
}

// open parses the words, and reads the record of an earlier run.
func (i *installer) open(ctx context.Context, con console, args []string, words int) (names []string, err error) {
	if names, err = parseNames(i.set, args, words, words); err != nil {
		return nil, err
	}
	layout, err := install.NewLayout(*i.instance)
	if err != nil {
		return nil, err
	}
	if os.Getuid() != 0 && *i.root == "" {
		return nil, errors.New(textNeedsRoot)
	}
	self, err := os.Executable()
	if err == nil {
		self, err = filepath.EvalSymlinks(self)
	}
	if err != nil {
		return nil, err
	}
	o := install.Options{Layout: layout, Root: *i.root, Version: version, Source: filepath.Dir(self), Out: con.out}
	if o.Facts, err = install.ReadFacts(ctx, *i.root); err != nil {
		return nil, err
	}
	i.Installer, err = install.New(o)
	return names, err
}

// answerFlags adds the flags of the answers. The function that it returns reads them.
func (i *installer) answerFlags() func() (install.Answers, error) {
	file := i.set.String("answers", "", flagAnswers)
	var a install.Answers
	i.set.StringVar(&a.TokenFile, "token-file", "", flagTokenFile)
	i.set.StringVar(&a.TelegramURL, "telegram-url", "", flagTelegramURL)
	i.set.StringVar(&a.Model, "model", "", flagInstallModel)
	i.set.StringVar(&a.ModelURL, "model-url", "", flagModelURL)
	i.set.StringVar(&a.KeyFile, "key-file", "", flagKeyFile)
	i.set.StringVar(&a.Timezone, "timezone", "", flagInstallZone)
	i.set.Func("person", flagPerson, func(text string) error {
		p, err := install.ParsePerson(text)
		a.People = append(a.People, p)
		return err
	})
	i.set.Func("month", flagMonth, func(text string) (err error) {
		a.Month, err = install.ParseMonth(text)
		return err
	})
	i.set.Func("backups", flagBackups, func(text string) (err error) {
		a.Backups, err = install.ParseYes(text)
		return err
	})
	i.set.StringVar(&a.Recipient, "recipient", "", flagRecipient)
	i.set.StringVar(&a.Updates, "updates", "", flagUpdates)
	i.set.StringVar(&a.From, "from", "", flagInstallFrom)
	i.set.StringVar(&a.FromConfig, "from-config", "", flagFromConfig)
	return func() (install.Answers, error) {
		if *file == "" {
			return a, nil
		}
		first, err := install.ReadAnswers(*file)
		first.Merge(a)
		return first, err
	}
}

// prepare collects the answers and checks them. It writes nothing.
func (i *installer) prepare(ctx context.Context, con console, args []string) error {
	read := i.answerFlags()
	if _, err := i.open(ctx, con, args, 0); err != nil {
		return err
	}
	a, err := read()
	if err != nil {
		return err
	}
	if err := i.Answer(a); err != nil {
		return err
	}
	if term.IsTerminal(int(con.in.Fd())) {
		if err := i.Ask(ctx, askTerminal(con)); err != nil {
			return err
		}
	}
	return i.Check()
}

func askTerminal(con console) install.Terminal {
	return install.Terminal{In: bufio.NewReader(con.in), Out: con.out,
		Hidden: func() (string, error) {
			text, err := term.ReadPassword(int(con.in.Fd()))
			return string(text), err
		},
		LocalModels: func(ctx context.Context) (models []string) {
			for _, f := range findLocalModels(ctx) {
				if f.Name == "Ollama" {
					models = append(models, f.Models...)
				}
			}
			return models
		}}
}

func installPlan(ctx context.Context, con console, v subcommand, args []string) error {
	i := newInstaller(con, v)
	if err := i.prepare(ctx, con, args); err != nil {
		return err
	}
	return i.Plan()
}

func installApply(ctx context.Context, con console, v subcommand, args []string) error {
	i := newInstaller(con, v)
	err := i.prepare(ctx, con, args)
	if err == nil {
		err = i.Probe(ctx)
	}
	if err == nil {
		err = i.Apply(ctx)
	}
	if err != nil || *i.root != "" {
		return err
	}
	if term.IsTerminal(int(con.in.Fd())) {
		return i.pair(ctx, con)
	}
	_, err = fmt.Fprintf(con.out, textInstalled, i.Layout.Mews("install invite"), i.Layout.Mews("doctor"))
	return err
}

// pair connects the first admin.
func (i *installer) pair(ctx context.Context, con console) error {
	cfg, _, err := loadConfigAs(i.Layout.Config(), true)
	if err != nil {
		return err
	}
	return i.Pair(ctx, cfg, askTerminal(con), func(user string, made admin.InviteResult) error {
		return printInvite(con.out, user, made)
	})
}

func installStatus(ctx context.Context, con console, v subcommand, args []string) error {
	i := newInstaller(con, v)
	if _, err := i.open(ctx, con, args, 0); err != nil {
		return err
	}
	return i.Status()
}

// installSecret changes one secret. It comes from a file or the terminal.
func installSecret(ctx context.Context, con console, v subcommand, args []string) error {
	i := newInstaller(con, v)
	file := i.set.String("file", "", flagSecretFile)
	names, err := i.open(ctx, con, args, 1)
	if err != nil {
		return err
	}
	text, err := readSecret(con, names[0], *file)
	if err == nil {
		err = i.SetSecret(names[0], text)
	}
	if err != nil {
		return err
	}
	return i.SaveSecret(ctx, names[0])
}

func readSecret(con console, name, file string) (string, error) {
	if file != "" {
		text, err := os.ReadFile(file)
		return string(text), err
	}
	if !term.IsTerminal(int(con.in.Fd())) {
		text, err := io.ReadAll(io.LimitReader(con.in, 1<<16))
		return string(text), err
	}
	fmt.Fprintf(con.out, textAskSecret, name)
	text, err := term.ReadPassword(int(con.in.Fd()))
	fmt.Fprintln(con.out)
	return string(text), err
}

func installInvite(ctx context.Context, con console, v subcommand, args []string) error {
	i := newInstaller(con, v)
	if _, err := i.open(ctx, con, args, 0); err != nil {
		return err
	}
	if !term.IsTerminal(int(con.in.Fd())) {
		return errors.New(textInviteTerminal)
	}
	return i.pair(ctx, con)
}

func installRemove(ctx context.Context, con console, v subcommand, args []string) error {
	i := newInstaller(con, v)
	var o install.Removal
	i.set.BoolVar(&o.State, "delete-state", false, flagDeleteState)
	i.set.BoolVar(&o.Homes, "delete-homes", false, flagDeleteHomes)
	yes := i.set.Bool("yes", false, flagRemoveYes)
	if _, err := i.open(ctx, con, args, 0); err != nil {
		return err
	}
	if data := i.DataOf(o); len(data) > 0 && !*yes {
		fmt.Fprintf(con.out, textConfirmDelete, strings.Join(data, "\n  "))
		word, _ := bufio.NewReader(con.in).ReadString('\n') // without a line there is no consent
		if strings.TrimSpace(word) != "delete" {
			return errors.New(textNothingDeleted)
		}
	}
	return i.Remove(ctx, o)
}

// addWithAccount adds a user of an installed service, with an account and a home of their own.
func addWithAccount(ctx context.Context, con console, cfg *config.Config, p install.Person) error {
	if os.Getuid() != 0 {
		return errors.New(textAccountNeedsRoot)
	}
	layout, err := install.LayoutOfConfig(cfg.File)
	if err != nil {
		return err
	}
	o := install.Options{Layout: layout, Version: version, Out: con.out}
	if o.Facts, err = install.ReadFacts(ctx, ""); err != nil {
		return err
	}
	in, err := install.New(o)
	if err == nil {
		err = in.AddPerson(ctx, p)
	}
	if err == nil {
		_, err = fmt.Fprintf(con.out, textAccountMade, p.Name, layout.Mews("user invite "+p.Name))
	}
	return err
}
