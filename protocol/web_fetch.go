package protocol

// MethodWebFetch fetches the address of a call of web_fetch. It is a call during a turn. The worker
// only names the model's call; its arguments, which the supervisor has, are WebFetchArguments. The
// user may be asked first; until the answer the call fails with CodeWaitsForUser. The worker may
// read the body until the call's result is committed.
//
//	{"turn":8,"call":"t8-2-1"}
//	{"address":"https://example.org/tea","status":200,"media_type":"text/html","charset":"utf-8","body":{"sha256":"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08","size":4}}
const MethodWebFetch = "web.fetch"

// MaxWebFetches is the most calls of web.fetch in a turn. Already far fewer are refused in words.
const MaxWebFetches = 300

// WebFetchArguments are the model's arguments of web_fetch.
type WebFetchArguments struct {
	URL  string `json:"url"`
	Save bool   `json:"save,omitempty"` // keep the page or file in the folder downloads
}

// WebFetchParams names the model's call.
type WebFetchParams struct {
	Turn int64  `json:"turn"`
	Call string `json:"call"`
}

// WebFetchResult is the answer of a server.
type WebFetchResult struct {
	Address   string  `json:"address"` // the address that answered, after redirects
	Status    int     `json:"status"`
	MediaType string  `json:"media_type,omitempty"` // media type without parameters; "" means none was named
	Charset   string  `json:"charset,omitempty"`
	Body      BlobRef `json:"body"`
	Age       int     `json:"age,omitempty"` // age of a kept answer, in seconds
}
