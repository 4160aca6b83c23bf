// Package telegram is a client of Telegram's Bot API for one bot. Each update becomes a
// supervisor.Incoming, which names attached files; a Client downloads the files. The package knows
// no policy: the receiver of the updates decides who may talk. The outbox decides when messages are
// sent, and how failures are handled.
//
// A Poller fetches updates, or Telegram delivers them to a Webhook, which a WebhookRegistrar keeps
// set. Both pass updates to a receiver, and acknowledge only updates that it has stored. Each
// failed call becomes a supervisor.SendError, whose Result says what is known of the call. No
// error, log line or printable value contains the token.
package telegram
