package sqlite

// knownSchemas lists digests of schemas that early builds made with other variants of the
// migrations 0040 to 0042. These builds did not store digests of their migrations yet. A database
// with such a schema gets the schema of the released files.
var knownSchemas = []string{
	"692a220e473b9bbba56dfb87ead323fd15b4f8c69dd20c27f2e60fc8b163b502",
	"98ae06a7bec0b231cea2b082ad80a3c1e61a866dd43fd24ab9661764d2c1800e",
	"ee9bcaacc79685f92240e1a463377191c6c9f87de092b66683f4944f29a6bb81",
	"b05ff41a949ff0d1c49104fbd40ef3fd99d1cdc06ddb4a9063a81a10c78f1c84",
	"7ac438b74cd488b52ca187b7261d3b9e279f4f2451db71b4775403bf8f32dad7",
	"8df50e793b1d5a821c4412a62c5b01b56dfc2e4eed1372c1a95f6355e1f3aa9e",
	"cf52eb61b76dd7dd6027ee6bf4a8efe3cef5675b4b0a32a9458405e3e6fd67b3",
	"29b470158b3e3ee6ad85d6da5e5bb3fefdc1b21a881889a99d557e6b323b6e9e",
	"708e61c151eace1dead41882c149cb50b0e77e93969d6e4c365d20a481a69faf",
	"ae308dd49dbba9d2d80ee5e783c8998c341a8332a8c5ffdca998982b7f21b5f6",
	"5c2af52f2a3899b1301b9b44f48f04509330c5190170d723e982457390c44de1",
	"ce603d2059bc049f8bddcf841ef68b30f7c42f5d8fdb2f858423022061c89168",
}
