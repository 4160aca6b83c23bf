package doctor

import (
	"context"
	"fmt"
	"strings"

	"mews/protocol/amount"
	"mews/supervisor/app"
)

// examineServices names the services that are off, and counts the others.
func examineServices(_ context.Context, o Options) (string, error) {
	n := len(o.Config.Services)
	if n == 0 {
		return textNoServices, nil
	}
	if err := app.ValidateServices(o.Config); err != nil {
		return "", err
	}
	if hints := app.ServiceHints(o.Config); len(hints) > 0 {
		return "", &warning{strings.Join(hints, "\n")}
	}
	return fmt.Sprintf(textServices, amount.Plural(n, "service", "services")), nil
}
