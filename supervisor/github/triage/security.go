package triage

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"mews/supervisor"
	"mews/supervisor/github/finding"
)

// securityWords matches words that people use to report a security hole. Some of these words are
// also common in other reports. A private message about such a report does little harm.
var securityWords = regexp.MustCompile(`(?i)` + strings.Join([]string{
	`\bCVE-\d{4}-\d{3,}`, `\bGHSA(-[0-9a-z]{4}){3}\b`, `\bvulnerab(le|ilit(y|ies))\b`, `\b(zero|0)[- ]?day\b`,
	`\bsecurity[- ](issue|bug|hole|flaw|problem|report|advisory|disclosure|risk|defect)s?\b`,
	`\b(responsible|coordinated) disclosure\b`, `\bexploit(s|ed|able|ation|ing)?\b`,
	`\b(remote|arbitrary) (code|command) execution\b`, `\bRCE\b`, `\bXSS\b`, `\bcross[- ]site\b`, `\bCSRF\b`,
	`\bSSRF\b`, `\bXXE\b`, `\bserver[- ]side request forgery\b`,
	`\b(SQL|command|code|shell|header|template|LDAP|XML|prompt) injection\b`, `\b(path|directory) traversal\b`,
	`\bzip slip\b`,
	`\b(auth(entication|orization)?|login|permission|access control)s? (can be |is |are )?bypass(ed)?\b`,
	`\bbypass(es|ed|ing)? (the )?(auth|login|permission|access control)`,
	`\bprivilege escalation\b`, `\bescalat\w+ (of )?privileges?\b`, `\bsandbox escape\b`,
	`\b(buffer|heap|stack) overflow\b`, `\buse[- ]after[- ]free\b`,
	`\b(leak|expos|disclos)\w*( [\w'’]+){0,4} ` + secretWords + `\b`,
	`\b` + secretWords + `( \w+){0,3} (leak|expos|disclos)\w*`,
	`\bSicherheitsl(ü|ue)cken?\b`, `\bSchwachstellen?\b`, `vulnérabilit`, `\bvulnerabilidad`,
	`\bfaille de sécurité\b`, `\bagujero de seguridad\b`,
}, "|"))

const secretWords = `(secret|token|password|credential|session|private key|api key)s?`

// IsSecurityReport reports whether an issue's words suggest that it reports a security hole.
func IsSecurityReport(title, text string) bool {
	return securityWords.MatchString(finding.VisibleMarkdown(title + "\n" + text))
}

// tellPrivately ends the triage of a security report, and writes nothing on GitHub. It tells the
// users who may write in the repository. The repository's user gets the card.
func (t *Triages) tellPrivately(ctx context.Context, w supervisor.IssueTriage, repo supervisor.GitHubRepo,
	r *result) error {
	writers, err := t.o.Writers(ctx, repo)
	if err != nil {
		return err
	}
	var notices []supervisor.Delivery
	text := securityText(w, *r)
	for _, u := range writers {
		if u.Name != w.User {
			r.Told = append(r.Told, u.Name)
			notices = append(notices, supervisor.Delivery{Conversation: u.PrivateChat(), Text: text})
		}
	}
	w.Report = r.encode()
	queued, err := t.o.Store.UpdateWithNotices(ctx, w, notices)
	for _, d := range queued {
		t.o.Queued(d.Conversation.ID)
	}
	return err
}

// securityText returns the message about a security report.
func securityText(w supervisor.IssueTriage, r result) string {
	text := []string{fmt.Sprintf(textSecurity, fmt.Sprintf("%s#%d", w.Repo, w.Number)),
		finding.HarmlessMarkdown(r.Title, maxTitle), ""}
	text = append(text, lines(r, finding.HarmlessMarkdown(r.Triage.Summary, maxSummary))...)
	return strings.Join(append(text, writtenText(w, r)+textSecurityHint, "", r.URL), "\n")
}

// writtenText tells what earlier triages have written on GitHub about an issue that now looks like
// a security report.
func writtenText(w supervisor.IssueTriage, r result) string {
	var written []string
	if len(r.Labels) > 0 {
		written = append(written, fmt.Sprintf(textWrittenLabels, "`"+strings.Join(r.Labels, "`, `")+"`"))
	}
	if w.Comment != 0 {
		written = append(written, fmt.Sprintf(textWrittenComment, fmt.Sprintf("%s#issuecomment-%d", r.URL, w.Comment)))
	}
	if len(written) == 0 {
		return textNothingWritten
	}
	return fmt.Sprintf(textWrittenBefore, strings.Join(written, ", "))
}
