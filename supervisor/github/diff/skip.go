package diff

import "slices"

// skippedFiles has patterns of files that need no review, in the form of .gitattributes. They come
// from github-linguist's generated.rb and vendor.yml. Patterns that often match hand-written files
// were left out.
var skippedFiles = []struct {
	reason   string
	patterns []string
}{
	{reasonVendored, []string{
		"**/vendor/**", "**/node_modules/**", "**/bower_components/**", "**/third_party/**", "**/third-party/**", "**/3rdparty/**",
		"**/Godeps/**", "**/Pods/**", "**/Carthage/**", "**/.yarn/releases/**", "**/.yarn/plugins/**", "**/gradle/wrapper/**",
		"gradlew", "gradlew.bat", ".pnp.cjs", ".pnp.js", ".pnp.loader.mjs", "jquery.js", "jquery-[0-9]*.js", "bootstrap.css",
		"bootstrap.js", "aclocal.m4", "libtool.m4", "config.guess", "config.sub",
	}},
	{reasonLock, []string{
		"package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "bun.lockb", "deno.lock",
		"composer.lock", "Cargo.lock", "Gemfile.lock", "poetry.lock", "pdm.lock", "uv.lock", "Pipfile.lock", "go.sum", "go.work.sum",
		"Gopkg.lock", "glide.lock", "mix.lock", "pubspec.lock", "Podfile.lock", "Package.resolved", "Cartfile.resolved", "flake.lock",
		"packages.lock.json", "paket.lock", "gradle.lockfile", ".terraform.lock.hcl", "Chart.lock", "conan.lock", "*esy.lock",
		"MODULE.bazel.lock",
	}},
	{reasonMinified, []string{"*.min.js", "*-min.js", "*.min.mjs", "*.min.css", "*-min.css"}},
	{reasonGenerated, []string{
		"*.pb.go", "*.pb.gw.go", "*_grpc.pb.go", "*_pb2.py", "*_pb2.pyi", "*_pb2_grpc.py", "*.pb.cc", "*.pb.h", "*_pb.js", "*_pb.d.ts",
		"*.pbobjc.h", "*.pbobjc.m", "*.pb.swift", "*.pb.dart", "*.g.dart", "*.freezed.dart", "*.[Dd]esigner.cs", "*.[Dd]esigner.vb",
		"*.feature.cs", "*.g.cs", "*.g.i.cs", "zz_generated.*", "*.gen.go", "bindata.go", "*.js.map", "*.css.map", "*.snap",
		"**/.idea/**", "*.nib", "*.xcworkspacedata", "*.xcuserstate", "*.zep.c", "*.zep.h", "*.zep.php", "**/__generated__/**",
	}},
}

// minifiable are the files that may be minified. minifiedLine is the average line length in bytes
// from which they count as minified. Linguist's 110 is for whole files. The limit here is higher,
// because a hunk may have few lines, and one of them long.
var minifiable = []string{"*.js", "*.mjs", "*.cjs", "*.css"}

const minifiedLine = 300

// NewSkipFilter returns a function that tells why a file needs no review. Its reason is "" if the
// file needs a review. gitattributes must come from the base branch, because a change must not
// exclude its own files.
func NewSkipFilter(gitattributes []byte) func(File) (reason string) {
	attributes := attributesOf(string(gitattributes))
	return func(f File) string {
		path := f.Path()
		given := attributes.of(path)
		switch {
		case f.Binary:
			return reasonBinary
		case f.IsSubmodule():
			return reasonSubmodule
		case given[linguistGenerated] == set:
			return reasonGenerated
		case given[linguistVendored] == set:
			return reasonVendored
		case given["diff"] == unset:
			return reasonHidden
		}
		return byTable(f, given)
	}
}

// byTable returns the reason from the table of files. If an attribute says that a file is not
// vendored or not generated, no other reason counts.
func byTable(f File, given map[string]state) string {
	for _, row := range skippedFiles {
		attribute := linguistGenerated
		if row.reason == reasonVendored {
			attribute = linguistVendored
		}
		if given[attribute] != unset && matchesAny(row.patterns, f.Path()) {
			return row.reason
		}
	}
	if given[linguistGenerated] != unset && minified(f) {
		return reasonMinified
	}
	return ""
}

func matchesAny(patterns []string, path string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool { return matches(pattern, path) })
}

func minified(f File) bool {
	if !matchesAny(minifiable, f.Path()) {
		return false
	}
	lines, length := 0, 0
	for i := range f.Hunks {
		for line := range f.Hunks[i].Lines() {
			lines++
			length += len(line.Text)
		}
	}
	return length > lines*minifiedLine
}
