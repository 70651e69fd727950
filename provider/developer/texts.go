package developer

import "github.com/bonafide-id/bonafide/ui"

// A program that has this package has its words checked, before there is a provider.
func init() { ui.HasDashboard() }
