package modeltest

// Dialect is an imitated server: its form of thinking, its known parameters and its errors.
type Dialect string

const (
	DialectOpenAI     Dialect = "" // OpenAI's own server, but with thinking in the form that most other servers use
	DialectOllama     Dialect = "ollama"
	DialectLlamaCpp   Dialect = "llama.cpp"
	DialectVLLM       Dialect = "vllm"
	DialectGroq       Dialect = "groq"
	DialectDeepInfra  Dialect = "deepinfra"
	DialectOpenRouter Dialect = "openrouter"
	DialectLMStudio   Dialect = "lm studio"
	DialectGemini     Dialect = "gemini"
	DialectDeepSeek   Dialect = "deepseek"
	DialectMoonshot   Dialect = "moonshot"
	// an invented server that sends no [DONE] and mixes the pieces of parallel calls
	DialectInvented Dialect = "endless"
)

// Dialects has all dialects that accept the calls of other models.
var Dialects = []Dialect{DialectOpenAI, DialectOllama, DialectLlamaCpp, DialectVLLM, DialectGroq, DialectDeepInfra,
	DialectOpenRouter, DialectLMStudio, DialectInvented}

// traits are the properties in which dialects differ.
type traits struct {
	thinkingKey string   // the delta's field for thinking
	strict      bool     // whether the server refuses unknown parameters
	extraKeys   []string // known parameters besides chatKeys
	comment     string   // comment lines before the stream
	noDone      bool
	mixedCalls  bool // whether the pieces of parallel calls come mixed
	wholeCalls  bool // whether a call comes in one piece
	late        func(r *refusal, e *exchange) string
	shape       func(r *refusal, kind string) string
	samples     map[FailureClass]errorSample
	ownModel    string // owned_by in the server's list of models
	// checks that a request returns the parts of earlier answers that the server requires; nil
	// means that it requires none
	needs func(b chatBody, messages []wireMessage) *refusal
	// whether calls have signatures and no index, and do not change the finish reason
	signedCalls bool
	encrypts    bool // whether thinking comes encrypted, in reasoning_details
}

func openaiTraits() traits {
	return traits{
		thinkingKey: "reasoning_content", strict: true, shape: openaiShape, late: lateData, ownModel: "system",
		needs: acceptsReasoning,
		extraKeys: []string{"prompt_cache_key", "prompt_cache_retention", "store", "metadata", "service_tier",
			"safety_identifier",
			"verbosity"},
	}
}

func (d Dialect) traits() traits {
	if t, known := dialects()[d]; known {
		return t
	}
	return openaiTraits()
}

// dialects returns the traits of each dialect. It is a function, because its rows use functions
// that call dialects.
func dialects() map[Dialect]traits {
	return map[Dialect]traits{
		DialectOpenAI: openaiTraits(),
		DialectInvented: {thinkingKey: "reasoning_content", shape: openaiShape, late: lateData, noDone: true,
			mixedCalls: true,
			ownModel:   "nobody"},
		DialectOllama: {thinkingKey: "reasoning", shape: openaiShape, late: lateData, wholeCalls: true,
			samples:  ollamaSamples,
			ownModel: "library"},
		DialectLlamaCpp: {thinkingKey: "reasoning_content", shape: llamaShape, late: lateData, samples: llamaSamples,
			ownModel: "llamacpp"},
		DialectVLLM: {thinkingKey: "reasoning_content", shape: vllmShape, late: lateData, samples: vllmSamples,
			ownModel: "vllm"},
		DialectGroq: {thinkingKey: "reasoning", strict: true, shape: groqShape, late: lateNamed, wholeCalls: true,
			samples:   groqSamples,
			extraKeys: []string{"reasoning_format", "include_reasoning", "service_tier"}, ownModel: "Meta"},
		DialectDeepInfra: {thinkingKey: "reasoning_content", shape: detailShape, late: lateData,
			samples:  deepinfraSamples,
			ownModel: "deepinfra"},
		DialectOpenRouter: {thinkingKey: "reasoning", shape: routerShape, late: lateChunk, samples: routerSamples,
			comment: ": OPENROUTER PROCESSING\n\n", ownModel: "openrouter", needs: needsValidDetails, encrypts: true},
		DialectGemini: {thinkingKey: "reasoning_content", shape: geminiShape, late: lateData, ownModel: "google",
			wholeCalls: true,
			needs:      needsSignatures, signedCalls: true},
		DialectDeepSeek: {thinkingKey: "reasoning_content", shape: openaiShape, late: lateData, ownModel: "deepseek",
			needs: needsReasoning},
		DialectMoonshot: {thinkingKey: "reasoning_content", shape: openaiShape, late: lateData, ownModel: "moonshot",
			needs: needsReasoningOfCalls},
		DialectLMStudio: {thinkingKey: "reasoning_content", shape: studioShape, late: lateNamed, samples: studioSamples,
			ownModel: "organization_owner"},
	}
}

// openaiShape returns an error in the form of OpenAI and Ollama.
func openaiShape(r *refusal, kind string) string {
	return string(mustJSON(map[string]any{"error": map[string]any{"message": r.text, "type": kind, "param": orNull(r.param),
		"code": orNull(r.code)}}))
}

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func llamaShape(r *refusal, kind string) string {
	return string(mustJSON(map[string]any{"error": map[string]any{"code": r.status, "message": r.text, "type": kind}}))
}

// vllmShape returns an error in the form of newer releases of vLLM, in an object under the key
// error.
func vllmShape(r *refusal, kind string) string {
	if kind == "invalid_request_error" {
		kind = "BadRequestError"
	}
	return string(mustJSON(map[string]any{"error": map[string]any{"message": r.text, "type": kind, "param": orNull(r.param),
		"code": r.status}}))
}

func groqShape(r *refusal, kind string) string {
	inner := map[string]any{"message": r.text, "type": kind}
	if r.code != "" {
		inner["code"] = r.code
	}
	return string(mustJSON(map[string]any{"error": inner}))
}

// detailShape returns an error in FastAPI's form.
func detailShape(r *refusal, _ string) string {
	return string(mustJSON(map[string]any{"detail": map[string]any{"error": r.text}}))
}

func routerShape(r *refusal, _ string) string {
	return string(mustJSON(map[string]any{"error": map[string]any{"code": r.status, "message": r.text}, "user_id": "user_1"}))
}

func studioShape(r *refusal, kind string) string {
	if r.code == "" {
		return string(mustJSON(map[string]any{"error": r.text}))
	}
	return openaiShape(r, kind)
}

// lateData returns an error that comes within the stream, in place of a chunk.
func lateData(r *refusal, e *exchange) string {
	return "data: " + r.chatBody(e.server) + "\n\n"
}

// lateNamed returns an error that comes within the stream, as an event with a name.
func lateNamed(r *refusal, e *exchange) string {
	return "event: error\ndata: " + r.chatBody(e.server) + "\n\n"
}

// lateChunk returns an error in DialectOpenRouter's form: a chunk with an error in addition to its
// choices.
func lateChunk(r *refusal, e *exchange) string {
	return "data: " + string(mustJSON(map[string]any{
		"id": "gen-1", "object": "chat.completion.chunk", "created": 0, "model": e.Model, "provider": "modeltest",
		"error":   map[string]any{"code": r.status, "message": r.text},
		"choices": []any{map[string]any{"index": 0, "delta": map[string]any{"content": ""}, "finish_reason": "error"}},
	})) + "\n\n"
}
