// Command widgetbuild bundles the TypeScript of package widget into the files
// that it embeds.
//
//	go -C .ci/tools run ./widgetbuild
//
// The result depends on the source and on the version of esbuild in this
// module's go.mod alone, so that building again shows whether the committed
// files are fresh. esbuild strips types without checking them; tsc does that.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// engines are the oldest browsers that know what the button needs, which is
// adoptedStyleSheets: March 2023. Older ones show the link in the span.
var engines = []api.Engine{
	{Name: api.EngineChrome, Version: "110"},
	{Name: api.EngineFirefox, Version: "110"},
	{Name: api.EngineSafari, Version: "16.4"},
}

func main() {
	widget := flag.String("widget", "../../widget", "folder of package widget")
	flag.Parse()
	if err := build(*widget); err != nil {
		fmt.Fprintln(os.Stderr, "widgetbuild:", err)
		os.Exit(1)
	}
}

func build(widget string) error {
	root, err := filepath.Abs(widget)
	if err != nil {
		return err
	}
	result := api.Build(api.BuildOptions{
		AbsWorkingDir: root,
		EntryPoints:   []string{"src/v1.ts", "src/callback.ts"},
		Outdir:        "dist",
		Bundle:        true,
		Format:        api.FormatIIFE,
		// Labels stay readable, and smaller than their escapes.
		Charset:           api.CharsetUTF8,
		MinifyWhitespace:  true,
		MinifyIdentifiers: true,
		MinifySyntax:      true,
		LegalComments:     api.LegalCommentsNone,
		Engines:           engines,
		Plugins:           []api.Plugin{inlineCSS},
		// tsconfig.json speaks to tsc; it must not change what is built.
		TsconfigRaw: "{}",
		Write:       true,
		LogLevel:    api.LogLevelWarning,
	})
	if len(result.Errors) > 0 {
		return fmt.Errorf("%d errors", len(result.Errors))
	}
	return nil
}

// inlineCSS makes the default export of a style sheet its minified text.
var inlineCSS = api.Plugin{
	Name: "inline-css",
	Setup: func(build api.PluginBuild) {
		build.OnLoad(api.OnLoadOptions{Filter: `\.css$`}, func(args api.OnLoadArgs) (api.OnLoadResult, error) {
			sheet, err := os.ReadFile(args.Path)
			if err != nil {
				return api.OnLoadResult{}, err
			}
			result := api.Transform(string(sheet), api.TransformOptions{
				Loader:           api.LoaderCSS,
				Engines:          engines,
				MinifyWhitespace: true,
				MinifySyntax:     true,
				LegalComments:    api.LegalCommentsNone,
			})
			text := strings.TrimSpace(string(result.Code))
			return api.OnLoadResult{Contents: &text, Loader: api.LoaderText, Errors: result.Errors}, nil
		})
	},
}
