package carrier

// VersionedRule is one rule of spec §9 about a field of a request body.
type VersionedRule struct {
	Field        string // the key in the body
	Since        int    // the first version that accepts the field
	RequiredFrom int    // the first version that requires it; zero: none does
	With         string // required only if this other field is set
}

// planChangeRules are the version rules of the plan change: spec §9, "6 adds optional
// restorationSla; 8 makes contact details mandatory when ntdOption is set".
var planChangeRules = []VersionedRule{
	{Field: keyRestorationSLA, Since: 6},
	{Field: keyContactName, Since: versionFirst, RequiredFrom: 8, With: keyNTDOption},
	{Field: keyContactPhone, Since: versionFirst, RequiredFrom: 8, With: keyNTDOption},
	{Field: keyContactEmail, Since: versionFirst, RequiredFrom: 8, With: keyNTDOption},
}
