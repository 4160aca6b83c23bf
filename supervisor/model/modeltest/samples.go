package modeltest

// Errors of servers for chat completions. Sources: the servers themselves, their source code and
// their documentation.

func retry(after string) map[string]string { return map[string]string{"Retry-After": after} }

// openaiSamples are OpenAI's errors. A dialect without its own error of a class uses OpenAI's
// error.
var openaiSamples = map[FailureClass]errorSample{
	RateLimited: {status: 429, kind: "requests", code: "rate_limit_exceeded", header: map[string]string{
		"Retry-After": "7", "Retry-After-Ms": "7000", "X-Ratelimit-Limit-Requests": "500",
		"X-Ratelimit-Remaining-Requests": "0", "X-Ratelimit-Reset-Requests": "7s"},
		text: "Rate limit reached for {model} in organization org-1 on requests per min (RPM): Limit 500, Used 500, " +
			"Requested 1. Please try again in {wait}s."},
	Overloaded: {status: 503, kind: "service_unavailable_error", code: "server_is_overloaded",
		text: "Our servers are currently overloaded. Please try again later."},
	ModelLoading: {status: 503, kind: "server_error", text: "The model is loading."},
	InternalError: {status: 500, kind: "server_error",
		text: "The server had an error while processing your request. Sorry about that!"},
	WrongKey: {status: 401, kind: "invalid_request_error", code: "invalid_api_key",
		text: "Incorrect API key provided: {key}"},
	Forbidden: {status: 403, kind: "invalid_request_error", code: "model_not_found",
		text: "Project `proj_1` does not have access to model `{model}`"},
	NoCredit: {status: 429, kind: "insufficient_quota", code: "insufficient_quota",
		text: "You exceeded your current quota, please check your plan and billing details."},
	UnknownModel: {status: 404, kind: "invalid_request_error", code: "model_not_found",
		text: "The model `{model}` does not exist or you do not have access to it."},
	PromptTooLong: {status: 400, kind: "invalid_request_error", code: "context_length_exceeded",
		text: "This model's maximum context length is {limit} tokens. However, your messages resulted in {tokens} tokens. " +
			"Please reduce the length of the messages."},
	BodyTooLarge:     {status: 413, kind: "invalid_request_error", text: "Request too large"},
	ToolsUnsupported: {status: 400, kind: "invalid_request_error", text: "tools are not supported with this model."},
	PicturesUnsupported: {status: 400, kind: "invalid_request_error",
		text: "Invalid content type. image_url is only supported by certain models."},
	ContentFiltered: {status: 400, kind: "invalid_request_error", code: "content_filter",
		text: "The prompt was stopped by a filter."},
	InvalidRequest: {status: 400, kind: "invalid_request_error", text: "Invalid request."},
}

var ollamaSamples = map[FailureClass]errorSample{
	Overloaded: {status: 503, kind: "api_error",
		text: "server busy, please try again.  maximum pending requests exceeded"},
	ModelLoading:  {status: 503, kind: "api_error", text: "llm server loading model"},
	InternalError: {status: 500, kind: "api_error", text: "llama runner process has terminated: signal: killed"},
	WrongKey:      {status: 401, kind: "api_error", text: "unauthorized"},
	UnknownModel: {status: 404, kind: "not_found_error",
		text: "model \"{model}\" not found, try pulling it first"},
	PromptTooLong: {status: 400, kind: "invalid_request_error",
		text: "the input length exceeds the context length"},
	ToolsUnsupported: {status: 400, kind: "invalid_request_error",
		text: "registry.ollama.ai/library/{model} does not support tools"},
	PicturesUnsupported: {status: 400, kind: "invalid_request_error", text: "this model does not support image input"},
}

var llamaSamples = map[FailureClass]errorSample{
	Overloaded:    {status: 503, kind: "unavailable_error", text: "no slot available"},
	ModelLoading:  {status: 503, kind: "unavailable_error", text: "Loading model"},
	InternalError: {status: 500, kind: "server_error", text: "failed to decode the batch"},
	WrongKey:      {status: 401, kind: "authentication_error", text: "Invalid API Key"},
	PromptTooLong: {status: 400, body: `{"error":{"code":400,"message":"request ({tokens} tokens) exceeds the available ` +
		`context size ({limit} tokens), try increasing it","type":"exceed_context_size_error",` +
		`"n_prompt_tokens":{tokens},"n_ctx":{limit}}}`,
		text: "request ({tokens} tokens) exceeds the available context size ({limit} tokens), try increasing it"},
	ToolsUnsupported: {status: 500, kind: "server_error", text: "tools param requires --jinja flag"},
	PicturesUnsupported: {status: 500, kind: "server_error",
		text: "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj"},
}

var vllmSamples = map[FailureClass]errorSample{
	Overloaded: {status: 503, kind: "ServiceUnavailableError", text: "The server is overloaded."},
	InternalError: {status: 500, kind: "InternalServerError",
		text: "EngineCore encountered an issue. See stack trace (above) for the root cause."},
	WrongKey:     {status: 401, body: `{"error":"Unauthorized"}`, text: "Unauthorized"},
	UnknownModel: {status: 404, kind: "NotFoundError", text: "The model `{model}` does not exist."},
	PromptTooLong: {status: 400, kind: "BadRequestError",
		text: "This model's maximum context length is {limit} tokens. However, " +
			"you requested {tokens} tokens in the messages, Please reduce the length of the messages."},
	ToolsUnsupported: {status: 400, kind: "BadRequestError",
		text: `"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set`},
	PicturesUnsupported: {status: 400, kind: "BadRequestError", text: "{model} is not a multimodal model"},
}

var groqSamples = map[FailureClass]errorSample{
	RateLimited: {status: 429, kind: "tokens", code: "rate_limit_exceeded", header: retry("7"),
		text: "Rate limit reached for model `{model}` in organization `org_1` service tier `on_demand` on tokens per minute " +
			"(TPM): Limit 6000, Used 5800, Requested 900. Please try again in {wait}s."},
	Overloaded: {status: 503, kind: "internal_server_error", header: retry("3"),
		text: "{model} is currently over capacity. Please try again and back off exponentially."},
	WrongKey: {status: 401, kind: "invalid_request_error", code: "invalid_api_key", text: "Invalid API Key"},
	PromptTooLong: {status: 400, kind: "invalid_request_error", code: "context_length_exceeded",
		text: "Please reduce the length of the messages or completion."},
	BodyTooLarge: {status: 413, kind: "tokens", code: "rate_limit_exceeded",
		text: "Request too large for model `{model}` in " +
			"organization `org_1` on tokens per minute (TPM): Limit 6000, Requested 9000, " +
			"please reduce your message size and try again."},
	ToolsUnsupported: {status: 400, kind: "invalid_request_error",
		text: "`tool calling` is not supported with this model"},
	PicturesUnsupported: {status: 400, kind: "invalid_request_error", text: "messages[0].content must be a string"},
}

var deepinfraSamples = map[FailureClass]errorSample{
	RateLimited: {status: 429, text: "Rate limited"},
	Overloaded: {status: 429, body: `{"error":{"message":"Model busy, retry later"}}`,
		text: "Model busy, retry later"},
	InternalError: {status: 500, body: `{"error":{"message":"inference exception"}}`, text: "inference exception"},
	WrongKey:      {status: 401, text: "User not authenticated"},
	NoCredit:      {status: 402, text: "inference prohibited, check your balance"},
	UnknownModel: {status: 404, body: `{"error":{"message":"The model ` + "`{model}`" + ` does not exist","type":` +
		`"invalid_request_error","param":"model","code":"model_not_found"}}`},
	PromptTooLong: {status: 400, body: `{"error":{"message":"This model's maximum context length is {limit} tokens. However, you ` +
		`requested {tokens} tokens."}}`},
}

var routerSamples = map[FailureClass]errorSample{
	RateLimited: {status: 429, header: retry("7"), body: `{"error":{"message":"Provider returned error","code":429,` +
		`"metadata":{"raw":"{model} is temporarily rate-limited upstream.","provider_name":"modeltest"}},"user_id":"user_1"}`},
	Overloaded: {status: 503, header: retry("3"),
		text: "There is no available model provider that meets your routing requirements"},
	InternalError: {status: 502, text: "Provider returned error"},
	WrongKey:      {status: 401, text: "No auth credentials found"},
	NoCredit:      {status: 402, text: "Insufficient credits. Add more using https://openrouter.ai/settings/credits"},
	UnknownModel:  {status: 400, text: "{model} is not a valid model ID"},
	PromptTooLong: {status: 400, text: "This endpoint's maximum context length is {limit} tokens. However, you requested about " +
		"{tokens} tokens. Please reduce the length of either one, or use the \"middle-out\" transform " +
		"to compress your prompt automatically."},
	ToolsUnsupported: {status: 404, text: "No endpoints found that support tool use. To learn more about provider routing, visit: " +
		"https://openrouter.ai/docs/provider-routing"},
	PicturesUnsupported: {status: 404, text: "No endpoints found that support image input"},
	ContentFiltered: {status: 403, body: `{"error":{"code":403,"message":"Input was flagged","metadata":{"reasons":["violence"],` +
		`"flagged_input":"...","provider_name":"modeltest"}}}`},
}

var studioSamples = map[FailureClass]errorSample{
	InternalError: {status: 500, text: "The model has crashed without additional information. (Exit code: 6)"},
	ModelLoading:  {status: 503, text: "Model is loading"},
	UnknownModel: {status: 404, kind: "invalid_request_error", code: "model_not_found",
		text: "No models loaded. Please load a model " +
			"in the developer page or use the 'lms load' command."},
	PromptTooLong: {status: 400, text: "Trying to keep the first {tokens} tokens when context the overflows. However, the model is " +
		"loaded with context length of only {limit} tokens, which is not enough. " +
		"Try to load the model with a larger context length."},
	ToolsUnsupported:    {status: 400, text: "This model does not support tools"},
	PicturesUnsupported: {status: 400, text: "Model does not support images. Please use a model that does."},
}
