package ui

type developerTryText struct {
	Heading, Text, Scope, ScopeHint, Begin           message
	How, Steps                                       message
	Address, AddressText, Left, LeftText, Remove     message
	Machine, Unfit, Strict, MayNot                   message
	ReadyHeading, ReadyText, Go                      message
	WorksHeading, WorksText, FailsHeading, FailsText message
	Again, Log, Sent, Received, Passed, Failed       message
	StepNames, StepTexts                             map[DeveloperTryStepName]message
	Checks                                           map[DeveloperTryCheckName]message
}
