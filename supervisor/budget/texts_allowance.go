package budget

// Texts about an Allowance, for its user.
const (
	textAllowance     = "%s of %s is left %s"
	textAllowanceHeld = ", of which %s is set aside for answers under way"
)
