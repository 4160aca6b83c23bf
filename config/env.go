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

// Env is everything that this package knows of the machine. Tests make their own.
type Env struct {
	Getenv   func(name string) string // returns "" for a variable that is not set
	ReadFile func(path string) ([]byte, error)
	Home     string // absolute path of the OS account's home; "" if it has none
	Login    string // name of the OS account
	Cwd      string // absolute path of the working directory

	// the known effects, each with its default rule
	Effects EffectRules
	// the effects with another default rule while words of others are before the model
	Tainted EffectRules
	// a client of a running service reads the configuration, perhaps without the right to read its
	// secrets
	Client bool
}

// maxConfigBytes limits the size of a configuration, or of a file with a secret, in bytes.
const maxConfigBytes = 1 << 20

// ReadMachineEnv returns the Env of this machine, with the given effects and rules.
func ReadMachineEnv(effects, tainted EffectRules) (Env, error) {
	cwd, err := os.Getwd()
	if err == nil {
		_, err = os.Stat(cwd + "/.") // Stat fails if this account may not enter the folder
	}
	if err != nil {
		cwd = "" // the folder was deleted, or belongs to another account after su; Mews works without it
	}
	env := Env{Getenv: os.Getenv, ReadFile: readFile, Home: os.Getenv("HOME"), Cwd: cwd, Effects: effects,
		Tainted: tainted}
	account, err := user.Current()
	if err != nil {
		// An account without a passwd entry, as in many containers, still has an id.
		env.Login = fmt.Sprintf("uid-%d", os.Getuid())
		return env, nil
	}
	env.Login = account.Username
	env.Home = cmp.Or(env.Home, account.HomeDir)
	return env, nil
}

// readFile reads a file of at most maxConfigBytes bytes. So a device or a mistaken path can't fill
// the memory.
func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(f, maxConfigBytes+1))
	if err == nil && len(text) > maxConfigBytes {
		err = &fs.PathError{Op: "read", Path: path, Err: errTooLarge}
	}
	return text, errors.Join(err, f.Close())
}

var errTooLarge = fmt.Errorf("larger than %v", Size(maxConfigBytes))

// FindConfigFile returns the path of the configuration file to load, or "". It returns explicit if
// that is not "", otherwise the first existing file of ./mews.yaml, $XDG_CONFIG_HOME/mews/mews.yaml
// and /etc/mews/mews.yaml. A file that exists but can't be read is found too: otherwise Mews would
// run with another configuration than intended.
func FindConfigFile(explicit string, env Env) string {
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

// xdg returns a base folder of the XDG specification. unset is the folder in the home to use if the
// variable is not set. The result is "" if the home is not known either. As the specification
// requires, xdg ignores a relative folder.
func (e Env) xdg(name, unset string) string {
	if dir := e.Getenv(name); filepath.IsAbs(dir) {
		return dir
	}
	return below(e.Home, unset)
}

// below returns a path in dir; "" if dir is unknown.
func below(dir, path string) string {
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, path)
}

// variable matches ${NAME}, and $${, which stands for a plain ${.
var variable = regexp.MustCompile(`\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)\}|\$\{`)

// expand replaces each ${NAME} in text by the environment variable. It does not expand the values
// of variables. Its errors never contain the value of a variable.
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
