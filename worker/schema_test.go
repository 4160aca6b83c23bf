package worker_test

import (
	"encoding/json"
	"testing"

	"mews/worker"
)

func TestDefineTool_Arguments_MakeSchema(t *testing.T) {
	for _, test := range []struct {
		name      string
		arguments []worker.Argument
		want      string
	}{
		{"none", nil, `{"type":"object","properties":{}}`},
		{"one of each type", []worker.Argument{
			{Name: "text", Type: worker.StringArgument, Required: true}, {Name: "n", Type: worker.IntegerArgument,
				Description: `lines, say "7"`},
			{Name: "share", Type: worker.NumberArgument}, {Name: "all", Type: worker.BooleanArgument}, {Name: "more",
				Type: worker.ObjectArgument},
			{Name: "paths", Type: worker.StringListArgument, Description: "einige", Required: true}, {Name: "kind",
				Values: []string{"a", "é"}},
		}, `{"type":"object","properties":{"text":{"type":"string"},"n":{"type":"integer","description":"lines, say \"7\""},` +
			`"share":{"type":"number"},"all":{"type":"boolean"},"more":{"type":"object"},` +
			`"paths":{"type":"array","items":{"type":"string"},"description":"einige"},"kind":{"enum":["a","é"]}},"required":["text","paths"]}`},
	} {
		got := worker.DefineTool[struct{}](worker.ToolSpec{Arguments: test.arguments}, struct{}{}, nil).Schema
		if string(got) != test.want || !json.Valid(got) {
			t.Errorf("%s: got %s, want %s", test.name, got, test.want)
		}
	}
}
