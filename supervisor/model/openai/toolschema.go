package openai

import (
	"encoding/json"
	"reflect"
	"slices"
)

// toolSchema is the part of a JSON Schema that tools use.
type toolSchema struct {
	Type       schemaType            `json:"type"`
	Enum       []any                 `json:"enum"`
	Items      *toolSchema           `json:"items"`
	Properties map[string]toolSchema `json:"properties"`
	Required   []string              `json:"required"`
}

// schemaType is the type of a value; "" means any type.
type schemaType string

// UnmarshalJSON reads the name of a type. A list of types counts as any type.
func (t *schemaType) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '[' {
		*t = ""
		return nil
	}
	return json.Unmarshal(data, (*string)(t))
}

// object returns a JSON object of texts. A text becomes another value if the schema wants one.
func (s toolSchema) object(texts map[string]string) string {
	values := map[string]json.RawMessage{}
	for name, text := range texts {
		values[name] = json.RawMessage(text)
		if p := s.Properties[name]; p.Type == "string" || p.Type == "" || !json.Valid([]byte(text)) {
			values[name], _ = json.Marshal(text) // a text can always be encoded
		}
	}
	object, _ := json.Marshal(values) // valid JSON can always be encoded
	return string(object)
}

// fits reports whether a value fits the schema. Unknown arguments do not fit.
func (s toolSchema) fits(value any) bool {
	same := func(allowed any) bool { return reflect.DeepEqual(allowed, value) }
	if s.Enum != nil && !slices.ContainsFunc(s.Enum, same) {
		return false
	}
	switch v := value.(type) {
	case map[string]any:
		for _, name := range s.Required {
			if _, there := v[name]; !there {
				return false
			}
		}
		for name, item := range v {
			if p, known := s.Properties[name]; s.Properties != nil && (!known || !p.fits(item)) {
				return false
			}
		}
		return s.Type == "" || s.Type == "object"
	case []any:
		unfit := func(item any) bool { return s.Items != nil && !s.Items.fits(item) }
		return (s.Type == "" || s.Type == "array") && !slices.ContainsFunc(v, unfit)
	case float64:
		return s.Type == "" || s.Type == "number" || s.Type == "integer" && v == float64(int64(v))
	case bool:
		return s.Type == "" || s.Type == "boolean"
	case string:
		return s.Type == "" || s.Type == "string"
	}
	return s.Type == "" || s.Type == "null"
}
