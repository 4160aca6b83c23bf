package review

import (
	"fmt"
	"testing"
)

func TestParseFindings_WrongTypes_AreReadOrDropped(t *testing.T) {
	for fields, want := range map[string]string{
		`"line":"2"`:                     "R0-2 suggestion 0.0",
		`"line":"R12"`:                   "R0-12 suggestion 0.0",
		`"line":12.0`:                    "R0-12 suggestion 0.0",
		`"line":"12.0"`:                  "R0-12 suggestion 0.0",
		`"line":"10-12"`:                 "R10-12 suggestion 0.0",
		`"line":"L10-L12","side":"left"`: "L10-12 suggestion 0.0",
		`"line":[10,12]`:                 "R10-12 suggestion 0.0",
		`"line":[12]`:                    "R0-12 suggestion 0.0",
		`"line":12,"start":"10"`:         "R10-12 suggestion 0.0",
		`"line":"10-12","start":11`:      "R11-12 suggestion 0.0",
		`"line":12,"start":null`:         "R0-12 suggestion 0.0",
		`"line":"two"`:                   "R0-0 suggestion 0.0",
		`"line":2.5`:                     "R0-0 suggestion 0.0",
		`"line":-2`:                      "R0-0 suggestion 0.0",
		`"line":1e99`:                    "R0-0 suggestion 0.0",
		`"line":true`:                    "R0-0 suggestion 0.0",
		`"line":{"from":2}`:              "R0-0 suggestion 0.0",
		`"line":"1, 2 and 3"`:            "R0-0 suggestion 0.0",
		`"Line":7,"SEVERITY":"Critical"`: "R0-7 critical 0.0",
		`"severity":" critical "`:        "R0-0 critical 0.0",
		`"severity":1`:                   "R0-0 suggestion 0.0",
		`"severity":["warning"]`:         "R0-0 warning 0.0",
		`"confidence":"0.9"`:             "R0-0 suggestion 0.9",
		`"confidence":"90%"`:             "R0-0 suggestion 0.9",
		`"confidence":90`:                "R0-0 suggestion 0.9",
		`"confidence":"high"`:            "R0-0 suggestion 0.9",
		`"confidence":7`:                 "R0-0 suggestion 1.0",
		`"confidence":"NaN"`:             "R0-0 suggestion 0.0",
		`"confidence":{}`:                "R0-0 suggestion 0.0",
		`"quote":["a","b"],"side":3`:     "R0-0 suggestion 0.0",
	} {
		found, err := parseFindings(`{"verdict":7,"findings":[{"path":"b.go","title":"first"},` +
			`{"path":"a.go","title":"x",` + fields + `}]}`)
		if err != nil || len(found.list) != 2 || found.verdict != "7" {
			t.Errorf("%s: %+v, %v", fields, found, err)
			continue
		}
		f := found.list[1]
		if got := fmt.Sprintf("%.1s%d-%d %s %.1f", f.Side, f.Start, f.Line, f.Severity, f.Confidence); got != want {
			t.Errorf("%s: %s, want %s", fields, got, want)
		}
	}
}

func TestParseFindings_UselessFinding_IsDropped(t *testing.T) {
	for list, want := range map[string]int{
		`[{"path":"a.go","title":"x"},"Nothing else.",null,7,[],{}]`: 1,
		`[{"path":"a.go","title":"x"},{"title":"no file"}]`:          1,
		`[{"path":"a.go","title":"x"},{"path":["a.go"],"detail":9}]`: 2,
		`{"path":"a.go","title":"x"}`:                                1,
		`null`:                                                       0,
		`[]`:                                                         0,
		`["Nothing."]`:                                               -1,
		`[{"path":7}]`:                                               -1,
		`{}`:                                                         -1,
		`"none"`:                                                     -1,
	} {
		found, err := parseFindings(`{"findings":` + list + `}`)
		if got := len(found.list); (err != nil) != (want < 0) || err == nil && got != want {
			t.Errorf("%s: %d findings, %v; want %d", list, got, err, want)
		}
	}
}
