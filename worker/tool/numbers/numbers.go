// Package numbers is the family of tools that compare numbers exactly, sort and shuffle lists, and
// draw lots. A model does these badly by itself.
package numbers

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"mews/protocol"
	"mews/protocol/amount"
	"mews/worker"
)

const (
	family        = "numbers"
	maxItems      = 10_000
	maxListBytes  = 256 << 10
	maxFractional = 30 // digits after the point of a random number
)

var (
	compareSpec = worker.ToolSpec{
		Name: "compare_numbers", Family: family, Effect: protocol.EffectNone,
		Description: "Compare decimal numbers exactly: their order, the differences, which are equal.",
		Arguments: []worker.Argument{
			{Name: "numbers", Type: worker.StringListArgument, Description: "such as 9.11", Required: true},
		},
	}
	sortSpec = worker.ToolSpec{
		Name: "sort_list", Family: family, Effect: protocol.EffectNone,
		Description: "Sort a list, as numbers if all are.",
		Arguments: []worker.Argument{
			{Name: "items", Type: worker.StringListArgument, Required: true},
			{Name: "descending", Type: worker.BooleanArgument},
			{Name: "unique", Type: worker.BooleanArgument},
		},
	}
	shuffleSpec = worker.ToolSpec{
		Name: "shuffle_list", Family: family, Effect: protocol.EffectNone, Description: "Shuffle a list fairly.",
		Arguments: []worker.Argument{
			{Name: "items", Type: worker.StringListArgument, Required: true},
		},
	}
	choiceSpec = worker.ToolSpec{
		Name: "random_choice", Family: family, Effect: protocol.EffectNone,
		Description: "Draw lots: choose items of a list, each once.",
		Arguments: []worker.Argument{
			{Name: "items", Type: worker.StringListArgument, Required: true},
			{Name: "count", Type: worker.IntegerArgument, Description: "number of items, default 1"},
		},
	}
	randomSpec = worker.ToolSpec{
		Name: "random_number", Family: family, Effect: protocol.EffectNone,
		Description: "A random number from min to max, both possible. With decimals of min or max also such ones.",
		Arguments: []worker.Argument{
			{Name: "min", Type: worker.StringArgument, Description: "default 1"},
			{Name: "max", Type: worker.StringArgument, Required: true},
		},
	}
)

// Tools makes the tools. random is a source of random bytes that never fails and that several
// goroutines may read; nil means the system's.
func Tools(random io.Reader) []worker.Tool {
	if random == nil {
		random = rand.Reader
	}
	lots := &lots{random}
	return []worker.Tool{
		worker.DefineTool(compareSpec, compareArgs{}, compare),
		worker.DefineTool(choiceSpec, choiceArgs{Count: 1}, lots.choose),
		worker.DefineTool(randomSpec, randomArgs{Min: "1"}, lots.number),
		worker.DefineTool(shuffleSpec, itemsArgs{}, lots.shuffle),
		worker.DefineTool(sortSpec, sortArgs{}, sortList),
	}
}

type compareArgs struct {
	Numbers []text `json:"numbers"`
}

func compare(_ context.Context, _ worker.Call, args compareArgs) (worker.Result, error) {
	if len(args.Numbers) < 2 || len(args.Numbers) > maxItems {
		return worker.Result{}, fmt.Errorf("compare %s: want 2 to %s", amount.Plural(len(args.Numbers), "number",
			"numbers"),
			amount.FormatNumber(maxItems))
	}
	var list []decimal
	for _, n := range args.Numbers {
		d, err := parseDecimal(string(n))
		if err != nil {
			return worker.Result{}, fmt.Errorf("compare numbers: %w", err)
		}
		list = append(list, d)
	}
	if len(list) == 2 {
		return result(list[0].compare(list[1])), nil
	}
	slices.SortStableFunc(list, func(a, b decimal) int { return a.value.Cmp(b.value) })
	var b strings.Builder
	b.WriteString(list[0].text)
	for n, d := range list[1:] {
		sign := " < "
		if d.value.Cmp(list[n].value) == 0 {
			sign = " = "
		}
		b.WriteString(sign + d.text)
	}
	first, last := list[0], list[len(list)-1]
	fmt.Fprintf(&b, "\nThe least is %s, the greatest %s; the difference is %s.", first.text, last.text,
		last.minus(first))
	return result(b.String()), nil
}

// result makes a result of one short text.
func result(text string) worker.Result {
	first, _, more := strings.Cut(text, "\n")
	const most = 40
	if len(first) > most || more {
		return worker.Result{Text: text}
	}
	return worker.Result{Text: text, Brief: first}
}

type itemsArgs struct {
	Items []text `json:"items"`
}

// check refuses an empty list, and one too long for an answer.
func (a itemsArgs) check(verb string) ([]string, error) {
	size := 0
	items := make([]string, len(a.Items))
	for i, item := range a.Items {
		items[i], size = string(item), size+len(item)
	}
	switch {
	case len(items) == 0:
		return nil, fmt.Errorf("%s: there are no items", verb)
	case len(items) > maxItems || size > maxListBytes:
		return nil, fmt.Errorf("%s: %s in %s, and at most %s in %s can be; use run_python", verb,
			amount.Plural(len(items), "item", "items"),
			amount.FormatBytes(int64(size)), amount.FormatNumber(maxItems), amount.FormatBytes(maxListBytes))
	}
	return items, nil
}

// lines returns the items on lines of their own, and their number.
func lines(items []string) worker.Result {
	return worker.Result{Text: strings.Join(items, "\n"), Brief: amount.Plural(len(items), "item", "items")}
}

type sortArgs struct {
	itemsArgs
	Descending bool `json:"descending"`
	Unique     bool `json:"unique"`
}

func sortList(_ context.Context, _ worker.Call, args sortArgs) (worker.Result, error) {
	items, err := args.check("sort a list")
	if err != nil {
		return worker.Result{}, err
	}
	compare := compareTexts
	if order := numericOrder(items); order != nil {
		compare = func(a, b string) int { return order[a].Cmp(order[b]) }
	}
	slices.SortStableFunc(items, func(a, b string) int {
		if args.Descending {
			a, b = b, a
		}
		return compare(a, b)
	})
	if args.Unique {
		items = slices.Compact(items)
	}
	return lines(items), nil
}

// numericOrder returns the values of the items, or nil unless all are numbers.
func numericOrder(items []string) map[string]*big.Rat {
	order := map[string]*big.Rat{}
	for _, item := range items {
		d, err := parseDecimal(item)
		if err != nil {
			return nil
		}
		order[item] = d.value
	}
	return order
}

// compareTexts orders texts like a dictionary: first without case and accents.
func compareTexts(a, b string) int {
	if c := strings.Compare(plain(a), plain(b)); c != 0 {
		return c
	}
	return strings.Compare(a, b)
}

// plain returns a text in lower case without accents.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= 0x300 && r < 0x370 { // the accents, apart from their letters in NFD
			return -1
		}
		return r
	}, norm.NFD.String(strings.ToLower(text)))
}

// lots draws lots.
type lots struct{ random io.Reader }

// below returns a number from 0 to n-1. All are equally likely.
func (l *lots) below(n int) int {
	i, err := rand.Int(l.random, big.NewInt(int64(n)))
	if err != nil {
		panic(err) // the system's source never fails
	}
	return int(i.Int64())
}

// mix draws the first n items at random from all items.
func (l *lots) mix(items []string, n int) {
	for i := range n {
		j := i + l.below(len(items)-i)
		items[i], items[j] = items[j], items[i]
	}
}

func (l *lots) shuffle(_ context.Context, _ worker.Call, args itemsArgs) (worker.Result, error) {
	items, err := args.check("shuffle a list")
	l.mix(items, len(items))
	return lines(items), err
}

type choiceArgs struct {
	itemsArgs
	Count int `json:"count"`
}

func (l *lots) choose(_ context.Context, _ worker.Call, args choiceArgs) (worker.Result, error) {
	items, err := args.check("choose")
	if err != nil {
		return worker.Result{}, err
	}
	if args.Count < 1 || args.Count > len(items) {
		return worker.Result{}, fmt.Errorf("choose %d of %s: want 1 to %d", args.Count, amount.Plural(len(items),
			"item", "items"), len(items))
	}
	l.mix(items, args.Count)
	return lines(items[:args.Count]), nil
}

type randomArgs struct {
	Min text `json:"min"`
	Max text `json:"max"`
}

func (l *lots) number(_ context.Context, _ worker.Call, args randomArgs) (worker.Result, error) {
	low, err := parseDecimal(string(args.Min))
	if err != nil {
		return worker.Result{}, fmt.Errorf("min: %w", err)
	}
	high, err := parseDecimal(string(args.Max))
	if err != nil {
		return worker.Result{}, fmt.Errorf("max: %w", err)
	}
	digits := max(low.digits, high.digits)
	switch {
	case low.value.Cmp(high.value) > 0:
		return worker.Result{}, fmt.Errorf("a random number from %s to %s: min is greater than max", low.text,
			high.text)
	case digits > maxFractional:
		return worker.Result{}, fmt.Errorf("a random number with %d decimals: at most %d can be", digits, maxFractional)
	}
	first, last := low.scaled(digits), high.scaled(digits)
	n, err := rand.Int(l.random, new(big.Int).Add(new(big.Int).Sub(last, first), big.NewInt(1)))
	if err != nil {
		return worker.Result{}, errors.New("there are no random numbers now")
	}
	n.Add(n, first)
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(digits)), nil)
	return result(new(big.Rat).SetFrac(n, power).FloatString(digits)), nil
}
