package notice

import "fmt"

// alertKinds has the words for GitHub's alerts, by event.
var alertKinds = map[string]string{
	"dependabot_alert":      textDependabotAlert,
	"code_scanning_alert":   textCodeAlert,
	"secret_scanning_alert": textSecretAlert,
	"repository_advisory":   textAdvisory,
}

// alertActions has the words for the actions on alerts that cause a notice.
var alertActions = map[string]string{
	"created": textAlertNew, "appeared_in_branch": textAlertNew, "publicly_leaked": textAlertLeaked,
	"reintroduced": textReopened, "reopened": textReopened, "reopened_by_user": textReopened,
	"auto_reopened": textReopened,
	"fixed":         textAlertFixed, "resolved": textAlertFixed,
	"dismissed": textAlertClosed, "auto_dismissed": textAlertClosed, "closed_by_user": textAlertClosed,
	"reported": textAlertReported,
}

// IsAlert reports whether an event is a security alert or a private security report. Only users who
// may write in the repository are told of it.
func IsAlert(e event) bool { return alertKinds[e.Event] != "" }

// alertKey returns a key for each alert.
func alertKey(e event) string { return fmt.Sprintf("alert/%s/%d%s", e.Event, e.Number, e.Ref) }

// alertText returns the text about an alert. It quotes no code and no secret.
func alertText(all []event) []string {
	last := all[len(all)-1]
	what := fmt.Sprintf(textAlert, alertKinds[last.Event], actions(all,
		func(e event) string { return alertActions[e.Action] }), code(last.Repo))
	if last.State != "" {
		what += fmt.Sprintf(textSeverity, code(last.State))
	}
	about := ""
	if last.Ref != "" {
		about = code(last.Ref)
	}
	return []string{lines(what, titled(last.Title, last.URL), about)}
}
