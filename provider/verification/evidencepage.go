package verification

// evidenceRoutes receive files.
func (s *Service) evidenceRoutes() []route { return nil }
