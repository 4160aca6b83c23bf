// Package telegram speaks Telegram's Bot API, as one bot: what comes in as letters, what goes out as messages. It knows no
// policy: who may speak is decided behind its Receiver, and what is sent when, and what follows when that fails, by the outbox.
//
// Updates are fetched by a Poller, or delivered to a Webhook that a WebhookRegistrar keeps set; the two ways end in the same Receiver, and
// an update is acknowledged only after the Receiver has kept it. Each call that fails becomes a supervisor.SendError, whose fate
// says what is known of it. No error, log line or value that could be printed holds the token.
package telegram
