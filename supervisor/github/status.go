package github

import (
	"context"
	"fmt"
	"strings"
	"time"

	"mews/protocol/amount"
	"mews/supervisor/github/setup"
	"mews/supervisor/internal/money"
	"mews/supervisor/internal/timezone"
	"mews/supervisor/printable"
)

// MethodStatus is the method for the status of repositories. It takes a RepoQuery and returns a
// Status.
const MethodStatus = "github.status"

// Status is the status of the served repositories.
type Status struct {
	Repos  []RepoStatus      `json:"repos"`
	Limits []setup.RateLimit `json:"limits,omitempty"`
	// text for users: how events arrive, and which events Mews never sees
	Way string `json:"way"`
}

// RepoStatus is the status of one repository. Deliveries are counted over a week. Amounts are in
// millionths of a US dollar.
type RepoStatus struct {
	Name     string    `json:"name"`
	User     string    `json:"user"`
	Way      string    `json:"way"` // how events of the repository arrive: webhook or polling
	Last     time.Time `json:"last,omitzero"`
	PolledAt time.Time `json:"looked,omitzero"` // time of the last poll
	// text about the lists that the last poll could not read; "" if it read all lists
	Failure string `json:"failure,omitempty"`
	Waiting int64  `json:"waiting"`
	Taken   int64  `json:"taken"`
	Ignored int64  `json:"ignored"`
	Failed  int64  `json:"failed"`
	Reviews int64  `json:"reviews"`
	Triages int64  `json:"triages"`
	Today   int64  `json:"today"`
	Day     int64  `json:"day,omitempty"` // limit of the cost in a day; 0 means no limit
}

// status returns the status of the repositories of a setup.
func (g *GitHub) status(ctx context.Context, in setup.Setup, q RepoQuery) (r Status, err error) {
	if err := oneRepo(&in, q.Repo); err != nil {
		return r, err
	}
	for _, repo := range in.Repos {
		zone := time.Local
		if u, known := g.o.Find(repo.User); known {
			zone = timezone.ForUser(u)
		}
		now := g.o.Now().In(zone)
		today := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, zone)
		at, err := g.o.Repositories.Status(ctx, repo.Name, today)
		if err != nil {
			return r, err
		}
		polled := g.watch.LastPoll(repo.Name)
		r.Repos = append(r.Repos, RepoStatus{
			Name: repo.Name, User: repo.User, Way: wayOf(in), Last: at.Last, PolledAt: polled.At,
			Failure: polled.Failure,
			Waiting: at.Waiting, Taken: at.Taken, Ignored: at.Ignored, Failed: at.Failed, Reviews: at.Reviews,
			Triages: at.Triages, Today: at.Cost, Day: repo.DailyLimit,
		})
	}
	r.Limits, r.Way = in.RateLimits(ctx), g.switches.Way
	return r, nil
}

func wayOf(in setup.Setup) string {
	if in.Listens {
		return "webhook"
	}
	return "polling"
}

// Text describes the status for users.
func (r Status) Text() string {
	var b strings.Builder
	for _, repo := range r.Repos {
		last := textNothingCame
		if !repo.Last.IsZero() {
			last = fmt.Sprintf(textLastCame, repo.Last.Local().Format("2006-01-02 15:04:05"))
		}
		fmt.Fprintf(&b, textRepoStatus, repo.Name, repo.User, repo.Way, last, repo.Taken, repo.Ignored, repo.Failed,
			repo.Waiting)
		fmt.Fprintf(&b, textRepoWork, amount.Plural(int(repo.Reviews), "review", "reviews"),
			amount.Plural(int(repo.Triages), "triage", "triages"), money.FormatDollars(repo.Today))
		if repo.Day > 0 {
			fmt.Fprintf(&b, textRepoDay, money.FormatDollars(repo.Day))
		}
		b.WriteString("\n")
		if !repo.PolledAt.IsZero() {
			polled := repo.PolledAt.Local().Format("2006-01-02 15:04:05")
			b.WriteString(strings.TrimRight(fmt.Sprintf(textRepoPolled, polled, printable.DropControls(repo.Failure)),
				" ") + "\n")
		}
	}
	for _, l := range r.Limits {
		fmt.Fprintf(&b, textLimitLeft, printable.DropControls(l.Name), l.Left, l.Most, l.Reset.Local().Format("15:04"))
	}
	return b.String() + r.Way + "\n"
}
