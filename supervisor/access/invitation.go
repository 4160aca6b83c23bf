package access

import (
	"time"

	"mews/supervisor"
)

// Invitation is an invite with its code. The code is stored nowhere else.
type Invitation struct {
	Code string
	Link string // a link that sends the code to the bot; "" if the bot's name is not known
	// NoBotText says why there is no bot, and what to do, in whole sentences; "" if there is a bot.
	NoBotText string
	Files     []supervisor.File // pictures of the link
	Added     bool              // the invited user is new
	Admin     bool              // the invited user is an admin
	ValidFor  time.Duration     // how long the code is valid
	Enrols    bool              // the invited user also gets a second factor
}
