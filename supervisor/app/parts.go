package app

import (
	"context"
	"errors"
	"fmt"
)

// part is something that runs for as long as the service does.
type part struct {
	name string
	run  func(context.Context) error
}

// runParts starts the parts in order, and waits until ctx ends or a part ends. Then it stops the
// parts one by one in the reverse order, because later parts use earlier ones. It returns the
// errors of all parts. A part that ends too early is an error, too.
func runParts(ctx context.Context, parts []part, started func()) error {
	return openAndRunParts(ctx, parts, nil, started)
}

// openAndRunParts is like runParts. It calls opens after the first part has started and before all
// others; nil means no call. If opens fails, no further part starts.
func openAndRunParts(ctx context.Context, parts []part, opens func(context.Context) error, started func()) error {
	type running struct {
		part
		stop  context.CancelFunc
		ended chan error
	}
	first := make(chan string, len(parts))
	var all []running
	var errs []error
	for i, p := range parts {
		own, stop := context.WithCancel(context.WithoutCancel(ctx))
		r := running{part: p, stop: stop, ended: make(chan error, 1)}
		all = append(all, r)
		go func() { // the loop below waits for this goroutine
			r.ended <- p.run(own)
			first <- p.name
		}()
		if i > 0 || opens == nil {
			continue
		}
		if err := opens(ctx); err != nil {
			errs = append(errs, err)
			break
		}
	}
	early := ""
	if errs == nil {
		started()
		select {
		case <-ctx.Done():
		case early = <-first:
		}
	}
	for i := len(all) - 1; i >= 0; i-- {
		all[i].stop()
		if err := <-all[i].ended; err != nil && !errors.Is(err, context.Canceled) {
			errs = append(errs, fmt.Errorf("%s: %w", all[i].name, err))
		}
	}
	if early != "" && len(errs) == 0 {
		return fmt.Errorf("%s: ended by itself", early)
	}
	return errors.Join(errs...)
}
