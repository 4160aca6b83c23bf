package budget

// Texts of an Allowance for a user.
const (
	textAllowance     = "%s of %s is left %s"
	textAllowanceHeld = ", of which %s is set aside for answers under way"
)
