package claim

import (
	"fmt"
	"strings"
)

// DuplicateVerbForms lists the verb forms that a language lists under two verbs.
func DuplicateVerbForms() (list []string) {
	for i, l := range languages {
		of := map[string]*verb{}
		for meaning, words := range l.verbs {
			for entry := range strings.FieldsSeq(words) {
				for _, form := range l.forms(entry) {
					form = strings.TrimLeft(form, "=+-")
					if of[form] != nil && of[form] != meaning {
						list = append(list, fmt.Sprintf("language %d: %s", i, form))
					}
					of[form] = meaning
				}
			}
		}
	}
	return list
}
