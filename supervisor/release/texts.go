package release

// The refusals. Each says what was found, and what to do.
const (
	textNoVersion = "%q is no version of a release: want three numbers such as v1.4.0"
	textNoKeys    = "this build of Mews has no release keys, so it can't check an update. " +
		"Install a release, or update by `git pull` and `make build`"
	textNoKey        = "%q is no public key: want 32 bytes in base64"
	textTwoKeys      = "want two different public keys with a comma between them"
	textIndexTooLong = "the index of releases is longer than %d KiB. Check the address of the feed"
	textIndexCutOff  = "the index of releases has no signature at its end: it was cut off, or is no index. " +
		"Try again later"
	textWrongSignature  = "no release key of this version has signed the index of releases. Do not install it"
	textIndexIncomplete = "the index of releases has no number or no day of issue. Do not install it"
	textWrongLine       = "the index of releases has a wrong line: %q"
	textNumberFell      = "the index of releases has the number %d, but number %d was seen before. " +
		"It is an older copy: check the feed"
	textNotYetIssued = "the index of releases was issued on %s, and today is %s here. Correct the clock"
	textIndexOld     = "the index of releases was issued on %s and was valid until %s. " +
		"Get a newer index; `mews update --accept-old` uses it all the same"
	textDowngrade   = "%s is older than the installed %s: Mews installs no older version"
	textBadRequest  = "the request for an update is not readable: %w. Ask again by `mews update`"
	textNotListed   = "the index of releases lists no %s for %s"
	textWrongSize   = "%s does not have the %d bytes that the index names: it was cut off or changed. Get it again"
	textWrongDigest = "%s has the SHA-256 %s, and the index names %s: it was changed. Get it again"

	textBadArchive   = "unpack the release: %w"
	textBadEntry     = "%q is a link, a device or a name outside of the folder"
	textTooManyFiles = "it has too many files"
	textTooLarge     = "its files are too large"
	textNoProgram    = "the release has no program %s"
)
