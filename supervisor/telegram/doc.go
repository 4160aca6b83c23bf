// Package telegram is a client of Telegram's Bot API for one bot. Updates become
// supervisor.Incoming, which names attached files; Client.Fetch downloads them. The package knows
// no policy: its Receiver decides who may talk, and the outbox decides what is sent when, and what
// to do about failures.
//
// A Poller fetches updates, or Telegram delivers them to a Webhook, which a WebhookRegistrar keeps
// set. Both pass updates to a Receiver, and acknowledge them only after the Receiver has stored
// them. Each failed call becomes a supervisor.SendError, whose Result says what is known of the
// call. No error, log line or printable value contains the token.
package telegram
