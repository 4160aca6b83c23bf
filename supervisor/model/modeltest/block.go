package modeltest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// block is a part of a message in Anthropic's format.
type block struct {
	Type         string          `json:"type"`
	Text         string          `json:"text"`
	ID           string          `json:"id"`
	Name         string          `json:"name"`
	Input        json.RawMessage `json:"input"`
	ToolUseID    string          `json:"tool_use_id"`
	ToolName     string          `json:"tool_name"`
	Content      json.RawMessage `json:"content"`
	IsError      bool            `json:"is_error"`
	Thinking     string          `json:"thinking"`
	Signature    string          `json:"signature"`
	Data         string          `json:"data"`
	Source       json.RawMessage `json:"source"`
	CacheControl *marker         `json:"cache_control"`

	raw      json.RawMessage
	pictures []Picture // pictures of the block
	refers   []string  // names of the tools that a result refers to
}

// marker is a cache marker. The server caches the prefix that ends with the marker's block.
type marker struct {
	Type string `json:"type"`
	TTL  string `json:"ttl"`
}

// lifetimes are the lifetimes that Anthropic's cache allows. "" is the default.
var lifetimes = map[string]time.Duration{"": 5 * time.Minute, "5m": 5 * time.Minute, "1h": time.Hour}

func (m *marker) keep() time.Duration {
	if m == nil {
		return 0
	}
	return lifetimes[m.TTL]
}

func (m *marker) check(at string) *refusal {
	if m == nil {
		return nil
	}
	_, known := lifetimes[m.TTL]
	return firstRefusal(
		badIf(m.Type != "ephemeral", "%s.cache_control.type: Input should be 'ephemeral'", at),
		badIf(!known, "%s.cache_control.ttl: Input should be '5m' or '1h'", at))
}

// blockShape has the required and the allowed fields of a type of block, and the allowed role.
type blockShape struct {
	role     string // role of a message that may contain the block; "" means both roles
	needs    []string
	may      []string
	complete func(b *block, at string) *refusal
}

// blockShapes returns a shape for each type of block. It is a function, because its rows use
// readBlocks, which uses the shapes.
func blockShapes() map[string]blockShape {
	return map[string]blockShape{
		"text":              {"", []string{"text"}, []string{"cache_control", "citations"}, checkTextBlock},
		"image":             {"user", []string{"source"}, []string{"cache_control"}, checkImage},
		"document":          {"user", []string{"source"}, []string{"cache_control", "title", "context"}, checkNothing},
		"tool_use":          {"assistant", []string{"id", "name", "input"}, []string{"cache_control"}, checkToolUse},
		"tool_result":       {"user", []string{"tool_use_id"}, []string{"content", "is_error", "cache_control"}, checkToolResult},
		"tool_reference":    {"tool_result", []string{"tool_name"}, []string{"cache_control"}, checkNothing},
		"thinking":          {"assistant", []string{"thinking", "signature"}, nil, checkNothing},
		"redacted_thinking": {"assistant", []string{"data"}, nil, checkNothing},
	}
}

func checkNothing(*block, string) *refusal { return nil }

func checkTextBlock(b *block, at string) *refusal {
	return firstRefusal(
		badIf(b.Text == "" && b.CacheControl != nil, "%s.text: cache_control cannot be set for empty text blocks", at),
		badIf(b.Text == "", "messages: text content blocks must be non-empty"),
		badIf(strings.TrimSpace(b.Text) == "", "messages: text content blocks must contain non-whitespace text"))
}

var (
	useID   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-zA-Z0-9_-]+$`) })
	useName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-zA-Z0-9_-]{1,128}$`) })
)

func checkToolUse(b *block, at string) *refusal {
	var input map[string]any
	return firstRefusal(
		badIf(!useID().MatchString(b.ID), "%s.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'", at),
		badIf(!useName().MatchString(b.Name), "%s.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'", at),
		badIf(json.Unmarshal(b.Input, &input) != nil || input == nil, "%s.tool_use.input: Input should be a valid dictionary", at))
}

func checkToolResult(b *block, at string) *refusal {
	if !useID().MatchString(b.ToolUseID) {
		return bad("%s.tool_result.tool_use_id: String should match pattern '^[a-zA-Z0-9_-]+$'", at)
	}
	parts, refused := readBlocks(b.Content, "tool_result", at+".tool_result.content")
	if refused != nil {
		return refused
	}
	for i, p := range parts {
		if p.Type == "tool_reference" {
			b.refers = append(b.refers, p.ToolName)
			continue
		}
		if p.Type != "text" && p.Type != "image" && p.Type != "document" {
			return bad("%s.tool_result.content.%d: Input tag '%s' found using 'type' does not match any of the expected tags: "+
				"'document', 'image', 'text', 'tool_reference'", at, i, p.Type)
		}
		b.pictures = append(b.pictures, p.pictures...)
	}
	// Anthropic's documentation only shows results that contain only references.
	return badIf(len(b.refers) > 0 && len(b.refers) < len(parts), "%s.tool_result.content: `tool_reference` blocks cannot be mixed with "+
		"other content", at)
}

// readBlocks reads the content of a message or block: a string, which is one text block, or a list
// of blocks. null and "" have no blocks.
func readBlocks(raw json.RawMessage, role, at string) ([]block, *refusal) {
	var text string
	var list []json.RawMessage
	if len(raw) == 0 || bytes.Equal(raw, []byte(`""`)) {
		return nil, nil
	}
	if json.Unmarshal(raw, &text) == nil && raw[0] == '"' {
		list = []json.RawMessage{mustJSON(map[string]any{"type": "text", "text": text})}
	} else if json.Unmarshal(raw, &list) != nil || raw[0] != '[' {
		return nil, bad("%s: Input should be a valid string or a valid list", at)
	}
	var out []block
	for i, one := range list {
		b, refused := readBlock(one, role, fmt.Sprintf("%s.%d", at, i))
		if refused != nil {
			return nil, refused
		}
		out = append(out, *b)
	}
	return out, nil
}

func readBlock(raw json.RawMessage, role, at string) (*block, *refusal) {
	var keys map[string]json.RawMessage
	b := &block{raw: raw}
	if json.Unmarshal(raw, &keys) != nil || keys == nil {
		return nil, bad("%s: Input should be a valid dictionary", at)
	}
	if err := json.Unmarshal(raw, b); err != nil {
		return nil, bad("%s: %v", at, err)
	}
	shape, known := blockShapes()[b.Type]
	if refused := firstRefusal(
		badIf(b.Type == "", "%s.type: Field required", at),
		badIf(!known, "%s: Input tag '%s' found using 'type' does not match any of the expected tags", at, b.Type),
		badIf(shape.role != "" && shape.role != role && (shape.role != "user" || role != "tool_result"), "%s: `%s` blocks can only be in `%s` messages", at, b.Type, shape.role),
		shape.checkKeys(keys, at+"."+b.Type), b.CacheControl.check(at)); refused != nil {
		return nil, refused
	}
	return b, shape.complete(b, at)
}

func (s blockShape) checkKeys(keys map[string]json.RawMessage, at string) *refusal {
	for _, key := range s.needs {
		if _, there := keys[key]; !there {
			return bad("%s.%s: Field required", at, key)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		if key != "type" && !slices.Contains(s.needs, key) && !slices.Contains(s.may, key) {
			return bad("%s.%s: Extra inputs are not permitted", at, key)
		}
	}
	return nil
}

// plainText joins the text of blocks.
func plainText(blocks []block) string {
	var s string
	for _, b := range blocks {
		s += b.Text
	}
	return s
}

func mustJSON(v any) []byte {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // the values can always be encoded
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n"))
}
