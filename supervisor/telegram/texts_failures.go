package telegram

import (
	"net/http"
	"time"
)

const (
	textUnexplained = "no details are known"
	// textAlarm takes the time of the first failure, the problem and the remedy.
	textAlarm          = "Since %s there is trouble with Telegram: %s. %s Mews goes on trying."
	textRecovered      = "Messages from Telegram get through again. The trouble lasted %s."
	textNothingLost    = " Messages sent meanwhile are not lost."
	textTakenByOther   = " The other program took some messages. People who got no answer should write again."
	textOldMessageLost = " Telegram keeps messages for 24 hours only: older ones are lost. People who wrote then should write again."
)

// failureClasses are tried in order; the last matches every error.
var failureClasses = []*failureClass{
	{is: is(errStore),
		text:   "incoming messages cannot be stored",
		advice: "Check whether the disk is full, and look into Mews's log. Telegram keeps the messages for 24 hours."},
	{is: is(errStale),
		text:   "the Bot API server sends the same updates again and again",
		advice: "Check telegram.api_url in the configuration, and the server there."},
	{is: refused(http.StatusUnauthorized, http.StatusNotFound), first: 5 * time.Second, most: 5 * time.Minute,
		text: "Telegram does not accept the bot's token ({text})",
		advice: "Get the token, or a new one, from @BotFather, put it into the configuration and start Mews again. " +
			"With a Bot API server of your own, check telegram.api_url too."},
	{is: isWebhook, most: 30 * time.Second, fix: dropWebhook,
		text:   "another program sets a webhook for this bot",
		advice: "Stop that program, or get the bot a new token from @BotFather."},
	{is: is(errWebhookReplaced),
		text:   "another program takes this bot's webhook away",
		advice: "Stop that program, or get the bot a new token from @BotFather."},
	// Telegram refuses a poll while another poll of the bot runs. If our own process was killed,
	// its last poll goes on for some 30 s; seven failures take longer.
	//
	// If another program polls too, each of the two programs ends the other's poll. Between the
	// failures, a poll may then succeed.
	{is: refused(http.StatusConflict), most: 30 * time.Second, alarmAfter: 7, remembered: 10 * time.Minute,
		text: "another program polls with this bot's token and takes part of the messages",
		advice: "Stop that program: a bot has one reader only. If it is not yours, get the bot a new token from @BotFather " +
			"at once.",
		lost: textTakenByOther},
	{is: isLoggedOut, first: 5 * time.Second, most: 5 * time.Minute,
		text: "the bot was logged out of this Bot API server ({text})",
		advice: "The bot uses another server now: check telegram.api_url in the configuration. It can return to the public one " +
			"after 10 minutes."},
	{is: refused(http.StatusTooManyRequests, floodWaitCode),
		text:   "Telegram wants fewer requests",
		advice: "The trouble passes by itself; check whether other programs use the same token."},
	{is: isRefusal(http.StatusBadRequest, 499),
		text:   "Telegram refuses the request ({text})",
		advice: "Check the telegram part of the configuration."},
	{is: isRefusal(http.StatusInternalServerError, 999), away: true,
		text:   "Telegram has an internal error ({text})",
		advice: "The trouble usually passes by itself."},
	{is: isStall, away: true,
		text:   "Telegram accepts calls but does not answer them",
		advice: "Check this machine's network, and a proxy if there is one."},
	{is: isDelivery, most: time.Second, // the registrar asks for this state once a minute anyway
		text: "Telegram cannot deliver to the webhook ({text})",
		advice: "Check that telegram.webhook.url can be reached from outside, and that the proxy in front of Mews forwards the " +
			"header X-Telegram-Bot-Api-Secret-Token."},
	{is: isGateway, away: true,
		text: "something in front of Telegram answers with an error ({text})",
		advice: "The trouble may pass by itself. Check telegram.api_url in the configuration, and a proxy if there " +
			"is one."},
	{is: isNotTelegram,
		text:   "the server that answers is not Telegram's Bot API",
		advice: "Check telegram.api_url in the configuration, and a proxy if there is one."},
	{is: func(error) bool { return true }, away: true,
		text:   "Telegram cannot be reached",
		advice: "Check this machine's network, its name service, and telegram.api_url in the configuration."},
}
