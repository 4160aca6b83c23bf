package services

// Texts for people, and for the model.
const (
	textService = `the service "%s"` // name of a service in errors of the client

	textNoSecret = "it has no secret"
	textUnusable = "its base_url or ca_file can't be used"

	textNoServices     = "There is no service that you may call. An admin can configure some."
	textUnknownService = "There is no service %q. You may call: %s."
	textIsOff          = "The service %s is off: %s. Tell the person, who may ask an admin."
	textMethod         = "The service %s does not allow %s. It allows: %s."
	textNoSuffix       = "The service %s takes no path_suffix. Leave it out."
	textSuffix         = "The path_suffix can't be used: %v."
	textManyParams     = "A call takes at most %d params."
	textParam          = "The parameter %q is neither a text, a number, true or false, nor a list of those."
	textSecretParam    = "The parameter %q is the service's secret, which Mews adds. Leave it out."
	textLongQuery      = "The params have more than %d bytes. Put them into the body if the service allows that."
	textNoBody         = "A %s has no body. Leave body out, and use params."
	textLongBody       = "The body has more than %d MiB. Send it in parts."
	textIsWrite        = "%s of the service %s may change something. Use call_service for it."
	textArguments      = "The arguments can't be read: %v."
	textNeedsName      = "Give the name of a service. read_service without a name lists them."

	textMayCall    = "May I call the service %s at `%s`? %s"
	textMayRead    = "May I read from the service %s at `%s`? %s"
	textWithParams = "\nParameters: %s"
	textWithBody   = "\nContent: %s"
	textNotShown   = " (%s more)"

	textNotText = "The service %s answered with %s that is not text, so Mews dropped it. Ask the service for text " +
		"or JSON."
	textNotKept   = "Mews could not keep the answer of the service %s: %s"
	textMaybeDone = "%s The service %s may have done it anyway. Read its state before you call it again."

	textListed     = "Services; read_service and call_service take the name:\n"
	textListedOne  = "\n%s: %s\nAllows %s. %s\n"
	textListedMany = "\nMore services: %s\n"
	textTakesPath  = "Takes a path_suffix."
	textTakesNone  = "Takes no path_suffix."
	textListedOff  = "\n%s is off: %s.\n"
	textNoWords    = "no description"
	textNotes      = "Notes: %s\n"

	// TextCommand begins the list of /services.
	TextCommand       = "Services that I can call for you:\n"
	textCommandOne    = "%s: %s\nIt allows %s.\n"
	textCommandOff    = "%s: %s\nIt is off: %s.\n"
	textCommandNone   = "There is no service that I can call for you. An admin can add some: `mews help services`."
	textCommandHelp   = "services that I can call, such as the lamps of the house"
	textCommandAppend = "\nI read without asking. I ask before a call that may change something, unless your rules " +
		"say otherwise."
)
