package main

const (
	textNotRoot    = "only root installs updates: sudo systemctl start mews-update"
	textNoInstance = "there is no link /opt/mews/current to an installed version. Install Mews first"
	textRefused    = "%s was not installed: %v\n"
	textPreflight  = "%s failed its tests on a copy of the data, so %s keeps running: %w\n%s"
	textReturned   = "%s did not start in %v, so %s runs again, with the database from before. " +
		"journalctl -u %s says why"
	textStuck     = "%s took over and then stopped answering. Its database can't go back. journalctl -u %s says why"
	textInstalled = "%s is installed\n"
)
