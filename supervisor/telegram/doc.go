// Package telegram speaks Telegram's Bot API as one bot. What comes in becomes supervisor.Incoming;
// the files that come with it are named there, and Client.Fetch gives their bytes. The package
// knows no policy: behind its Receiver it is decided who may speak, and by the outbox what is sent
// when and what follows when that fails.
//
// Updates are fetched by a Poller, or delivered to a Webhook that a WebhookRegistrar keeps set.
// Both end in a Receiver, and an update is acknowledged only after the Receiver has kept it. Each
// call that fails becomes a supervisor.SendError, whose Result says what is known of the call. No
// error, log line or value that could be printed holds the token.
package telegram
