package config

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"regexp"
	"strings"
)

// Env is all that this package knows of the machine. Tests make their own.
type Env struct {
	Getenv   func(name string) string // "" where it is not set
	ReadFile func(path string) ([]byte, error)
	Home     string // absolute path of the OS account's home; "" where it has none
	Login    string // name of the OS account
	Cwd      string // absolute path of the working directory

	// the effects that there may be rules for, each with the rule that holds where nothing was set
	Effects EffectRules
	// the configuration is read to find a running service, whose secrets its clients may be unable
	// to read
	Client bool
}

// maxFile is how large a configuration and a file with a secret may be, in bytes.
const maxFile = 1 << 20

// OS is the machine as it is; effects become the Env's.
func OS(effects EffectRules) (Env, error) {
	cwd, err := os.Getwd()
	if err == nil {
		_, err = os.Stat(cwd + "/.") // it takes the right to pass through
	}
	if err != nil {
		cwd = "" // it is gone, or another's, as after su: nothing of it is needed
	}
	env := Env{Getenv: os.Getenv, ReadFile: readFile, Home: os.Getenv("HOME"), Cwd: cwd, Effects: effects}
	account, err := user.Current()
	if err != nil {
		// An account that stands in no passwd file, as in many containers, still has an id.
		env.Login = fmt.Sprintf("uid-%d", os.Getuid())
		return env, nil
	}
	env.Login = account.Username
	env.Home = cmp.Or(env.Home, account.HomeDir)
	return env, nil
}

// readFile reads a file of at most maxFile bytes, so that a device or a mistaken path cannot fill
// the memory.
func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(text) > maxFile {
		err = &fs.PathError{Op: "read", Path: path, Err: errTooLarge}
	}
	return text, errors.Join(err, f.Close())
}

var errTooLarge = fmt.Errorf("larger than %v", Size(maxFile))

// Find is the configuration file to load: explicit where it is given, else the first of
// ./mews.yaml, $XDG_CONFIG_HOME/mews/mews.yaml and /etc/mews/mews.yaml that exists, else "". A file
// that exists and can't be read is found: without it Mews would run on another configuration than
// the one that was meant.
func Find(explicit string, env Env) string {
	if explicit != "" {
		return explicit
	}
	for _, path := range []string{
		below(env.Cwd, "mews.yaml"),
		below(env.xdg("XDG_CONFIG_HOME", ".config"), "mews/mews.yaml"),
		"/etc/mews/mews.yaml",
	} {
		if path == "" {
			continue
		}
		if _, err := env.ReadFile(path); !errors.Is(err, fs.ErrNotExist) {
			return path
		}
	}
	return ""
}

// xdg is one of the base folders of the XDG specification, "" where neither it nor the home is
// known. The specification wants a relative folder ignored.
func (e Env) xdg(name, unset string) string {
	if dir := e.Getenv(name); filepath.IsAbs(dir) {
		return dir
	}
	return below(e.Home, unset)
}

// below is a path in dir, "" where dir is not known.
func below(dir, path string) string {
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, path)
}

// variable is ${NAME}, or $${ which stands for a plain ${.
var variable = regexp.MustCompile(`\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)\}|\$\{`)

// expand replaces each ${NAME} in text by the environment variable of that name. The values of
// variables are not expanded again. An error says what would be right, and has no value of a
// variable in it.
func expand(text string, getenv func(string) string) (string, error) {
	if !strings.Contains(text, "${") {
		return text, nil
	}
	var errs []error
	out := variable.ReplaceAllStringFunc(text, func(found string) string {
		name := strings.TrimSuffix(strings.TrimPrefix(found, "${"), "}")
		switch {
		case found == "$${":
			return "${"
		case name == "":
			errs = append(errs, errors.New(wantVariable))
			return ""
		}
		value := getenv(name)
		if value == "" {
			errs = append(errs, fmt.Errorf(wantVariableSet, name))
		}
		return value
	})
	if len(errs) > 0 {
		return "", errs[0]
	}
	return out, nil
}
