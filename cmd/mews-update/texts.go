package main

const (
	textNotRoot    = "only root installs updates: sudo systemctl start mews-update"
	textNoInstance = "there is no link /opt/mews/current to an installed version. Install Mews first"
	textRefused    = "%s was not installed: %v\n"
	textPreflight  = "%s failed its tests on a copy of the data, so %s keeps running: %w\n%s"
	textReturned   = "%s did not start in %v, so %s runs again, with the database from before. " +
		"journalctl -u %s says why"
	textStuck   = "%s took over and then stopped answering. Its database can't go back. journalctl -u %s says why"
	textUnknown = "%s does not answer, and whether its database went over is unknown: %w %s. " +
		"journalctl -u %s says why"
	textNoAccount = "%s has User=%q. Mews needs an account of its own there"
	textBadFolder = "the request of %s was deleted, because it is no folder of a request: %v\n"
	textInstalled = "%s is installed\n"
)
