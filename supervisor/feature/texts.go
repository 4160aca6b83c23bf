package feature

// TextDeadButton answers a press of an unknown button.
const TextDeadButton = "This button does nothing any more. Send the command again for new ones."
