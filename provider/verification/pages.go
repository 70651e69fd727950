package verification

// pageRoutes are the pages of the person.
func (s *Service) pageRoutes() []route { return nil }
