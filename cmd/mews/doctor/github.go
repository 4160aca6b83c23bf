package doctor

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"mews/config"
	"mews/protocol/amount"
	"mews/supervisor/app"
)

// examineGitHub checks all that the configured repositories need. `mews github check` prints more
// details.
func examineGitHub(ctx context.Context, o Options) (string, error) {
	repos := len(o.Config.GitHub.Repos)
	if repos == 0 {
		return textNoGitHub, nil
	}
	current := func() *config.Config { return o.Config }
	client, err := app.NewGitHubClient(current, nil, time.Now)
	if err != nil {
		return "", err
	}
	bounded, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	setup := app.NewGitHubSetup(current, client)
	r := setup.Check(bounded)
	if wrong, notes := r.Sentences(); len(wrong) > 0 {
		return "", errors.New(strings.Join(wrong, "\n"))
	} else if len(notes) > 0 {
		return "", &warning{strings.Join(notes, "\n")}
	}
	way := textGitHubPolled
	if setup.Listens {
		way = textGitHubCalled
	}
	return fmt.Sprintf(textGitHub, r.Login, amount.Plural(repos, "repository", "repositories"), way), nil
}
