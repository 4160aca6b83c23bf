//go:build !darwin

package sandbox

// tierOrder is the tiers from the least.
var tierOrder = []Tier{TierOff, TierLandlock, TierNamespaces, TierAccounts}
