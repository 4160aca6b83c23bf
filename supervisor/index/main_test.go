package index

import (
	"testing"

	"go.uber.org/goleak"

	"mews/supervisor/internal/engine/enginetest"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(
		enginetest.CheckQueryPlans(m, enginetest.Options{Package: "mews/supervisor/index", Fault: fault, Least: 40}),
	)
}
