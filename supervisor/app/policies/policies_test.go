package policies_test

import (
	"reflect"
	"testing"

	"mews/supervisor/app/policies"
)

func TestPolicies_EachField_IsSet(t *testing.T) {
	all := reflect.ValueOf(policies.All())
	for i := range all.NumField() {
		for j := range all.Field(i).NumField() {
			if all.Field(i).Field(j).IsZero() {
				t.Errorf("%s.%s is not set", all.Type().Field(i).Name, all.Field(i).Type().Field(j).Name)
			}
		}
	}
}
