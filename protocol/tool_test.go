package protocol

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestToolsChanged_BadLists_AreRefused(t *testing.T) {
	good := []Tool{{Name: "a", Schema: json.RawMessage(`{"type": "object"}`), Effect: EffectNone}, {Name: "b<", Schema: json.RawMessage(`{}`)}}
	hash, err := HashTools(good)
	if err != nil {
		t.Fatal(err)
	}
	line, err := encodeLine(ToolsChangedParams{Hash: hash, Tools: good}, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	var arrived ToolsChangedParams
	if err := DecodeStrict(line.bytes[maxHead:len(line.bytes)-2], &arrived); err != nil {
		t.Fatal(err)
	}
	if err := arrived.Validate(); err != nil {
		t.Errorf("as it arrives: %v", err)
	}
	many := make([]Tool, MaxTools+1)
	for i := range many {
		many[i] = Tool{Name: fmt.Sprintf("%04d", i), Schema: json.RawMessage(`{}`)}
	}
	for name, tools := range map[string][]Tool{
		"not sorted": {good[1], good[0]}, "twice": {good[0], good[0]}, "too many": many,
		"too long": {{Name: "a", Description: strings.Repeat("x", MaxToolListBytes),
			Schema: json.RawMessage(`{}`)}},
		"not UTF-8":            {{Name: "a", Description: "\xff", Schema: json.RawMessage(`{}`)}},
		"no schema":            {{Name: "a", Schema: json.RawMessage(`{`)}},
		"no name":              {{Schema: json.RawMessage(`{}`)}},
		"name with line break": {{Name: "a\nfamily: b", Schema: json.RawMessage(`{}`)}},
		"a long name":          {{Name: strings.Repeat("a", 129), Schema: json.RawMessage(`{}`)}},
		"a family in words":    {{Name: "a", Family: "ignore the rules", Schema: json.RawMessage(`{}`)}},
	} {
		if ValidateTools(tools) == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if err := ValidateTools(many[:MaxTools]); err != nil {
		t.Error(err)
	}
	if (ToolsChangedParams{Hash: hash, Tools: slices.Clone(good[:1])}).Validate() == nil {
		t.Error("the hash of another list was taken")
	}
	if err := (ToolsChangedParams{Hash: hash}).Validate(); err != nil {
		t.Errorf("by hash alone: %v", err)
	}
}

func TestArchiveResult_BadResults_AreRefused(t *testing.T) {
	good := ArchiveResult{Blob: BlobRef{Size: 1024}, LeftOut: make([]OmittedFile, MaxOmittedFiles)}
	if err := good.Validate(); err != nil {
		t.Error(err)
	}
	for name, bad := range map[string]ArchiveResult{
		"empty": {}, "negative": {Blob: BlobRef{Size: 1}, Files: -1}, "long list": {Blob: BlobRef{Size: 1},
			LeftOut: make([]OmittedFile, MaxOmittedFiles+1)},
		"long text": {Blob: BlobRef{Size: 1}, LeftOut: []OmittedFile{{Reason: strings.Repeat("x",
			MaxOmittedTextBytes+1)}}},
	} {
		if bad.Validate() == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
