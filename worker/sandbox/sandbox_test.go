package sandbox

import (
	"slices"
	"strings"
	"testing"
)

func TestNoWallsAreClaimedThatAreNotThere(t *testing.T) {
	tier, sentence := Detect()
	if tier != TierOff {
		t.Errorf("tier %q: Stage builds no walls", tier)
	}
	if !strings.Contains(sentence, "no walls") {
		t.Errorf("it is not said that there are no walls: %s", sentence)
	}
}

func TestStageBuildsTheEnvironmentFromNothing(t *testing.T) {
	t.Setenv("MEWS_SECRET", "not for workers")
	c, err := Stage(Request{Worker: "/bin/true", Home: "/srv/alice", Dir: "/proc/self/fd/9", Profile: ProfileWorker})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8", "HOME=/srv/alice"}
	if !slices.Equal(c.Env, want) {
		t.Errorf("environment %q, want %q", c.Env, want)
	}
	if c.Path != "/bin/true" || c.Dir != "/proc/self/fd/9" || !slices.Equal(c.Argv, []string{"/bin/true"}) {
		t.Errorf("it would execute %+v", c)
	}
	if !c.Attr.Setsid {
		t.Error("a worker would share the spawner's session")
	}
}

func TestStageRefusesAProfileItDoesNotKnow(t *testing.T) {
	for _, profile := range []Profile{"", "review", "Worker"} {
		if _, err := Stage(Request{Worker: "/bin/true", Profile: profile}); err == nil {
			t.Errorf("profile %q was taken", profile)
		}
	}
}
