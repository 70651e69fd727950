package desk

// Served returns all patterns below the path of the desk.
func (d *Desk) Served() []string { return d.frame.Served() }
