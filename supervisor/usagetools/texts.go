package usagetools

// textInGroup tells a model that it can't read the usage in a group.
const textInGroup = "The usage of a user is not shown in a group. /usage sends it to their private chat."
