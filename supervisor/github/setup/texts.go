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

// Names of the services of Mews that do not work without a permission.
const (
	whyContents = "to read pull requests and their files, and to report pushes"
	whyPulls    = "to read pull requests"
	whyReview   = "to post reviews"
	whyIssues   = "to label and comment on issues, and to keep summaries up to date"
	whyChecks   = "to make check runs, as post: check requires"
)

// Lines about checks without a problem.
const (
	textLogin   = "GitHub knows Mews as %s"
	textLimit   = "GitHub's limit of %s: %d of %d left, until %s"
	textAllowed = "Mews has all permissions that the configuration needs"
	textHook    = "webhook %s sends %s"
)

// Problems and their solutions.
const (
	textLack       = "the permission %s is missing. Mews needs it %s. Grant it: %s"
	textArchived   = "The repository is archived: nothing can be posted there."
	textNoHook     = "No webhook calls %s. `mews github add %s --url https://YOUR.HOST/webhook/github` makes one. You can also make it on the repository's page Settings, Webhooks."
	textHookUnseen = "Mews may not see the repository's webhooks: that needs an admin's rights (webhooks: read and write). Check them on %s/%s/settings/hooks. Mews cannot ask for failed deliveries again."
	textHookOff    = "The webhook is off: switch on Active on its page."
	textHookForm   = "The webhook sends forms: set its content type to application/json on its page."
	textHookSecret = "The webhook has no secret, so all that it sends is refused: put github.webhook_secret into its page."
	textHookPlain  = "The webhook's address is plain http, so others can read what it sends. Use https."
	textHookEvents = "The webhook does not send %s, so Mews ignores these. Add them on its page."
	textNotTaken   = "The last delivery (%s, %s) failed: GitHub reports %q. Check that GitHub can reach that address, and that the secret is the same. Then run `mews github redeliver --failed`."
	textNoAddress  = "%q can't be a webhook's address: want https://YOUR.HOST%s, where GitHub reaches webhooks.listen. Give it with --url."

	textClock        = "This machine's clock is %s %s GitHub's. Set it (timedatectl set-ntp true): tokens and limits depend on it."
	textProject      = "There is no open project %q in the repository or with its owner, or Mews's token does not see it."
	textProjectFails = "The project %q could not be searched for: %s"
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
