package access

import (
	"time"

	"mews/supervisor"
)

// Invitation is an invite to give away. Its code is stored nowhere else.
type Invitation struct {
	Code string
	Link string // sends the code to the bot; "" if the bot's name is not known
	// why there is no bot, and what to do, in whole sentences; "" if there is a bot
	NoBotText string
	Files     []supervisor.File // pictures of the link
	Added     bool              // the user is new
	ValidFor  time.Duration     // how long the code is valid
	Enrols    bool              // the invited user also gets a second factor
}
