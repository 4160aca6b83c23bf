package numbers_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mews/worker"
	"mews/worker/tool/numbers"
)

// run calls a tool whose random bytes come from a fixed seed.
func run(t *testing.T, name, arguments string) (worker.Result, error) {
	t.Helper()
	for _, tool := range numbers.Tools(rand.NewChaCha8([32]byte{1})) {
		if tool.Name == name {
			return tool.Run(t.Context(), worker.Call{Arguments: json.RawMessage(arguments)})
		}
	}
	t.Fatalf("there is no %s", name)
	return worker.Result{}, nil
}

func TestTools_Arguments_GiveTexts(t *testing.T) {
	for _, c := range []struct{ tool, arguments, want string }{
		{"compare_numbers", `{"numbers":["9.11","9.9"]}`, "9.11 < 9.9, by 0.79"},
		{"compare_numbers", `{"numbers":[9.9,9.11]}`, "9.9 > 9.11, by 0.79"},
		{"compare_numbers", `{"numbers":["1.50","1.5"]}`, "1.50 = 1.5"},
		{"compare_numbers", `{"numbers":["0.1","1e-1"]}`, "0.1 = 1e-1"},
		{"compare_numbers", `{"numbers":["9007199254740993","9007199254740992"]}`,
			"9007199254740993 > 9007199254740992, by 1"},
		{"compare_numbers", `{"numbers":["-2","−3"]}`, "-2 > -3, by 1"},
		{"compare_numbers", `{"numbers":["3","1.0",1]}`,
			"1.0 = 1 < 3\nThe least is 1.0, the greatest 3; the difference is 2.0."},
		{"sort_list", `{"items":["10","9","8.5",-1]}`, "-1\n8.5\n9\n10"},
		{"sort_list", `{"items":["b","Ä","a","Z","ö","a"],"unique":true}`, "a\nÄ\nb\nö\nZ"},
		{"sort_list", `{"items":["2","10","x"],"descending":true}`, "x\n2\n10"},
		{"random_choice", `{"items":["only"]}`, "only"},
		{"random_number", `{"min":7,"max":"7"}`, "7"},
	} {
		if r, err := run(t, c.tool, c.arguments); err != nil || r.Text != c.want {
			t.Errorf("%s %s: got %q, %v, want %q", c.tool, c.arguments, r.Text, err, c.want)
		}
	}
}

func TestTools_BadArguments_AreRefused(t *testing.T) {
	for _, c := range []struct{ tool, arguments, want string }{
		{"compare_numbers", `{"numbers":["1"]}`, "want 2"},
		{"compare_numbers", `{"numbers":["1,5","2"]}`, `"1,5" is no decimal number`},
		{"compare_numbers", `{"numbers":["1e99999","2"]}`, "no decimal number"},
		{"compare_numbers", `{"numbers":["1e1001","2"]}`, "exponent"},
		{"compare_numbers", `{"numbers":["","2"]}`, "no decimal number"},
		{"compare_numbers", `{"numbers":[".","2"]}`, "no decimal number"},
		{"compare_numbers", `{"numbers":["1/3","2"]}`, "no decimal number"},
		{"compare_numbers", `{"numbers":["` + strings.Repeat("9", 1001) + `","2"]}`, "1001 characters"},
		{"sort_list", `{"items":[]}`, "no items"},
		{"shuffle_list", `{"items":[]}`, "no items"},
		{"shuffle_list", `{"items":["` + strings.Repeat("x", 300<<10) + `"]}`, "at most"},
		{"random_choice", `{"items":["a","b"],"count":3}`, "choose 3 of 2 items"},
		{"random_choice", `{"items":["a","b"],"count":0}`, "choose 0 of 2 items"},
		{"random_number", `{"min":"5","max":"4"}`, "min is greater"},
		{"random_number", `{"max":"1e-40"}`, "min is greater"},
		{"random_number", `{"min":"0","max":"1e-40"}`, "decimals"},
		{"random_number", `{}`, "max"},
	} {
		if _, err := run(t, c.tool, c.arguments); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %.80s: got %v, want %q", c.tool, c.arguments, err, c.want)
		}
	}
}

// Each order of three items and each number must come equally often. With the fixed seed the counts
// are always the same.
func TestLots_ManyDraws_AreFair(t *testing.T) {
	shuffled, drawn, chosen := map[string]int{}, map[string]int{}, map[string]int{}
	tools := map[string]worker.Tool{}
	for _, tool := range numbers.Tools(rand.NewChaCha8([32]byte{2})) {
		tools[tool.Name] = tool
	}
	draw := func(name, arguments string, counts map[string]int) {
		r, err := tools[name].Run(t.Context(), worker.Call{Arguments: json.RawMessage(arguments)})
		if err != nil {
			t.Fatal(err)
		}
		counts[r.Text]++
	}
	const draws = 6000
	for range draws {
		draw("shuffle_list", `{"items":["a","b","c"]}`, shuffled)
		draw("random_number", `{"min":"-0.2","max":"0.3"}`, drawn)
		draw("random_choice", `{"items":["a","b","c"],"count":2}`, chosen)
	}
	for name, counts := range map[string]map[string]int{"shuffle": shuffled, "number": drawn, "choice": chosen} {
		if len(counts) != 6 {
			t.Errorf("%s: %v", name, counts)
		}
		for what, n := range counts {
			if n < draws/6-150 || n > draws/6+150 {
				t.Errorf("%s %q came %d times of %d", name, what, n, draws)
			}
		}
	}
	if _, ok := drawn["-0.1"]; !ok {
		t.Error(drawn)
	}
}

func TestShuffle_LongList_KeepsItems(t *testing.T) {
	var items []string
	for n := range 1000 {
		items = append(items, fmt.Sprint(n))
	}
	arguments, _ := json.Marshal(map[string]any{"items": items})
	r, err := run(t, "shuffle_list", string(arguments))
	got := strings.Split(r.Text, "\n")
	if err != nil || slices.Equal(got, items) {
		t.Fatal(err, got[:5])
	}
	slices.Sort(got)
	slices.Sort(items)
	if !slices.Equal(got, items) {
		t.Error("items were lost")
	}
}
