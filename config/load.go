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

// Load reads a configuration file. If the content is wrong, the error is an *ErrorList with all
// problems. If there are only warnings, they are in Config.Warnings, and there is no error.
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
	b := &binder{env: env, dir: filepath.Dir(cfg.File), locations: locations{}, protected: []protectedPath{{cfg.File, whatFile}}}
	if top != nil {
		b.bind(top, top.Line, reflect.ValueOf(cfg).Elem(), "")
	}
	cfg.SecretFiles, cfg.SecretVariables = b.secretFiles, b.variables
	if holdsSecret(cfg) {
		cfg.SecretFiles = append(cfg.SecretFiles, cfg.File)
	}
	cfg.Hints = unusedVariables(cfg.File, string(text), env)
	complete(cfg, env)
	c := &checker{cfg: cfg, effects: env.Effects, locations: b.locations, hasProblem: pathsOf(b.problems), protected: b.protected}
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

// holdsSecret reports whether the configuration file itself contains a secret.
func holdsSecret(cfg *Config) (holds bool) {
	files := map[string]string{} // contents of files, by the keys that name them
	rootKey(cfg).walk(func(k key) bool {
		if k.tag.Get("holds") != "" {
			files[strings.TrimSuffix(k.path, "_file")] = k.value.String()
		}
		return true
	})
	rootKey(cfg).walk(func(k key) bool {
		secret, ok := k.value.Interface().(Secret)
		holds = holds || ok && secret.Reveal() != "" && files[k.path] == ""
		return true
	})
	return holds
}

// withoutSecrets drops the problems of secrets, and of the files with secrets.
func withoutSecrets(problems []Problem, cfg *Config) []Problem {
	secrets := map[string]bool{}
	rootKey(cfg).walk(func(k key) bool {
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

// bareVariable matches an unquoted value with a ${NAME}. Inside { } and [ ], YAML would read its {
// as another mapping.
var bareVariable = regexp.MustCompile(`(:[ \t]+|[\[,][ \t]*)([^\s"'#{}\[\],&*!|>%@]*(?:\$\$?\{\w+\}[^\s"'{}\[\],]*)+)`)

// parseQuoting parses a text in which values with ${NAME} may be unquoted. It adds quotes only if
// the text is invalid YAML without them. The lines keep their numbers.
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

// parse returns the root of the only document in text; nil if there is none.
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

// syntaxProblem makes a problem of a YAML error. yaml.v3 tells the line only in the error's text.
func syntaxProblem(err error, file []byte) Problem {
	if errors.Is(err, errTwoDocuments) {
		return Problem{Value: gotDocuments, Want: wantDocument}
	}
	text, line, want := strings.TrimPrefix(err.Error(), "yaml: "), 0, wantYAML
	if m := yamlLine.FindStringSubmatch(text); m != nil {
		text = strings.TrimPrefix(text, m[0])
		line, _ = strconv.Atoi(m[1]) // the match has only digits; 0 means no line
	}
	if n := variableLine(file, line); n > 0 {
		line, want = n, wantFlow
	}
	return Problem{Line: line, Value: fmt.Sprintf(gotNotYAML, text), Want: want}
}

// inFlow matches a ${ inside braces or brackets.
var inFlow = regexp.MustCompile(`[{\[].*\$\{`)

// variableLine returns the line of the ${ that makes the text no YAML; 0 if there is none. yaml.v3
// names that line, or the line before it if the ${ is inside braces.
func variableLine(file []byte, named int) int {
	lines := bytes.Split(file, []byte("\n"))
	for n := max(1, named); n <= min(named+1, len(lines)); n++ {
		if inFlow.Match(lines[n-1]) {
			return n
		}
	}
	return 0
}

// pathsOf returns the paths of the keys with a problem. Later checks skip these keys.
func pathsOf(problems []Problem) map[string]bool {
	paths := map[string]bool{}
	for _, p := range problems {
		paths[p.Field] = true
	}
	return paths
}
