package anthropic

// Messages of error rules. Words in braces are replaced, see remote.ErrorRule.
const (
	textCredit = `The account at {provider} has no credit left, or has reached its spending limit. Check its billing, or ` +
		`use another provider's model.`
	textNoModel    = `{provider} at {host} does not have {model}. Check its name; mews models lists all models.`
	textNoAPI      = `The server at {host} is not Anthropic's API (HTTP {status}). Check {url}.`
	textServer     = `{provider} has an internal error. {again}`
	textNoThinking = "{model} of {provider} cannot think in the way that Mews asked for. Use another model. An admin can also set " +
		"models.thinking to off."
	textBrokeOff = "{provider} broke off the answer of {model}. Send the message again. An admin finds what it said in the " +
		"log at level debug."
	textDeclined = `{model} of {provider} declined to answer this. Say it differently, or use another model.`
	textNoRoom   = "{model} of {provider} reached its output limit before it said anything. Ask for less at " +
		"once, or use another model. An admin can lower its thinking, or raise its limit of output tokens."
	textFull = `This conversation fills all that {model} of {provider} can take, and leaves no room for an answer. Use a ` +
		`model with a larger context, or ask for less at once.`
	textHint = `Check this machine's network.`
)

// textSilentFailure tells the model that a tool failed without a text.
const textSilentFailure = "The tool failed and did not say why."
