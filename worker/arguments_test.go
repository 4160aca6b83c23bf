package worker_test

import (
	"encoding/json"
	"strings"
	"testing"

	"mews/worker"
)

type arguments struct {
	Path  string `json:"path"`
	Limit int    `json:"limit"`
}

func TestDecodeArguments_FillsStructOrFails(t *testing.T) {
	for name, test := range map[string]struct {
		raw  string
		want arguments
		err  string // part of the error's text; "" means no error
	}{
		"arguments":           {raw: `{"path":"a","limit":3}`, want: arguments{"a", 3}},
		"missing argument":    {raw: `{"path":"a"}`, want: arguments{Path: "a"}},
		"nothing at all":      {raw: ``},
		"an empty object":     {raw: ` {} `},
		"an unknown name":     {raw: `{"file":"a"}`, err: `unknown field "file"`},
		"a wrong type":        {raw: `{"limit":"3"}`, err: `argument "limit": got a string, want a int`},
		"something behind it": {raw: `{} {}`, err: "more than one JSON value"},
		"something cut off":   {raw: `{"path":`, err: "arguments: "},
		"a list":              {raw: `[]`, err: "got a array"},
	} {
		t.Run(name, func(t *testing.T) {
			var got arguments
			err := worker.DecodeArguments(worker.Call{Arguments: json.RawMessage(test.raw)}, &got)
			switch {
			case test.err == "" && (err != nil || got != test.want):
				t.Errorf("got %+v, %v", got, err)
			case test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)):
				t.Errorf("got %v, want an error with %q", err, test.err)
			}
		})
	}
}
