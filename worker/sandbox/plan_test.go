package sandbox

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	_ "mews/internal/fixedseed"
)

// word is any text that is valid in an environment.
func word() *rapid.Generator[string] {
	return rapid.Map(rapid.SliceOf(rapid.ByteRange(1, 255)), func(b []byte) string { return string(b) })
}

func name() *rapid.Generator[string] {
	return rapid.Map(word(), func(s string) string { return "w" + strings.ReplaceAll(s, "/", "-") })
}

func bind() *rapid.Generator[BindMount] {
	return rapid.Custom(func(t *rapid.T) BindMount {
		return BindMount{
			Name: name().Draw(t, "name"), Root: "/" + word().Draw(t, "root"), Path: word().Draw(t, "path"),
			Device: rapid.Uint64().Draw(t, "device"), Inode: rapid.Uint64().Draw(t, "inode"),
			Writable: rapid.Bool().Draw(t, "writable"),
		}
	})
}

func plan() *rapid.Generator[Plan] {
	return rapid.Custom(func(t *rapid.T) Plan {
		return Plan{
			Tier:    rapid.SampledFrom(tierOrder).Draw(t, "tier"),
			Profile: rapid.SampledFrom([]Profile{ProfileWorker, ProfileReview}).Draw(t, "profile"),
			Worker:  "/" + word().Draw(t, "worker"),
			Home:    bind().Draw(t, "home"),
			History: BindMount{Root: "/" + word().Draw(t, "histories"), Path: word().Draw(t, "history"),
				Mount: rapid.SampledFrom([]int{0, historyFD}).Draw(t, "history mount"),
				Inode: rapid.Uint64().Draw(t, "history inode")},
			Binds: rapid.SliceOfN(bind(), 0, 12).Draw(t, "binds"),
			Limits: Limits{
				Memory: rapid.Int64Min(0).Draw(t, "memory"), Tmp: rapid.Int64Min(0).Draw(t, "tmp"),
				File: rapid.Int64Min(0).Draw(t, "file"), PIDs: rapid.IntMin(0).Draw(t, "pids"), Shared: rapid.Bool().Draw(t, "shared"),
			},
			UID: rapid.IntMin(1).Draw(t, "uid"), GID: rapid.IntMin(1).Draw(t, "gid"), Probe: rapid.Bool().Draw(t, "probe"),
		}
	})
}

// TestPlan_EnvironmentInAnyOrder_IsRead: stage one reads the spawner's plan from an environment in
// any order.
func TestPlan_EnvironmentInAnyOrder_IsRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := plan().Draw(t, "plan")
		if p.hasNoFolders() {
			p.Home, p.Binds = BindMount{}, nil
		}
		if p.hasNoFolders() || !p.Tier.AtLeast(TierLandlock) || rapid.Bool().Draw(t, "no history") {
			p.History = BindMount{}
		}
		if len(p.Binds) == 0 {
			p.Binds = nil
		}
		env := rapid.Permutation(p.Environ()).Draw(t, "environment")
		got, err := readPlan(env)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(p, got); diff != "" {
			t.Fatal(diff)
		}
		lost := rapid.IntRange(0, len(env)-1).Draw(t, "lost")
		if _, err := readPlan(slices.Delete(slices.Clone(env), lost, lost+1)); err == nil && !strings.Contains(env[lost], "BIND") {
			t.Fatalf("it is read without %s", env[lost])
		}
		if _, err := readPlan(append(slices.Clone(env), env[lost])); err == nil {
			t.Fatalf("it is read with %s twice", env[lost])
		}
		if _, err := readPlan(append(slices.Clone(env), "LD_PRELOAD=/tmp/x.so")); err == nil {
			t.Fatal("it is read with what is of no plan")
		}
	})
}

func FuzzReadPlan(f *testing.F) {
	good := Plan{Tier: TierNamespaces, Profile: ProfileWorker, Worker: "/w", Home: BindMount{Root: "/h", Path: "a"},
		UID: -1, GID: -1, History: BindMount{Root: "/h", Path: "a.history", Mount: historyFD},
		Binds: []BindMount{{Name: "code", Root: "/srv", Path: "code", Device: 1, Inode: 2, Writable: true}}}
	f.Add(strings.Join(good.Environ(), "\n"))
	f.Add("MEWS_PLAN_HOME=`a` \"\" \"\" 1 2 true\nMEWS_PLAN_BIND0=")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := readPlan(strings.Split(text, "\n"))
		if err != nil {
			return
		}
		again, err := readPlan(p.Environ())
		if diff := cmp.Diff(p, again); err != nil || diff != "" {
			t.Fatal(err, diff)
		}
	})
}

func TestReadPlan_BadPlan_IsRefused(t *testing.T) {
	good := func() Plan {
		return Plan{Tier: TierNamespaces, Profile: ProfileWorker, Worker: "/w", Home: BindMount{Root: "/h"}, UID: 1000,
			GID: 1000}
	}
	if err := good().check(); err != nil {
		t.Fatal(err)
	}
	seen := func(b BindMount) func(*Plan) { return func(p *Plan) { p.Binds = []BindMount{b} } }
	for why, spoil := range map[string]func(*Plan){
		"tier":         func(p *Plan) { p.Tier = "best" },
		"no tier":      func(p *Plan) { p.Tier = "" },
		"profile":      func(p *Plan) { p.Profile = "any" },
		"tool":         func(p *Plan) { p.Profile = ProfileTool },
		"program":      func(p *Plan) { p.Worker = "" },
		"root":         func(p *Plan) { p.UID = 0 },
		"root's group": func(p *Plan) { p.GID = 0 },
		"memory":       func(p *Plan) { p.Limits.Memory = -1 },
		"pids":         func(p *Plan) { p.Limits.PIDs = -1 },
		"file":         func(p *Plan) { p.Limits.File = -1 },
		"tmp":          func(p *Plan) { p.Limits.Tmp = -1 },
		"home":         func(p *Plan) { p.Home.Root = "h" },
		"reads a home": func(p *Plan) { p.Profile = ProfileReview },
		"reads a folder": func(p *Plan) {
			p.Profile, p.Home, p.Binds = ProfileReview, BindMount{}, []BindMount{{Name: "a", Root: "/srv"}}
		},
		"history of a review": func(p *Plan) {
			p.Profile, p.Home, p.History = ProfileReview, BindMount{}, BindMount{Root: "/h", Path: "a.history"}
		},
		"history without walls":   func(p *Plan) { p.Tier, p.History = TierOff, BindMount{Root: "/h", Path: "a"} },
		"history at a descriptor": func(p *Plan) { p.History = BindMount{Root: "/h", Path: "a.history", Mount: 3} },
		"relative history":        func(p *Plan) { p.History = BindMount{Root: "h", Path: "a.history"} },
		"relative":                seen(BindMount{Name: "a", Root: "srv"}),
		"slash":                   seen(BindMount{Name: "a/b", Root: "/srv"}),
		"up":                      seen(BindMount{Name: "..", Root: "/srv"}),
		"here":                    seen(BindMount{Name: ".", Root: "/srv"}),
		"all":                     seen(BindMount{Name: "/", Root: "/srv"}),
		"the host's":              seen(BindMount{Root: "/srv", Writable: true}),
		"hides the home":          seen(BindMount{Root: "/", Path: "home"}),
		"hides /etc":              seen(BindMount{Root: "/etc/", Path: "."}),
		"hides all":               seen(BindMount{Root: "/"}),
	} {
		p := good()
		spoil(&p)
		if err := p.check(); err == nil {
			t.Errorf("%s: it is not refused", why)
		}
	}
}

func TestAtLeast_Tiers_FollowTheirOrder(t *testing.T) {
	for i, tier := range tierOrder {
		for j, least := range tierOrder {
			if tier.AtLeast(least) != (i >= j) {
				t.Errorf("%s at least %s: %t", tier, least, tier.AtLeast(least))
			}
		}
	}
	if Tier("best").IsValid() || Tier("").AtLeast(TierOff) {
		t.Error("a tier that is none counts as one")
	}
}
