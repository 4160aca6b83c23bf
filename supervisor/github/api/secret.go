package api

import (
	"fmt"
	"io"
)

// secret is a token that can't be printed.
type secret struct{ reveal func() string }

func keep(token string) secret { return secret{func() string { return token }} }

// Format prints *** for every verb.
func (secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "***") }
