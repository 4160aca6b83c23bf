package github

import (
	"context"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"mews/supervisor"
	"mews/supervisor/github/setup"
	"mews/supervisor/printable"
)

// MethodMutes is the method with which admins list and change mutes. It takes a MuteRequest and
// returns a MuteList.
const MethodMutes = "github.quiet"

// MuteRequest has the parameters of MethodMutes. It always lists the mutes, and may change one
// first.
type MuteRequest struct {
	Repo string `json:"repo,omitempty"` // owner/name; "" means all repositories
	// At most one of Pull, Label and Remove is set. If none is set, nothing changes.
	Pull   *int    `json:"pull,omitempty"`   // number of a pull request of Repo to mute
	Label  *string `json:"label,omitempty"`  // label of Repo to mute: pull requests with the label get no review
	Remove *int64  `json:"remove,omitempty"` // number of the mute to remove
}

// MuteList lists the muted findings, pull requests and labels.
type MuteList struct {
	Mutes []Mute `json:"mutes"`
}

// Mute is a muted finding, pull request or label.
type Mute struct {
	ID   int64               `json:"id"`
	Repo string              `json:"repo"`
	Kind supervisor.MuteKind `json:"kind"`
	Of   string              `json:"of"` // a finding's fingerprint, a pull request's number, or a label
	Why  string              `json:"why,omitempty"`
	By   string              `json:"by,omitempty"`
	At   time.Time           `json:"at"`

	// Title, Path and Pull describe a finding. They are "" and 0 if an older version of Mews muted
	// it.
	Title string `json:"title,omitempty"`
	Path  string `json:"path,omitempty"`
	Pull  int    `json:"pull,omitempty"` // the pull request in which the finding was muted
}

// quiet changes the mutes and lists them.
func (g *GitHub) quiet(ctx context.Context, in setup.Setup, q MuteRequest) (r MuteList, err error) {
	r.Mutes = []Mute{}
	if err := oneRepo(&in, q.Repo); err != nil {
		return r, err
	}
	if err := g.changeMutes(ctx, in.Repos, q); err != nil {
		return r, err
	}
	for _, repo := range in.Repos {
		list, err := g.o.Reviews.ListMutes(ctx, repo.User, repo.Name)
		if err != nil {
			return r, err
		}
		for _, m := range list {
			r.Mutes = append(r.Mutes,
				Mute{ID: m.ID, Repo: m.Repo, Kind: m.Kind, Of: m.Subject, Why: m.Why, By: m.By, At: m.At,
					Title: m.Title, Path: m.Path, Pull: m.Number})
		}
	}
	return r, nil
}

// changeMutes adds or removes a mute.
func (g *GitHub) changeMutes(ctx context.Context, repos []supervisor.GitHubRepo, q MuteRequest) error {
	store := g.o.Reviews
	kind, subject, changes := supervisor.MuteKindLabel, "", 0
	for _, given := range []bool{q.Pull != nil, q.Label != nil, q.Remove != nil} {
		if given {
			changes++
		}
	}
	switch {
	case changes > 1:
		return supervisor.Errorf(supervisor.CodeInvalid, textQuietOne)
	case q.Pull != nil && *q.Pull <= 0:
		return supervisor.Errorf(supervisor.CodeInvalid, textQuietPull, *q.Pull)
	case q.Label != nil && strings.TrimSpace(*q.Label) == "":
		return supervisor.Errorf(supervisor.CodeInvalid, textQuietLabel)
	case q.Pull != nil:
		kind, subject = supervisor.MuteKindPullRequest, fmt.Sprint(*q.Pull)
	case q.Label != nil:
		subject = strings.TrimSpace(*q.Label)
	}
	if subject != "" && q.Repo == "" {
		return supervisor.Errorf(supervisor.CodeInvalid, textQuietWhere)
	}
	if subject != "" {
		_, err := store.AddMute(ctx, supervisor.ReviewMute{
			User: repos[0].User, Repo: repos[0].Name, Kind: kind, Subject: subject, By: textByAdmin,
		})
		return err
	}
	if q.Remove == nil {
		return nil
	}
	for _, repo := range repos {
		if done, err := store.RemoveMute(ctx, repo.User, *q.Remove); done || err != nil {
			return err
		}
	}
	return supervisor.Errorf(supervisor.CodeNotFound, textNoMute, *q.Remove)
}

// Text describes the mutes for an admin.
func (r MuteList) Text() string {
	if len(r.Mutes) == 0 {
		return textNoMutes
	}
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprint(t, textMutesHead)
	for _, m := range r.Mutes {
		fmt.Fprintf(t, "%d\t%s\t%s\t%s\t%s\t%s\t%s\n", m.ID, m.Repo, m.Kind, cell(m.subject()), cell(m.By),
			m.At.Local().Format("2006-01-02 15:04"), cell(m.Why))
	}
	t.Flush()
	return b.String()
}

// subject names what is muted: a finding by its title, file and pull request.
func (m Mute) subject() string {
	if m.Title == "" {
		return m.Of
	}
	return fmt.Sprintf(textMutedFinding, m.Title, m.Path, m.Pull)
}

// cell returns a foreign text that is safe in a cell of a Markdown table.
func cell(text string) string {
	if text = printable.DropControls(strings.Join(strings.Fields(text), " ")); text == "" {
		return "-"
	}
	return text
}
