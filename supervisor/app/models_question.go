package app

// MethodModels is what the control socket answers with a modelsReport; anybody with an account may ask.
const MethodModels = "models"

// ModelsReport is which models there are.
type ModelsReport struct {
	Models []ModelLine  `json:"models"`
	Silent []SilentLine `json:"silent,omitempty"`
}

// ModelLine is a model that can be had.
type ModelLine struct {
	Spec    string `json:"spec"`             // provider/model, or offline
	InUse   bool   `json:"in_use,omitempty"` // by whoever asks
	Default bool   `json:"default,omitempty"`
}

// SilentLine is a provider that did not say what it has.
type SilentLine struct {
	Provider string `json:"provider"`
	Why      string `json:"why"` // for a person
}
