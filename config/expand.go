package config

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// variable is ${NAME}, or $${ which stands for a plain ${.
var variable = regexp.MustCompile(`\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)\}|\$\{`)

// expand replaces each ${NAME} in text by the environment variable of that name. What a variable holds is not expanded
// again. An error says what would be right; it never holds what a variable holds.
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
			errs = append(errs, errors.New("${NAME} with the name of an environment variable, or $${ for a plain ${"))
			return ""
		}
		value := getenv(name)
		if value == "" {
			errs = append(errs, fmt.Errorf("the environment variable %s to be set and not empty", name))
		}
		return value
	})
	if len(errs) > 0 {
		return "", errs[0]
	}
	return out, nil
}
