package supervisor

import "time"

// WebhookDelivery is what another program has sent to a webhook, or what was found by asking it
// instead. One is known by the fields from User to Body: what is sent again is no other, unless it
// has failed.
type WebhookDelivery struct {
	ID     int64
	User   string // whose it is; "" is nobody's
	Source string // WebhookGitHub, or WebhookHook and a name
	Hook   string // the sender's own name of the webhook; "" where it has none
	Key    string // the sender's own name of the delivery; nothing vouches for it
	Body   string // SHA-256 of what was sent, by which the spool has it

	Size  int64       // bytes that the spool has of it
	Event GitHubEvent // the zero value where it is none
	State WebhookState
	Why   string // it was ignored, or has failed
	At    time.Time
}

// The values of WebhookDelivery.Source.
const (
	WebhookGitHub = "github"
	WebhookHook   = "hook/" // and the hook's name
)

// WebhookState is how far a WebhookDelivery has come.
type WebhookState string

const (
	WebhookNew     WebhookState = "new"     // kept, and not yet done
	WebhookDone    WebhookState = "done"    // all is done that follows from it
	WebhookIgnored WebhookState = "ignored" // nothing follows from it
	WebhookFailed  WebhookState = "failed"  // it could not be done: sent again it is new
)
