package protocol

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
)

// Role is the speaker of a Message. The system text is not a message: it goes with the request.
type Role string

const (
	RoleUser      Role = "user"      // the user, or the supervisor on the user's behalf
	RoleAssistant Role = "assistant" // the model; only the supervisor writes such messages
	RoleTool      Role = "tool"      // the results of tool calls
)

// Message is one row of the transcript, as the model sees it.
type Message struct {
	ID    int64         `json:"id,omitempty"` // number of the transcript's row; 0 until the message is committed
	Role  Role          `json:"role"`
	Parts []ContentPart `json:"parts"`
	// one line about when and how the user sent the message; "" if not known
	Stamp string `json:"stamp,omitempty"`
	// the supervisor's summary of other conversations before this message; "" if there is none
	Recap string `json:"recap,omitempty"`
}

// ContentPart is one piece of a message. Exactly one of its fields is set.
type ContentPart struct {
	Text     string      `json:"text,omitempty"`
	Image    *Image      `json:"image,omitempty"` // a picture that the user sent
	Call     *ToolCall   `json:"call,omitempty"`
	Result   *ToolResult `json:"result,omitempty"`
	Thinking *Thinking   `json:"thinking,omitempty"`
}

// Thinking is a block of thoughts, or their signatures, that a provider wants back. The supervisor
// returns the block with its message, unchanged, to the same model of the same provider. No other
// model and no worker gets it.
type Thinking struct {
	Format string `json:"format"` // format of the block: anthropic or openai
	// provider, host and model that made the block, as provider@host/model; "" in messages of
	// earlier releases
	Origin string          `json:"origin,omitempty"`
	Block  json.RawMessage `json:"block"`
	// the block goes back to the model in later turns too, where it counts like text
	Lasts bool `json:"lasts,omitempty"`
}

// Image is a picture. Its bytes are a blob of the user.
type Image struct {
	BlobRef
	MediaType string `json:"media_type"` // media type of the picture, a key of ImageTypes
	Width     int    `json:"width"`      // Width and Height are in pixels; 1 to MaxImageEdge
	Height    int    `json:"height"`
}

// Limits of pictures. They are the limits of Anthropic's API, the narrowest that are known: 5 MB of
// base64, and 8,000 pixels (from its pages on vision).
const (
	MaxResultImages = 8         // pictures in one tool result
	MaxImageBytes   = 3_750_000 // bytes of one picture
	MaxImageEdge    = 8000      // pixels of a picture's width or height
)

// ImageTypes maps media types to the first bytes of their files. Every model API takes these types.
// A dot stands for any byte.
var ImageTypes = map[string]string{
	"image/png": "\x89PNG\r\n\x1a\n", "image/jpeg": "\xff\xd8\xff", "image/gif": "GIF8", "image/webp": "RIFF....WEBP",
}

// DetectImageType returns the media type of a picture; "" if it is none of ImageTypes. The first 12
// bytes of data are enough.
func DetectImageType(data []byte) string {
	for kind, magic := range ImageTypes {
		if len(data) >= len(magic) && matchesMagic(data, magic) {
			return kind
		}
	}
	return ""
}

func matchesMagic(data []byte, magic string) bool {
	for i := range len(magic) {
		if data[i] != magic[i] && magic[i] != '.' {
			return false
		}
	}
	return true
}

// Validate returns an error for an image that no honest side names.
func (i Image) Validate() error {
	_, known := ImageTypes[i.MediaType]
	switch {
	case !known:
		return fmt.Errorf("media_type %.40q", i.MediaType)
	case i.Size < 1 || i.Size > MaxImageBytes:
		return fmt.Errorf("size: %d bytes, want 1 to %d", i.Size, MaxImageBytes)
	case min(i.Width, i.Height) < 1 || max(i.Width, i.Height) > MaxImageEdge:
		return fmt.Errorf("%d x %d pixels, want 1 to %d", i.Width, i.Height, MaxImageEdge)
	}
	return nil
}

// ToolCall is the model's request to run a tool. The supervisor makes ID unique within the
// conversation before it commits the message that holds the call.
type ToolCall struct {
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"` // arguments of the call, a JSON object
}

// ToolResult answers one ToolCall.
type ToolResult struct {
	Call    string   `json:"call"` // ID of the ToolCall that this result answers
	Name    string   `json:"name"` // name of the tool that ran
	Text    string   `json:"text"` // output for the model, already cut to the turn's output limit
	Failed  bool     `json:"failed,omitempty"`
	Rest    *BlobRef `json:"rest,omitempty"`    // the whole output if Text was cut
	Images  []Image  `json:"images,omitempty"`  // pictures for the model beside Text, at most MaxResultImages
	Changes []Change `json:"changes,omitempty"` // effects of the call, for the ledger
	// the result may hold words that are not the user's own, such as those of a file in uploads/
	World bool `json:"world,omitempty"`
	// where words of others came from, such as web:example.org; the supervisor adds what it knows
	Origins []string `json:"origins,omitempty"`
	// tools that find_tools has opened, at most MaxToolsPerFindCall
	Tools []string `json:"tools,omitempty"`
}

// Limits of the origins of a result.
const (
	MaxOrigins     = 32  // origins of one result
	MaxOriginBytes = 600 // bytes of one origin; a path and its prefix fit
)

// MaxUnnamedPaths is the maximum number of paths in Change.Unnamed.
const MaxUnnamedPaths = 100

// Change is one effect of a tool, as the ledger records it.
type Change struct {
	// kind of change: write, append, edit, move, delete; program (a program has changed the file);
	// run (a program was run); begin (a crash has interrupted the call)
	Kind string `json:"kind"`
	// target of the change: a path relative to the workspace, the first words of a command, or the
	// tool of a call
	Target string `json:"target"`
	Detail string `json:"detail,omitempty"` // of a delete, the new path in the trash
	Undo   *Undo  `json:"undo,omitempty"`   // how to undo a file's change; nil if nothing was changed
	// paths of changed files that Target counts instead of naming them, or of folders that contain
	// them; relative to the home
	Unnamed []string `json:"unnamed,omitempty"`
}

// CheckUnnamed refuses paths that no honest worker names.
func (c Change) CheckUnnamed() error {
	if len(c.Unnamed) > MaxUnnamedPaths {
		return fmt.Errorf("%d unnamed paths, at most %d", len(c.Unnamed), MaxUnnamedPaths)
	}
	for _, name := range c.Unnamed {
		if !fs.ValidPath(name) || name == "." || len(name) > MaxReceivedPathBytes {
			return fmt.Errorf("unnamed path %.80q", name)
		}
	}
	return nil
}

// Usage counts the tokens of one model call.
type Usage struct {
	Input      int64 `json:"input"` // all input tokens, including those read from a cache
	Output     int64 `json:"output"`
	CacheRead  int64 `json:"cache_read,omitempty"`
	CacheWrite int64 `json:"cache_write,omitempty"`
	// some tokens were estimated, because the provider did not count them
	Estimated bool `json:"estimated,omitempty"`
}

// Add returns the sum of u and more.
func (u Usage) Add(more Usage) Usage {
	return Usage{
		Input: u.Input + more.Input, Output: u.Output + more.Output, CacheRead: u.CacheRead + more.CacheRead,
		CacheWrite: u.CacheWrite + more.CacheWrite, Estimated: u.Estimated || more.Estimated,
	}
}

// Text joins the text parts of m.
func (m Message) Text() string {
	var s string
	for _, p := range m.Parts {
		s += p.Text
	}
	return s
}

// PartsWithStamp returns the parts of m as a model reads them. Recap and Stamp come above the first
// text.
func (m Message) PartsWithStamp() []ContentPart {
	head := m.Stamp
	if m.Recap != "" {
		head = m.Recap + "\n" + m.Stamp
	}
	if head == "" {
		return m.Parts
	}
	parts := slices.Clone(m.Parts)
	at := slices.IndexFunc(parts, func(p ContentPart) bool { return p.Text != "" })
	if at < 0 {
		return append(parts, ContentPart{Text: head})
	}
	parts[at].Text = head + "\n" + parts[at].Text
	return parts
}

// HasImage reports whether m has a picture.
func (m Message) HasImage() bool {
	return slices.ContainsFunc(m.Parts, func(p ContentPart) bool {
		return p.Image != nil || p.Result != nil &&
			len(p.Result.Images) > 0
	})
}

// ToolCalls returns the tool calls of m in the order in which the model made them.
func (m Message) ToolCalls() []ToolCall {
	var calls []ToolCall
	for _, p := range m.Parts {
		if p.Call != nil {
			calls = append(calls, *p.Call)
		}
	}
	return calls
}

// NewUserMessage returns a message of the user with one text part.
func NewUserMessage(text string) Message {
	return Message{Role: RoleUser, Parts: []ContentPart{{Text: text}}}
}
