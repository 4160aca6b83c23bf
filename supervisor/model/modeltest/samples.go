package modeltest

// Errors of servers for chat completions. Sources: the servers themselves, their source code and
// their documentation.

func retry(after string) map[string]string { return map[string]string{"Retry-After": after} }

// openaiSamples are OpenAI's errors. A dialect without its own error of a class uses OpenAI's
// error.
var openaiSamples = map[FailureClass]errorSample{
	FailureRateLimited: {status: 429, kind: "requests", code: "rate_limit_exceeded", header: map[string]string{
		"Retry-After": "7", "Retry-After-Ms": "7000", "X-Ratelimit-Limit-Requests": "500",
		"X-Ratelimit-Remaining-Requests": "0", "X-Ratelimit-Reset-Requests": "7s"},
		text: "Rate limit reached for {model} in organization org-1 on requests per min (RPM): Limit 500, Used 500, " +
			"Requested 1. Please try again in {wait}s."},
	FailureOverloaded: {status: 503, kind: "service_unavailable_error", code: "server_is_overloaded",
		text: "Our servers are currently overloaded. Please try again later."},
	FailureModelLoading: {status: 503, kind: "server_error", text: "The model is loading."},
	FailureInternalError: {status: 500, kind: "server_error",
		text: "The server had an error while processing your request. Sorry about that!"},
	FailureWrongKey: {status: 401, kind: "invalid_request_error", code: "invalid_api_key",
		text: "Incorrect API key provided: {key}"},
	FailureForbidden: {status: 403, kind: "invalid_request_error", code: "model_not_found",
		text: "Project `proj_1` does not have access to model `{model}`"},
	FailureNoCredit: {status: 429, kind: "insufficient_quota", code: "insufficient_quota",
		text: "You exceeded your current quota, please check your plan and billing details."},
	FailureUnknownModel: {status: 404, kind: "invalid_request_error", code: "model_not_found",
		text: "The model `{model}` does not exist or you do not have access to it."},
	FailurePromptTooLong: {status: 400, kind: "invalid_request_error", code: "context_length_exceeded",
		text: "This model's maximum context length is {limit} tokens. However, your messages resulted in {tokens} tokens. " +
			"Please reduce the length of the messages."},
	FailureBodyTooLarge: {status: 413, kind: "invalid_request_error", text: "Request too large"},
	FailureToolsUnsupported: {status: 400, kind: "invalid_request_error",
		text: "tools are not supported with this model."},
	FailurePicturesUnsupported: {status: 400, kind: "invalid_request_error",
		text: "Invalid content type. image_url is only supported by certain models."},
	FailureContentFiltered: {status: 400, kind: "invalid_request_error", code: "content_filter",
		text: "The prompt was stopped by a filter."},
	FailureInvalidRequest: {status: 400, kind: "invalid_request_error", text: "Invalid request."},
}

var ollamaSamples = map[FailureClass]errorSample{
	FailureOverloaded: {status: 503, kind: "api_error",
		text: "server busy, please try again.  maximum pending requests exceeded"},
	FailureModelLoading:  {status: 503, kind: "api_error", text: "llm server loading model"},
	FailureInternalError: {status: 500, kind: "api_error", text: "llama runner process has terminated: signal: killed"},
	FailureWrongKey:      {status: 401, kind: "api_error", text: "unauthorized"},
	FailureUnknownModel: {status: 404, kind: "not_found_error",
		text: "model \"{model}\" not found, try pulling it first"},
	FailurePromptTooLong: {status: 400, kind: "invalid_request_error",
		text: "the input length exceeds the context length"},
	FailureToolsUnsupported: {status: 400, kind: "invalid_request_error",
		text: "registry.ollama.ai/library/{model} does not support tools"},
	FailurePicturesUnsupported: {status: 400, kind: "invalid_request_error",
		text: "this model does not support image input"},
}

var llamaSamples = map[FailureClass]errorSample{
	FailureOverloaded:    {status: 503, kind: "unavailable_error", text: "no slot available"},
	FailureModelLoading:  {status: 503, kind: "unavailable_error", text: "Loading model"},
	FailureInternalError: {status: 500, kind: "server_error", text: "failed to decode the batch"},
	FailureWrongKey:      {status: 401, kind: "authentication_error", text: "Invalid API Key"},
	FailurePromptTooLong: {status: 400, body: `{"error":{"code":400,"message":"request ({tokens} tokens) exceeds the available ` +
		`context size ({limit} tokens), try increasing it","type":"exceed_context_size_error",` +
		`"n_prompt_tokens":{tokens},"n_ctx":{limit}}}`,
		text: "request ({tokens} tokens) exceeds the available context size ({limit} tokens), try increasing it"},
	FailureToolsUnsupported: {status: 500, kind: "server_error", text: "tools param requires --jinja flag"},
	FailurePicturesUnsupported: {status: 500, kind: "server_error",
		text: "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj"},
}

var vllmSamples = map[FailureClass]errorSample{
	FailureOverloaded: {status: 503, kind: "ServiceUnavailableError", text: "The server is overloaded."},
	FailureInternalError: {status: 500, kind: "InternalServerError",
		text: "EngineCore encountered an issue. See stack trace (above) for the root cause."},
	FailureWrongKey:     {status: 401, body: `{"error":"Unauthorized"}`, text: "Unauthorized"},
	FailureUnknownModel: {status: 404, kind: "NotFoundError", text: "The model `{model}` does not exist."},
	FailurePromptTooLong: {status: 400, kind: "BadRequestError",
		text: "This model's maximum context length is {limit} tokens. However, " +
			"you requested {tokens} tokens in the messages, Please reduce the length of the messages."},
	FailureToolsUnsupported: {status: 400, kind: "BadRequestError",
		text: `"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set`},
	FailurePicturesUnsupported: {status: 400, kind: "BadRequestError", text: "{model} is not a multimodal model"},
}

var groqSamples = map[FailureClass]errorSample{
	FailureRateLimited: {status: 429, kind: "tokens", code: "rate_limit_exceeded", header: retry("7"),
		text: "Rate limit reached for model `{model}` in organization `org_1` service tier `on_demand` on tokens per minute " +
			"(TPM): Limit 6000, Used 5800, Requested 900. Please try again in {wait}s."},
	FailureOverloaded: {status: 503, kind: "internal_server_error", header: retry("3"),
		text: "{model} is currently over capacity. Please try again and back off exponentially."},
	FailureWrongKey: {status: 401, kind: "invalid_request_error", code: "invalid_api_key", text: "Invalid API Key"},
	FailurePromptTooLong: {status: 400, kind: "invalid_request_error", code: "context_length_exceeded",
		text: "Please reduce the length of the messages or completion."},
	FailureBodyTooLarge: {status: 413, kind: "tokens", code: "rate_limit_exceeded",
		text: "Request too large for model `{model}` in " +
			"organization `org_1` on tokens per minute (TPM): Limit 6000, Requested 9000, " +
			"please reduce your message size and try again."},
	FailureToolsUnsupported: {status: 400, kind: "invalid_request_error",
		text: "`tool calling` is not supported with this model"},
	FailurePicturesUnsupported: {status: 400, kind: "invalid_request_error",
		text: "messages[0].content must be a string"},
}

var deepinfraSamples = map[FailureClass]errorSample{
	FailureRateLimited: {status: 429, text: "Rate limited"},
	FailureOverloaded: {status: 429, body: `{"error":{"message":"Model busy, retry later"}}`,
		text: "Model busy, retry later"},
	FailureInternalError: {status: 500, body: `{"error":{"message":"inference exception"}}`,
		text: "inference exception"},
	FailureWrongKey: {status: 401, text: "User not authenticated"},
	FailureNoCredit: {status: 402, text: "inference prohibited, check your balance"},
	FailureUnknownModel: {status: 404, body: `{"error":{"message":"The model ` + "`{model}`" +
		` does not exist","type":` +
		`"invalid_request_error","param":"model","code":"model_not_found"}}`},
	FailurePromptTooLong: {status: 400, body: `{"error":{"message":"This model's maximum context length is {limit} tokens. However, you ` +
		`requested {tokens} tokens."}}`},
}

var routerSamples = map[FailureClass]errorSample{
	FailureRateLimited: {status: 429, header: retry("7"),
		body: `{"error":{"message":"Provider returned error","code":429,` +
			`"metadata":{"raw":"{model} is temporarily rate-limited upstream.","provider_name":"modeltest"}},"user_id":"user_1"}`},
	FailureOverloaded: {status: 503, header: retry("3"),
		text: "There is no available model provider that meets your routing requirements"},
	FailureInternalError: {status: 502, text: "Provider returned error"},
	FailureWrongKey:      {status: 401, text: "No auth credentials found"},
	FailureNoCredit: {status: 402, text: "Insufficient credits. Add more using " +
		"https://openrouter.ai/settings/credits"},
	FailureUnknownModel: {status: 400, text: "{model} is not a valid model ID"},
	FailurePromptTooLong: {status: 400, text: "This endpoint's maximum context length is {limit} tokens. However, you requested about " +
		"{tokens} tokens. Please reduce the length of either one, or use the \"middle-out\" transform " +
		"to compress your prompt automatically."},
	FailureToolsUnsupported: {status: 404, text: "No endpoints found that support tool use. To learn more about provider routing, visit: " +
		"https://openrouter.ai/docs/provider-routing"},
	FailurePicturesUnsupported: {status: 404, text: "No endpoints found that support image input"},
	FailureContentFiltered: {status: 403, body: `{"error":{"code":403,"message":"Input was flagged","metadata":{"reasons":["violence"],` +
		`"flagged_input":"...","provider_name":"modeltest"}}}`},
}

var studioSamples = map[FailureClass]errorSample{
	FailureInternalError: {status: 500, text: "The model has crashed without additional information. (Exit code: 6)"},
	FailureModelLoading:  {status: 503, text: "Model is loading"},
	FailureUnknownModel: {status: 404, kind: "invalid_request_error", code: "model_not_found",
		text: "No models loaded. Please load a model " +
			"in the developer page or use the 'lms load' command."},
	FailurePromptTooLong: {status: 400, text: "Trying to keep the first {tokens} tokens when context the overflows. However, the model is " +
		"loaded with context length of only {limit} tokens, which is not enough. " +
		"Try to load the model with a larger context length."},
	FailureToolsUnsupported:    {status: 400, text: "This model does not support tools"},
	FailurePicturesUnsupported: {status: 400, text: "Model does not support images. Please use a model that does."},
}
