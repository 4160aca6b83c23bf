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

// Load reads a configuration file. Where the file can be read but is not right the error is an *ErrorList with all that
// is wrong.
func Load(path string, env Env) (*Config, error) {
	text, err := env.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read configuration: %w", err)
	}
	root, err := parseQuoting(text)
	if err != nil {
		return nil, errorList(path, []Problem{syntaxProblem(err, text)})
	}
	cfg := defaults()
	b := &binder{env: env, places: places{}}
	if root != nil {
		b.bind(root, root.Line, reflect.ValueOf(cfg).Elem(), "")
	}
	file := absolute(path, env)
	cfg.File = file
	complete(cfg, env)
	c := &checker{cfg: cfg, places: b.places, wrongBefore: fieldsOf(b.problems)}
	c.kept = []kept{{file, "this configuration"}}
	c.readSecrets(filepath.Dir(file), env)
	c.check()
	problems := append(b.problems, c.problems...)
	if env.Client {
		problems = slices.DeleteFunc(problems, func(p Problem) bool { return secretField.MatchString(p.Field) })
	}
	if err := errorList(path, problems); err != nil {
		return nil, err
	}
	return cfg, nil
}

// secretField is the path of a secret, or of the key that names its file.
var secretField = regexp.MustCompile(`(^|\.)(token|secret|api_key|key)(_file)?$`)

func absolute(path string, env Env) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(env.Cwd, path)
}

// unquoted is a value with a ${NAME} in it and no quotes around it. Within { } and [ ] YAML takes its { for another mapping.
var unquoted = regexp.MustCompile(`(:[ \t]+|[\[,][ \t]*)([^\s"'#{}\[\],&*!|>%@]*(?:\$\$?\{\w+\}[^\s"'{}\[\],]*)+)`)

// parseQuoting is parse of a text in which a ${NAME} may stand without quotes wherever a value may. Only what would be no YAML
// otherwise is quoted, and no line moves.
func parseQuoting(text []byte) (*yaml.Node, error) {
	root, err := parse(text)
	if err == nil {
		return root, nil
	}
	quoted := unquoted.ReplaceAll(text, []byte(`$1"$2"`))
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

var errTwoDocuments = errors.New("a second document")

var yamlLine = regexp.MustCompile(`^line (\d+): `)

// syntaxProblem tells of a text that is no YAML. yaml.v3 gives the line in its text alone.
func syntaxProblem(err error, file []byte) Problem {
	if errors.Is(err, errTwoDocuments) {
		return Problem{Value: "a second document", Want: "one document: no line that is only ---"}
	}
	text, line := strings.TrimPrefix(err.Error(), "yaml: "), 0
	if m := yamlLine.FindStringSubmatch(text); m != nil {
		text = strings.TrimPrefix(text, m[0])
		line, _ = strconv.Atoi(m[1]) // digits; were there too many, 0 is no line
	}
	want := "key: value, two spaces deeper for what belongs to a key"
	if n := variableLine(file, line); n > 0 {
		line, want = n, `"${NAME}" in quotes where it stands within { } or [ ], and elsewhere `+want
	}
	return Problem{
		Line:  line,
		Value: "text that is not YAML (" + text + ")",
		Want:  want,
	}
}

// inFlow is a ${ that stands in braces or brackets.
var inFlow = regexp.MustCompile(`[{\[].*\$\{`)

// variableLine is the line on which a ${ is what is wrong, 0 where it is none: the one that yaml.v3 names, or the next, for it
// names the one before where a mapping in braces is at fault.
func variableLine(file []byte, named int) int {
	lines := bytes.Split(file, []byte("\n"))
	for n := max(1, named); n <= min(named+1, len(lines)); n++ {
		if inFlow.Match(lines[n-1]) {
			return n
		}
	}
	return 0
}

// fieldsOf are the fields that are known to be wrong; what a check says of their defaults would be noise.
func fieldsOf(problems []Problem) map[string]bool {
	fields := map[string]bool{}
	for _, p := range problems {
		fields[p.Field] = true
	}
	return fields
}
