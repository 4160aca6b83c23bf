package address_test

import (
	"fmt"
	"testing"

	"mews/supervisor/github/address"
)

func TestParse_Address_GivesRepoAndNumber(t *testing.T) {
	for text, want := range map[string]string{
		"https://github.com/Acme/Widget/issues/5":                  "acme/widget 5 true",
		"https://github.com/acme/widget/pull/12/files#diff-1":      "acme/widget 12 true",
		"https://github.com/acme/widget/issues/5#issuecomment-777": "acme/widget 5 true",
		"https://github.example.org/acme/w.x_y/issues/5?a=b":       "acme/w.x_y 5 true",
		"acme/widget#5":                         "acme/widget 5 true",
		"acme/widget":                           " 0 false",
		"#5":                                    " 0 false",
		"https://github.com/acme/widget/tree/5": " 0 false",
		"acme/widget#0":                         " 0 false",
		"acme/widget#5 and more":                " 0 false",
		"":                                      " 0 false",
	} {
		repo, number, ok := address.Parse(text)
		if got := fmt.Sprint(repo, " ", number, " ", ok); got != want {
			t.Errorf("%q names %q, want %q", text, got, want)
		}
	}
}

func TestParseRepo_NameOrAddress_GivesName(t *testing.T) {
	for text, want := range map[string]string{
		"Acme/Widget":                        "Acme/Widget true",
		"https://github.com/acme/widget":     "acme/widget true",
		"https://github.com/acme/widget/":    "acme/widget true",
		"https://github.com/acme/widget.git": "acme/widget true",
		"http://ghe.example.org/acme/w.x_y":  "acme/w.x_y true",
		"widget":                             " false",
		"":                                   " false",
		"acme/":                              " false",
		"/acme":                              " false",
		"acme/widget/more":                   " false",
		"https://github.com/acme":            " false",
		"acme widget":                        " false",
		"acme/wid get":                       " false",
		"acme/widget#5":                      " false",
	} {
		repo, ok := address.ParseRepo(text)
		if got := fmt.Sprint(repo, " ", ok); got != want {
			t.Errorf("%q names %q, want %q", text, got, want)
		}
	}
}
