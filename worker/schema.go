package worker

import (
	"cmp"
	"encoding/json"
	"strconv"
)

// Argument is one argument of a tool, as its JSON schema describes it.
type Argument struct {
	Name        string
	Type        ArgumentType
	Items       ArgumentType // type of a list's items; "" means texts
	Values      []string     // allowed texts; Type is then empty
	Description string       // description for the model; "" if the name says enough
	Required    bool
}

// ArgumentType is the type of an argument's value.
type ArgumentType string

const (
	StringArgument     ArgumentType = "string"
	IntegerArgument    ArgumentType = "integer"
	NumberArgument     ArgumentType = "number"
	BooleanArgument    ArgumentType = "boolean"
	ObjectArgument     ArgumentType = "object"
	ListArgument       ArgumentType = "array" // an array of Argument.Items
	StringListArgument ArgumentType = ListArgument
)

// schemaOf returns the JSON schema of an object with these arguments. It keeps the order of the
// arguments, so that every request has the same schema. schemaOf runs for each turn, and
// encoding/json would take four times as long. All texts are printable, so Go quotes them as JSON
// does.
func schemaOf(arguments []Argument) json.RawMessage {
	var required []string
	schema := []byte(`{"type":"object","properties":{`)
	for i, a := range arguments {
		if i > 0 {
			schema = append(schema, ',')
		}
		schema = a.appendProperty(schema)
		if a.Required {
			required = append(required, a.Name)
		}
	}
	schema = append(schema, '}')
	if required != nil {
		schema = appendList(append(schema, `,"required":`...), required)
	}
	return append(schema, '}')
}

// appendProperty appends the argument's name and its schema.
func (a Argument) appendProperty(schema []byte) []byte {
	schema = append(strconv.AppendQuote(schema, a.Name), ':', '{')
	if a.Values != nil {
		schema = appendList(append(schema, `"enum":`...), a.Values)
	} else {
		schema = strconv.AppendQuote(append(schema, `"type":`...), string(a.Type))
	}
	if a.Type == ListArgument {
		schema = append(strconv.AppendQuote(append(schema, `,"items":{"type":`...), string(cmp.Or(a.Items,
			StringArgument))), '}')
	}
	if a.Description != "" {
		schema = strconv.AppendQuote(append(schema, `,"description":`...), a.Description)
	}
	return append(schema, '}')
}

// appendList appends a JSON array of texts.
func appendList(schema []byte, texts []string) []byte {
	schema = append(schema, '[')
	for i, text := range texts {
		if i > 0 {
			schema = append(schema, ',')
		}
		schema = strconv.AppendQuote(schema, text)
	}
	return append(schema, ']')
}
