package ui

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/bonafide-id/bonafide/ui/theme"
)

// Asset is a static file that the screens load.
type Asset = theme.Asset

// Not from package mime, which asks the operating system.
var mediaTypes = map[string]string{
	"css": "text/css; charset=utf-8",
	"js":  "text/javascript; charset=utf-8",
	"svg": "image/svg+xml",
}

// readAssets reads the folder assets of an audience, which it need not have.
func readAssets(files embed.FS) map[string]Asset {
	entries, err := files.ReadDir("assets")
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		panic(err) // the directory is part of the program
	}
	all := make(map[string]Asset, len(entries))
	for _, entry := range entries {
		data, err := files.ReadFile("assets/" + entry.Name())
		if err != nil {
			panic(err)
		}
		stem, ext, _ := strings.Cut(entry.Name(), ".")
		sum := sha256.Sum256(data)
		all[entry.Name()] = Asset{
			Name:      fmt.Sprintf("%s.%s.%s", stem, hex.EncodeToString(sum[:6]), ext),
			MediaType: mediaTypes[ext],
			Bytes:     data,
		}
	}
	return all
}

// Assets returns the files that the screens of this package load, those of people and those
// that all have. They are to be served at [Page.AssetPath] followed by their names.
func Assets() []Asset { return own.Assets() }

// AssetName returns the name under which the file "base.css", "icon.svg", "passkey.js", "screens.js",
// "form-post.js", "fedcm.js" or "wide.css" is served. Another name returns the empty string.
func AssetName(file string) string { return own.AssetName(file) }
