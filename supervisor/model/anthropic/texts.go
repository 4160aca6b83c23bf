package anthropic

// Messages of error rules, as remote's. What stands in braces is filled in, see remote.ErrorRule.
const (
	textCredit = `The account at {provider} has no credit left, or has reached its spending limit. See to its billing, or ` +
		`use another provider's model.`
	textNoModel    = `{provider} at {host} does not have {model}. Check its name; mews models lists those that there are.`
	textNoAPI      = `What answers at {host} is not Anthropic's API (HTTP {status}). Check the base_url of {provider}.`
	textServer     = `{provider} has trouble of its own. {again}`
	textNoThinking = "{model} of {provider} cannot think in the way that it was told to. Use another model; an admin can set " +
		"models.thinking to off."
	textBrokeOff = "{provider} broke off the answer of {model}. Send the message again; an admin finds what it said in the " +
		"log at level debug."
	textDeclined = `{model} of {provider} declined to answer this. Say it differently, or use another model.`
	textNoRoom   = "{model} of {provider} reached the limit of what it may say before it said anything. Ask for less at " +
		"once, or use another model; an admin can let it think less, or raise its limit of output tokens."
	textFull = `This conversation fills all that {model} of {provider} can take, and leaves no room for an answer. Use a ` +
		`model with a larger context, or ask for less at once.`
	textHint = `Check this machine's network.`
)

// textSilentFailure stands for the text of a result without one, whose tool failed. The model reads
// it.
const textSilentFailure = "It failed and did not say why."
