package sandbox

// tierOrder is the tiers from the least. Those beyond TierSeatbelt are words here: Detect refuses them.
var tierOrder = []Tier{TierOff, TierSeatbelt, TierLandlock, TierNamespaces, TierAccounts}
