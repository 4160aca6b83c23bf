package config

import (
	"reflect"
	"regexp"
	"testing"
)

// eachField calls visit for every field of the configuration's structs.
func eachField(t reflect.Type, visit func(reflect.StructField)) {
	if _, scalar := scalars[t]; scalar {
		return
	}
	if t.Kind() != reflect.Struct {
		eachField(t.Elem(), visit)
		return
	}
	for i := range keyNames(t) {
		visit(t.Field(i))
		eachField(t.Field(i).Type, visit)
	}
}

// Tags must be valid: defaults and bounds are values of the key's type, named checks and fields
// exist, and each check is used.
func TestConfigStruct_FieldTags_AreValid(t *testing.T) {
	unused := map[string]bool{}
	for name := range checks {
		unused[name] = true
	}
	known := map[string]bool{"yaml": true, "default": true, "oneof": true, "min": true, "max": true, "zero": true, "check": true,
		"holds": true, "form": true, "reload": true, "unset": true, "short": true}
	eachField(reflect.TypeFor[Config](), func(f reflect.StructField) {
		for _, name := range tagNames(f.Tag) {
			if !known[name] {
				t.Errorf("%s has a tag %s, which nothing reads", f.Name, name)
			}
		}
		for _, name := range []string{"min", "max"} {
			if text := f.Tag.Get(name); text != "" {
				fromTag(f.Type, text)
			}
		}
		if check := f.Tag.Get("check"); check != "" && checks[check] == nil {
			t.Errorf("%s names a check %s, which is not there", f.Name, check)
		}
		delete(unused, f.Tag.Get("check"))
		if _, ok := secretForms[f.Tag.Get("form")]; !ok {
			t.Errorf("%s names a form %s, which is not there", f.Name, f.Tag.Get("form"))
		}
		if reload := f.Tag.Get("reload"); reload != "" && reload != "live" && reload != "restart" &&
			reload != "replaced" {
			t.Errorf("%s has the reload %q", f.Name, reload)
		}
	})
	for name := range unused {
		t.Errorf("the check %s is no key's", name)
	}
	defaults() // defaults reads all defaults, and panics at an invalid one
}

var tagName = regexp.MustCompile(`(\w+):"`)

func tagNames(tag reflect.StructTag) (names []string) {
	for _, m := range tagName.FindAllStringSubmatch(string(tag), -1) {
		names = append(names, m[1])
	}
	return names
}
