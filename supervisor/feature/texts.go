package feature

// TextDeadButton answers a press that nothing is known of.
const TextDeadButton = "This button does nothing any more. Send the command again for new ones."
