package ui

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"strings"
	"sync"

	"github.com/bonafide-id/bonafide/ui/theme"
)

//go:embed assets/*
var assetFiles embed.FS

// Asset is a static file that the screens load.
type Asset = theme.Asset

// Not from package mime, which asks the operating system.
var mediaTypes = map[string]string{
	"css": "text/css; charset=utf-8",
	"js":  "text/javascript; charset=utf-8",
	"svg": "image/svg+xml",
}

var assets = sync.OnceValue(func() map[string]Asset {
	files, err := assetFiles.ReadDir("assets")
	if err != nil {
		panic(err) // the directory is part of the program
	}
	all := make(map[string]Asset, len(files))
	for _, file := range files {
		data, err := assetFiles.ReadFile("assets/" + file.Name())
		if err != nil {
			panic(err)
		}
		stem, ext, _ := strings.Cut(file.Name(), ".")
		sum := sha256.Sum256(data)
		all[file.Name()] = Asset{
			Name:      fmt.Sprintf("%s.%s.%s", stem, hex.EncodeToString(sum[:6]), ext),
			MediaType: mediaTypes[ext],
			Bytes:     data,
		}
	}
	return all
})

// Assets returns the files that the screens load. They are to be served at
// [Page.AssetPath] followed by their names.
func Assets() []Asset {
	all := make([]Asset, 0, len(assets()))
	for _, a := range assets() {
		all = append(all, a)
	}
	return all
}

// AssetName returns the name under which the file "base.css", "icon.svg",
// "screens.js" or "form-post.js" is served. Another name returns the empty string.
func AssetName(file string) string { return assets()[file].Name }
