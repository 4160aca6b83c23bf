package protocol

import "encoding/json"

// MethodServiceRead calls a configured service without changing anything there. Without a name in
// the call's arguments it lists the services. It is a call during a turn. The worker only names the
// model's call of read_service; its arguments, which the supervisor has, are ServiceArguments. The
// error tells the model in words why the service was not called.
//
//	{"turn":8,"call":"t8-2-1"}
//	{"status":200,"media_type":"application/json","text":"{\"state\":\"on\"}","world":true}
const MethodServiceRead = "service.read"

// MethodServiceCall calls a configured service, which may change something there. The user may be
// asked first. It has the same rules as MethodServiceRead, and the model's call is of call_service.
// A second call with the same parameters does not call the service again.
//
//	{"turn":8,"call":"t8-2-1"}
//	{"status":201,"media_type":"application/json","body":{"sha256":"ab","size":70000},"world":true}
const MethodServiceCall = "service.call"

// TrustedOriginPrefix begins the origin of words that an admin trusts, such as
// trusted-service:home. They are not words of others.
const TrustedOriginPrefix = "trusted-"

// Limits of calls to services.
const (
	MaxServiceCalls     = 300     // calls of each kind in a turn
	MaxServiceBodyBytes = 1 << 20 // bytes of a request's body
	MaxServiceTextBytes = 64 << 10
)

// ServiceCallParams names the model's call.
type ServiceCallParams struct {
	Turn int64  `json:"turn"`
	Call string `json:"call"`
}

// ServiceCallResult is the answer of a service, or the list of services.
type ServiceCallResult struct {
	Status    int      `json:"status,omitempty"` // status of HTTP; 0 means a list of services
	MediaType string   `json:"media_type,omitempty"`
	Location  string   `json:"location,omitempty"` // where a redirect leads
	Text      string   `json:"text,omitempty"`     // the body, if it has at most MaxServiceTextBytes
	Body      *BlobRef `json:"body,omitempty"`     // a longer body, which is text too
	World     bool     `json:"world,omitempty"`    // the answer may have words that are not the user's own
}

// ServiceArguments holds the arguments of read_service and call_service.
type ServiceArguments struct {
	Name       string `json:"name"`        // name of the service; "" lists the services
	Method     string `json:"method"`      // method of HTTP; "" means GET for a read, and POST for a call
	PathSuffix string `json:"path_suffix"` // path below the service's base URL; "" means the base URL
	// query parameters: texts, numbers, true, false, or lists of them
	Params map[string]json.RawMessage `json:"params"`
	// body of the request: a text, or any other JSON value to send as JSON; empty means no body
	Body json.RawMessage `json:"body"`
}
