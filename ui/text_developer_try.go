package ui

type developerTryText struct {
	Heading, Text, Scope, ScopeHint, Begin           Message
	How, Steps                                       Message
	Address, AddressText, Left, LeftText, Remove     Message
	Machine, Unfit, Strict, MayNot                   Message
	ReadyHeading, ReadyText, Go                      Message
	WorksHeading, WorksText, FailsHeading, FailsText Message
	Again, Log, Sent, Received, Passed, Failed       Message
	StepNames, StepTexts                             map[DeveloperTryStepName]Message
	Checks                                           map[DeveloperTryCheckName]Message
}
