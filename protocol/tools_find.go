package protocol

// MethodToolsFind searches for the user's tools that are not offered yet, and opens them. The model
// has these tools from its next step on. It is a call during a turn. The worker only names the
// model's call of find_tools; the supervisor has the words to search for. A repeated call finds the
// same tools.
//
//	{"turn":8,"call":"t8-2-1"}
//	{"text":"Open from your next step on: list_uploads, delete_upload.","opened":["list_uploads","delete_upload"]}
const MethodToolsFind = "tools.find"

const (
	MaxToolsPerFindCall = 12 // maximum of tools that a call of find_tools opens
	MaxToolsFindCalls   = 50 // calls of find_tools in one turn
)

// FindToolsArguments holds the arguments of find_tools.
type FindToolsArguments struct {
	Words string `json:"words"`
}

// ToolsFindParams names the model's call.
type ToolsFindParams struct {
	Turn int64  `json:"turn"`
	Call string `json:"call"`
}

// ToolsFindResult is the result of tools.find.
type ToolsFindResult struct {
	Text   string   `json:"text"`             // text about the found tools, for the model
	Opened []string `json:"opened,omitempty"` // the tools that this call has opened
}
