package setup

import (
	"fmt"
	"time"

	"mews/supervisor/problem"
)

// Pages for granting permissions.
const (
	pageToken = "/settings/personal-access-tokens"
	pageApp   = "%[1]s/settings/apps, the app's page Permissions & events; then %[1]s/settings/installations to accept it"
)

// Services that need a missing permission.
const (
	whyContents = "pull requests are read with their files, and pushes are told of"
	whyPulls    = "pull requests are read"
	whyReview   = "reviews are posted"
	whyIssues   = "issues are labelled and commented on, and summaries kept up to date"
	whyChecks   = "check runs are made, as post: check wants"
)

// Lines about checks without a problem.
const (
	textLogin   = "GitHub knows Mews as %s"
	textLimit   = "%s: %d of %d left, until %s"
	textAllowed = "may do all that is configured"
	textHook    = "webhook %s sends %s"
)

// Problems and their solutions.
const (
	textLack       = "the permission %s is missing, by which %s. Grant it: %s"
	textArchived   = "The repository is archived: nothing can be posted there."
	textNoHook     = "No webhook calls %s. `mews github add %s --url https://YOUR.HOST/webhook/github` makes it, or the repository's page Settings, Webhooks."
	textHookUnseen = "Mews may not see the repository's webhooks: that takes an admin of it (webhooks: read and write). Check them on %s/%s/settings/hooks. Mews cannot ask for failed deliveries again."
	textHookOff    = "The webhook is off: switch on Active on its page."
	textHookForm   = "The webhook sends forms: set its content type to application/json on its page."
	textHookSecret = "The webhook has no secret, so all that it sends is refused: put github.webhook_secret into its page."
	textHookPlain  = "The webhook's address is plain http: who is in between reads along. Use https."
	textHookEvents = "The webhook does not send %s, so Mews ignores these. Add them on its page."
	textNotTaken   = "The last delivery (%s, %s) was not taken: GitHub had %q. Check that GitHub can reach that address, and that the secret is the same. Then run `mews github redeliver --failed`."
	textNoAddress  = "%q can't be a webhook's address: want https://YOUR.HOST%s, where GitHub reaches webhooks.listen. Give it with --url."

	textClock        = "This machine's clock is %s %s GitHub's. Set it (timedatectl set-ntp true): tokens and limits go by it."
	textProject      = "There is no open project %q in the repository or with its owner, or Mews's token does not see it."
	textProjectFails = "The project %q could not be looked for: %s"
)

func clockText(ahead time.Duration) string {
	side := "ahead of"
	if ahead < 0 {
		side = "behind"
	}
	return fmt.Sprintf(textClock, ahead.Abs().Round(time.Second), side)
}

func projectText(title string, err error) string {
	if err != nil {
		return fmt.Sprintf(textProjectFails, title, problem.UserText(err))
	}
	return fmt.Sprintf(textProject, title)
}
