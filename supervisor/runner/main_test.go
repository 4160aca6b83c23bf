package runner

import (
	"testing"

	"mews/supervisor/app/apptest"
)

func TestMain(m *testing.M) { apptest.Main(m) }
