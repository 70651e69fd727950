package developer

import "github.com/bonafide-id/bonafide/ui"

type tryText struct {
	Heading, Text, Scope, ScopeHint, Begin           ui.Message
	How, Steps                                       ui.Message
	Address, AddressText, Left, LeftText, Remove     ui.Message
	Machine, Unfit, Strict, MayNot                   ui.Message
	ReadyHeading, ReadyText, Go                      ui.Message
	WorksHeading, WorksText, FailsHeading, FailsText ui.Message
	Again, Log, Sent, Received, Passed, Failed       ui.Message
	StepNames, StepTexts                             map[TryStepName]ui.Message
	Checks                                           map[TryCheckName]ui.Message
}
