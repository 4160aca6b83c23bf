package logging

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

func TestNew_Durations_AreReadable(t *testing.T) {
	var out bytes.Buffer
	log := New("info", true, &out)
	log.Named("part").With("every", time.Minute).Warn("tries", "again_in", 1500*time.Millisecond)
	for _, want := range []string{`"every":"1m0s"`, `"again_in":"1.5s"`, `"@module":"mews.part"`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the log has no %s: %s", want, &out)
		}
	}
}
