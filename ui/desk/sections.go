package desk

// Area is a group of pages of the desk: a link of the navigation.
type Area string

// The areas.
const (
	AreaHome         Area = "home"
	AreaPeople       Area = "people"
	AreaCases        Area = "cases"
	AreaApplications Area = "applications"
	AreaService      Area = "service"
	AreaRecords      Area = "records"
)

// Section is a page of the desk.
type Section string

// The sections.
const (
	SectionHome          Section = "home"
	SectionFind          Section = "find"
	SectionPlans         Section = "plans"
	SectionBreaks        Section = "breaks"
	SectionInbox         Section = "inbox"
	SectionRosters       Section = "rosters"
	SectionCodes         Section = "codes"
	SectionHolds         Section = "holds"
	SectionCaseNumbers   Section = "case_numbers"
	SectionApplications  Section = "applications"
	SectionHosts         Section = "hosts"
	SectionOrganizations Section = "organizations"
	SectionReviews       Section = "reviews"
	SectionHealth        Section = "health"
	SectionReceivers     Section = "receivers"
	SectionKeys          Section = "keys"
	SectionNumbers       Section = "numbers"
	SectionReference     Section = "reference"
	SectionTrail         Section = "trail"
	SectionLooks         Section = "looks"
)

// SectionsOf are the sections of an area, in their order.
type SectionsOf struct {
	Area     Area
	Sections []Section
}

// Areas returns all areas with their sections, in the order of the navigation.
func Areas() []SectionsOf {
	return []SectionsOf{
		{AreaHome, []Section{SectionHome}},
		{AreaPeople, []Section{SectionFind, SectionPlans, SectionBreaks}},
		{AreaCases, []Section{SectionInbox, SectionRosters, SectionCodes, SectionHolds, SectionCaseNumbers}},
		{AreaApplications, []Section{SectionApplications, SectionHosts, SectionOrganizations, SectionReviews}},
		{AreaService, []Section{SectionHealth, SectionReceivers, SectionKeys, SectionNumbers, SectionReference}},
		{AreaRecords, []Section{SectionTrail, SectionLooks}},
	}
}
