package carrier

// VersionedRule is one rule of spec §9 about a field of a request body.
type VersionedRule struct {
	Field        string // the key in the body
	Since        int    // the first version that takes the field
	RequiredFrom int    // the first version that demands it; zero: none does
	With         string // demanded only when this other field is set
}

// planChangeRules are those of the plan change: spec §9, "6 adds optional restorationSla; 8 makes
// contact details mandatory when ntdOption is set".
var planChangeRules = []VersionedRule{
	{Field: keyRestorationSLA, Since: 6},
	{Field: keyContactName, Since: versionFirst, RequiredFrom: 8, With: keyNTDOption},
	{Field: keyContactPhone, Since: versionFirst, RequiredFrom: 8, With: keyNTDOption},
	{Field: keyContactEmail, Since: versionFirst, RequiredFrom: 8, With: keyNTDOption},
}
