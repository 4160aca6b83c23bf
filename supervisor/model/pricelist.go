package model

// PricesDate is the date of the prices in the list.
const PricesDate = "2026-10-27"

// pricelist has the prices of the models' makers, by kind of provider. It ignores discounts and
// surcharges for batches, priority and regions, and temporary offers. An estimate that is too high
// does no harm. Prices of a gateway belong in the configuration.
//
// Sources: platform.claude.com/docs/en/about-claude/pricing and
// developers.openai.com/api/docs/pricing.
var pricelist = map[string][]priceRow{
	"anthropic": {
		{"claude-fable-5-1", 0, Price{10, 50, 0.25, 12.50, 20}},
		{"claude-fable-5", 0, Price{10, 50, 1, 12.50, 20}},
		{"claude-mythos-5-1", 0, Price{10, 50, 0.25, 12.50, 20}},
		{"claude-mythos-5", 0, Price{10, 50, 1, 12.50, 20}},
		{"claude-opus-5-5", 0, Price{4, 20, 0.20, 5, 8}},
		{"claude-opus-5", 0, Price{5, 25, 0.50, 6.25, 10}},
		{"claude-opus-4-8", 0, Price{5, 25, 0.50, 6.25, 10}},
		{"claude-opus-4-7", 0, Price{5, 25, 0.50, 6.25, 10}},
		{"claude-opus-4-6", 0, Price{5, 25, 0.50, 6.25, 10}},
		{"claude-opus-4-5", 0, Price{5, 25, 0.50, 6.25, 10}},
		{"claude-opus-4-1", 0, Price{15, 75, 1.50, 18.75, 30}},
		{"claude-sonnet-5-5", 0, Price{2, 10, 0.10, 2.50, 4}},
		{"claude-sonnet-5", 0, Price{2, 10, 0.20, 2.50, 4}},
		{"claude-sonnet-4-6", 0, Price{3, 15, 0.30, 3.75, 6}},
		{"claude-sonnet-4-5", 0, Price{3, 15, 0.30, 3.75, 6}},
		{"claude-haiku-5-5", 100_000, Price{0.10, 0.50, 0.01, 0.125, 0.20}},
		{"claude-haiku-5-5", 0, Price{0.50, 2.50, 0.05, 0.625, 1}},
		{"claude-haiku-4-5", 0, Price{1, 5, 0.10, 1.25, 2}},
	},
	// Long prompts cost more. How much more depends on the model.
	"openai": {
		{"gpt-6.1-sol", 272_000, Price{2, 10, 0.10, 2.50, 2.50}},
		{"gpt-6.1-terra", 272_000, Price{1, 5, 0.05, 1.25, 1.25}},
		{"gpt-6-astra", 272_000, Price{10, 50, 1, 12.50, 12.50}},
		{"gpt-6-sol", 272_000, Price{2, 10, 0.20, 2.50, 2.50}},
		{"gpt-6-luna", 272_000, Price{0.10, 0.50, 0.01, 0.125, 0.125}},
		{"gpt-5.6-sol", 272_000, Price{5, 30, 0.50, 0, 0}},
		{"gpt-5.6-terra", 272_000, Price{2, 12, 0.20, 0, 0}},
		{"gpt-5.6-luna", 272_000, Price{0.20, 1.20, 0.02, 0, 0}},
		{"gpt-5.5", 272_000, Price{5, 30, 0.50, 0, 0}},
		{"gpt-5.4", 272_000, Price{2.50, 15, 0.25, 0, 0}},
		{"gpt-5.4-mini", 0, Price{0.75, 4.50, 0.075, 0, 0}},
		{"gpt-5.4-nano", 0, Price{0.20, 1.25, 0.02, 0, 0}},
		{"gpt-5.2", 0, Price{1.75, 14, 0.175, 0, 0}},
		{"gpt-5.1", 0, Price{1.25, 10, 0.125, 0, 0}},
		{"gpt-5", 0, Price{1.25, 10, 0.125, 0, 0}},
		{"gpt-5-mini", 0, Price{0.25, 2, 0.025, 0, 0}},
		{"gpt-5-nano", 0, Price{0.05, 0.40, 0.005, 0, 0}},
		{"gpt-4.1", 0, Price{2, 8, 0.50, 0, 0}},
		{"gpt-4.1-mini", 0, Price{0.40, 1.60, 0.10, 0, 0}},
		{"gpt-4.1-nano", 0, Price{0.10, 0.40, 0.025, 0, 0}},
		{"gpt-4o", 0, Price{2.50, 10, 1.25, 0, 0}},
		{"gpt-4o-mini", 0, Price{0.15, 0.60, 0.075, 0, 0}},
		{"o3", 0, Price{2, 8, 0.50, 0, 0}},
		{"o4-mini", 0, Price{1.10, 4.40, 0.275, 0, 0}},
	},
}

// inputPrices has OpenAI's models that charge only for input: transcription and embeddings.
var inputPrices = map[string]float64{
	"whisper-1": PricePerMinute(0.006), "gpt-4o-transcribe": PricePerMinute(0.006),
	"gpt-4o-mini-transcribe": PricePerMinute(0.003),
	"text-embedding-3-large": 0.13, "text-embedding-3-small": 0.02,
}
