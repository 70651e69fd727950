package developer

import "github.com/bonafide-id/bonafide/ui"

// A program with this package has its texts checked, before there is a provider.
func init() { ui.HasDashboard() }
