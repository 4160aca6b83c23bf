package budget

// What a person reads of an Allowance.
const (
	textAllowance     = "%s of %s is left %s"
	textAllowanceHeld = ", of which %s is set aside for answers under way"
)
