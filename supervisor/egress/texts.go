package egress

// Texts of errors, for people and models. {target} is the host or upstream.
const (
	textSyntax = "This is not an address that Mews can read. Check its spelling, and write it whole, such " +
		"as https://example.org/page."
	textScheme   = "Mews fetches only addresses that begin with https:// or http://. Write the whole address."
	textUserInfo = "Mews fetches no address with a name or password before an @. Leave that part out."
	textHost     = "The name of the site in this address is not valid. Check its spelling."
	textNumber   = "Mews fetches no address whose site is a number. Use the site's name, or ask an admin to " +
		"configure it."
	textBase = "The number of the site is written in a way that Mews does not read. Write it as 192.0.2.1 or " +
		"[2001:db8::1]."
	textPort = "Mews fetches only from ports 80 and 443. Leave the port out, or ask an admin to configure " +
		"the site."
	textLocalName = "Mews fetches from no name of a local network. Use a public site, or ask an admin to " +
		"configure it."
	textElsewhere = "This address is not part of {target}. Use an address that begins as the configured " +
		"one does."

	textPrivate = "Mews did not fetch from {target}: the name leads to an address that is not public. If " +
		"you need it, ask an admin to configure it."
	textRedirect = "{target} redirected to an address that Mews does not fetch. Use another address, or " +
		"open it in a browser."
	textDowngrade = "{target} redirected from https to http, which is not secret. Use another address, or " +
		"open it in a browser."
	textRedirects = "{target} redirected more than 5 times. Use another address, or open it in a browser."

	textTurn = "This answer has fetched 30 addresses, and no answer may fetch more. Use what was found, or " +
		"go on in a new message."
	textHour = "You have fetched 300 addresses within an hour, and nobody may fetch more. Try again in %s."

	textUnknownHost = "Mews could not fetch from {target}: no site has this name. Check its spelling."
	textConnection  = "Mews could not fetch from {target}: the connection failed. Try again in a minute."
	textRefused     = "Mews could not fetch from {target}: nothing accepts connections there. Try again later, " +
		"or use another address."
	textCertificate = "Mews did not fetch from {target}: its certificate is not valid. Use another " +
		"address, or tell an admin."

	textHeaders = "Mews could not fetch from {target}: it did not answer in time. Try again later, or use " +
		"another address."
	textWhole = "Mews stopped fetching from {target}: the answer took too long. Try again later, or use " +
		"another address."
	textSlow = "Mews stopped fetching from {target}: it sent less than 1 KiB a second. Try again later, or " +
		"use another address."

	textTooLarge = "Mews stopped fetching from {target}: the answer is too large. Ask for a smaller page " +
		"or part."
	textPacked = "Mews stopped fetching from {target}: the answer is packed too tightly to be safe. Use " +
		"another address."
	textAnswer = "{target} sent an answer that Mews cannot read, or headers of more than 64 KiB. Use " +
		"another address."
	textCut = "Mews could not fetch everything from {target}: the answer was cut off. Try again in a " +
		"minute."
	textEncoding = "{target} packed its answer in a way that Mews cannot unpack. Use another address."
)
