//go:build !darwin

package sandbox

// order is the tiers from the least.
var order = []Tier{TierOff, TierLandlock, TierNamespaces, TierAccounts}
