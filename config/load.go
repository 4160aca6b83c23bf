package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// Load reads a configuration file. Where the file can be read but is not right the error is an
// *ErrorList with all that is wrong. If there are only warnings, they go to Config.Warnings, and
// there is no error.
func Load(path string, env Env) (*Config, error) {
	text, err := env.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read configuration: %w", err)
	}
	top, err := parseQuoting(text)
	if err != nil {
		return nil, errorList(path, []Problem{syntaxProblem(err, text)})
	}
	cfg := defaults()
	cfg.File = absolute(path, env.Cwd)
	b := &binder{env: env, dir: filepath.Dir(cfg.File), places: places{}, protected: []protectedPath{{cfg.File, whatFile}}}
	if top != nil {
		b.bind(top, top.Line, reflect.ValueOf(cfg).Elem(), "")
	}
	cfg.Holds = b.holds
	if holdsSecret(cfg) {
		cfg.Holds = append(cfg.Holds, cfg.File)
	}
	complete(cfg, env)
	c := &checker{cfg: cfg, effects: env.Effects, places: b.places, wrongBefore: pathsOf(b.problems), protected: b.protected}
	c.check()
	problems := append(b.problems, c.problems...)
	if cfg.Client = env.Client; cfg.Client {
		problems = withoutSecrets(problems, cfg)
	}
	cfg.Warnings = errorList(path, problems)
	if slices.ContainsFunc(problems, func(p Problem) bool { return !p.Warning }) {
		return nil, cfg.Warnings
	}
	return cfg, nil
}

// holdsSecret says whether a secret stands in the configuration itself.
func holdsSecret(cfg *Config) (holds bool) {
	files := map[string]string{} // what a file holds, by the key that names it
	root(cfg).walk(func(k key) bool {
		if k.tag.Get("holds") != "" {
			files[strings.TrimSuffix(k.path, "_file")] = k.value.String()
		}
		return true
	})
	root(cfg).walk(func(k key) bool {
		secret, ok := k.value.Interface().(Secret)
		holds = holds || ok && secret.Reveal() != "" && files[k.path] == ""
		return true
	})
	return holds
}

// withoutSecrets leaves out the problems of secrets, and of the files that hold them.
func withoutSecrets(problems []Problem, cfg *Config) []Problem {
	secrets := map[string]bool{}
	root(cfg).walk(func(k key) bool {
		_, secret := k.value.Interface().(Secret)
		_, file := k.tag.Lookup("holds")
		secrets[k.path] = secret || file
		return true
	})
	return slices.DeleteFunc(problems, func(p Problem) bool { return secrets[p.Field] })
}

func absolute(path, dir string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

// bareVariable is a value with a ${NAME} in it and no quotes around it. Within { } and [ ] YAML
// takes its { for another mapping.
var bareVariable = regexp.MustCompile(`(:[ \t]+|[\[,][ \t]*)([^\s"'#{}\[\],&*!|>%@]*(?:\$\$?\{\w+\}[^\s"'{}\[\],]*)+)`)

// parseQuoting is parse, of a text in which a ${NAME} may stand without quotes wherever a value
// may. It puts quotes around one only where the text would be no YAML otherwise, and moves no line.
func parseQuoting(text []byte) (*yaml.Node, error) {
	root, err := parse(text)
	if err == nil {
		return root, nil
	}
	quoted := bareVariable.ReplaceAll(text, []byte(`$1"$2"`))
	if again, fails := parse(quoted); fails == nil {
		return again, nil
	}
	return nil, err
}

// parse is the root of the only document in text, nil where there is none.
func parse(text []byte) (*yaml.Node, error) {
	dec := yaml.NewDecoder(bytes.NewReader(text))
	var document, more yaml.Node
	err := dec.Decode(&document)
	if errors.Is(err, io.EOF) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if err := dec.Decode(&more); !errors.Is(err, io.EOF) {
		return nil, errors.Join(err, errTwoDocuments)
	}
	root := document.Content[0]
	if root.Kind == yaml.ScalarNode && root.ShortTag() == "!!null" {
		return nil, nil
	}
	return root, nil
}

var errTwoDocuments = errors.New(gotDocuments)

var yamlLine = regexp.MustCompile(`^line (\d+): `)

// syntaxProblem is about a text that is no YAML. yaml.v3 names the line in its text alone.
func syntaxProblem(err error, file []byte) Problem {
	if errors.Is(err, errTwoDocuments) {
		return Problem{Value: gotDocuments, Want: wantDocument}
	}
	text, line, want := strings.TrimPrefix(err.Error(), "yaml: "), 0, wantYAML
	if m := yamlLine.FindStringSubmatch(text); m != nil {
		text = strings.TrimPrefix(text, m[0])
		line, _ = strconv.Atoi(m[1]) // digits; were there too many, 0 is no line
	}
	if n := variableLine(file, line); n > 0 {
		line, want = n, wantFlow
	}
	return Problem{Line: line, Value: fmt.Sprintf(gotNotYAML, text), Want: want}
}

// inFlow is a ${ that stands in braces or brackets.
var inFlow = regexp.MustCompile(`[{\[].*\$\{`)

// variableLine is the line of the ${ that makes the text no YAML, 0 where there is none. yaml.v3
// names that line, or the one before it where the ${ stands in braces.
func variableLine(file []byte, named int) int {
	lines := bytes.Split(file, []byte("\n"))
	for n := max(1, named); n <= min(named+1, len(lines)); n++ {
		if inFlow.Match(lines[n-1]) {
			return n
		}
	}
	return 0
}

// pathsOf are the keys that have a problem. Of these checks say nothing more.
func pathsOf(problems []Problem) map[string]bool {
	paths := map[string]bool{}
	for _, p := range problems {
		paths[p.Field] = true
	}
	return paths
}
