package model

import (
	"testing"

	"mews/protocol"
	"mews/supervisor"
)

func TestEmbed_ModelWithoutEmbeddings_Fails(t *testing.T) {
	c := sellers(t, nil)
	if cost, known := c.Cost("gpt/text-embedding-3-small", protocol.Usage{Input: 1_000_000}, 0); !known || cost != 20_000 {
		t.Errorf("a million tokens cost %d, %t", cost, known)
	}
	if _, err := c.Embed(t.Context(), "offline", []string{"a"}); supervisor.ErrorCodeOf(err) != supervisor.CodeInvalid {
		t.Errorf("a model that can't: %v", err)
	}
}
