// Package docs has the manuals; its tests keep them true.
package docs
