package feature

// DeadButtonText answers a press of an unknown button.
const DeadButtonText = "This button does nothing any more. Send the command again for new ones."
