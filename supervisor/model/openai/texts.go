package openai

// Messages of error rules. Words in braces are replaced, see remote.ErrorRule.
const (
	textCredit          = `The account at {provider} has no credit left for {model}. Check its billing, or use another model.`
	textFilteredRequest = `The content filter of {provider} stopped the request. Say it differently, or use another model.`
	textNoModel         = `{provider} at {host} has no model {name}. Check its name, or fetch it there first (with Ollama: ` +
		`ollama pull NAME).`
	textNoAPI = `The server at {host} is not an OpenAI-compatible API (HTTP {status}). Check {url}; ` +
		`it usually ends in /v1.`
	textLoading  = `{provider} is still loading {model}. {again}`
	textServer   = `{provider} has an internal error (HTTP {status}). {again}`
	textBrokeOff = `{provider} broke off the answer of {model} after an internal error. {again}`
	textUnspoken = `The connection to {provider} at {host} ended before {model} said anything. Send the message again in a ` +
		`minute.`
	textNoRoom = "{model} of {provider} reached its output limit before it said anything. Ask for less at " +
		"once, or use another model. An admin can raise its limit of output tokens or its context."
	textHint = `Is the server running there?`
)

// textForeignCall introduces the call of another model and its result, as text. It is for a model
// that accepts only calls with its own thoughts.
const textForeignCall = "[A tool was called here earlier, by another model:]"

// textTools tells a model without native tools how to call tools.
const textTools = "You can use tools. To call one, write a block like this, on lines of its own:\n" +
	callFence + "\n{\"name\": \"NAME\", \"arguments\": {}}\n" + fence + "\n" +
	"You may write several such blocks, one after the other, and nothing after the last: the results come in the next " +
	"message, in blocks named tool_result. Never write a tool_result yourself, and never claim that a tool did " +
	"something before its result has come. The tools, each with the JSON Schema of its arguments:\n"
