package remote

// Messages of error rules that several providers share. ErrorRule explains the words in braces.
const (
	TextConversationTooLong = `This conversation is longer than {model} of {provider} can take, even after Mews ` +
		`shortened it. Use a model with a larger context, or ask for less at once.`
	TextWrongKey         = `{provider} did not accept the API key, or got none. {key}`
	TextModelForbidden   = `{provider} does not let this API key use {model}. Use another model, or a key that may.`
	TextToolsUnsupported = `{model} of {provider} cannot use tools, and Mews needs them. Use a model that can.`
	TextRateLimited      = `{provider} has had too many requests and lets no more through for now. {again}`
	TextOverloaded       = `{provider} is overloaded. {again}`
	TextAnswerFiltered   = `The content filter of {provider} stopped the answer. Say it differently, or use another model.`
	TextRequestRefused   = "{provider} refused the request for {model} as wrong (HTTP {status}). Use another model. An admin finds " +
		"what it said in the log at level debug."

	textIdle = `{model} of {provider} at {host} has stopped answering: nothing came for {wait}. Send the message again, or ` +
		`check whether {provider} works.`
	textAnswerTooLong = `The answer of {model} of {provider} grew too long and was broken off. Ask for less at a time.`
	textCutOff        = `The answer of {model} of {provider} was cut off before its end. Send the message again.`
	textNotEvent      = `{provider} at {host} sent something that is not an answer of {api}. ` +
		`Check {url} and its version.`
	textEmpty  = `{model} of {provider} answered with nothing. Send the message again, or say it differently.`
	textNoName = `{model} of {provider} called a tool without naming it. Send the message again, ` +
		`or use another model.`
	textUnsendable = "This conversation holds something that cannot be sent to {provider}. Begin a new one with /new; an " +
		"admin finds in the log what it is."
	textNotListening = `Mews cannot reach {provider}: nothing accepts connections at {host}. ` +
		`Is the server running there?`
	textUnknownHost = `Mews cannot reach {provider}: the name of {host} is not known. Check {url} and this ` +
		`machine's network.`
	textCertificate = `Mews does not trust {provider}: the certificate of {host} is not valid. Check {url} and this ` +
		`machine's clock.`
	textTimeout    = `Mews cannot reach {provider}: {host} did not answer in time. `
	textConnection = `The connection to {provider} at {host} failed. Send the message again in a minute.`

	textBaseURL  = "the base_url of %s"
	textCheckKey = "Check its api_key in the configuration and start Mews again."
	textAgain    = "Try again in %s."
	textInMinute = "a minute"
)
