package sandbox

// order is the tiers from the least. Those beyond TierSeatbelt are words here: Detect refuses them.
var order = []Tier{TierOff, TierSeatbelt, TierLandlock, TierNamespaces, TierAccounts}
