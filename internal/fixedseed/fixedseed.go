// Package fixedseed makes property tests draw the same values in every run, so that a run does not
// fail by luck. Packages whose tests use rapid import it. `make properties` draws other values.
package fixedseed

import (
	"cmp"
	"flag"
	"os"

	_ "pgregory.net/rapid" // it defines the flag
)

// init changes the default of -rapid.seed to 1. MEWS_SEED is another default; 0 draws a seed.
func init() {
	if err := flag.Set("rapid.seed", cmp.Or(os.Getenv("MEWS_SEED"), "1")); err != nil {
		panic(err)
	}
}
