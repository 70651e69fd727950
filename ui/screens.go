package ui

import (
	"reflect"

	"github.com/a-h/templ"
)

// Screens are the functions that render the screens, one for each view. A host replaces
// those that it has a component of its own for; the others are this package's, which the
// names of the fields are of. A view keeps its fields in later versions, and gains others:
// a component that ignores those goes on to work.
//
// A component renders a whole page. The forms of a screen are posted to Form.Action with
// Form.Hidden and the fields that the view names; without the hidden ones nothing is
// accepted. The content security policy admits no inline script or style.
type Screens struct {
	SignIn         func(SignInView) templ.Component
	Reauthenticate func(ReauthenticateView) templ.Component
	SignUp         func(SignUpView) templ.Component
	Code           func(CodeView) templ.Component
	ResetStart     func(ResetStartView) templ.Component
	ResetFinish    func(ResetFinishView) templ.Component
	SelectAccount  func(SelectAccountView) templ.Component
	SelectScope    func(SelectScopeView) templ.Component
	Consent        func(ConsentView) templ.Component
	SignOut        func(SignOutView) templ.Component
	SignedOut      func(SignedOutView) templ.Component
	Error          func(ErrorView) templ.Component
	Denied         func(DeniedView) templ.Component
	Finished       func(FinishedView) templ.Component
	Continue       func(ContinueView) templ.Component
	FormPost       func(FormPostView) templ.Component
	FedCM          func(FedCMView) templ.Component
	AccountHome    func(AccountView) templ.Component
	Apps           func(AppsView) templ.Component
	RemoveApp      func(RemoveAppView) templ.Component
	Sessions       func(SessionsView) templ.Component
	Password       func(PasswordView) templ.Component
	Groups         func(GroupsView) templ.Component
	Data           func(DataView) templ.Component
	Email          func(EmailView) templ.Component
	EmailCodes     func(EmailCodesView) templ.Component
	EmailReturn    func(EmailReturnView) templ.Component
	Delete         func(DeleteView) templ.Component
	Deletion       func(DeletionView) templ.Component
	Export         func(ExportView) templ.Component
	Call           func(CallView) templ.Component
	Device         func(DeviceView) templ.Component
	DeviceConfirm  func(DeviceConfirmView) templ.Component
	DeviceDone     func(DeviceDoneView) templ.Component
	ChooseLanguage func(LanguageView) templ.Component
	History        func(HistoryView) templ.Component
}

// DefaultScreens are the screens of this package.
func DefaultScreens() Screens {
	return Screens{
		SignIn: SignIn, Reauthenticate: Reauthenticate, SignUp: SignUp, Code: Code, ResetStart: ResetStart, ResetFinish: ResetFinish,
		SelectAccount: SelectAccount, SelectScope: SelectScope, Consent: Consent, SignOut: SignOut, SignedOut: SignedOut,
		Error: Error, Denied: Denied, Finished: Finished, Continue: Continue, FormPost: FormPost, FedCM: FedCM,
		AccountHome: AccountHome, Apps: Apps, RemoveApp: RemoveApp, Sessions: Sessions, Password: Password, Groups: Groups,
		Data: Data, Email: Email, EmailCodes: EmailCodes, EmailReturn: EmailReturn, Delete: Delete, Deletion: Deletion, Export: Export, Call: Call,
		Device: Device, DeviceConfirm: DeviceConfirm, DeviceDone: DeviceDone,
		ChooseLanguage: ChooseLanguage, History: History,
	}
}

// WithDefaults returns the screens with this package's where there is none.
func (s Screens) WithDefaults() Screens {
	defaults := reflect.ValueOf(DefaultScreens())
	own := reflect.ValueOf(&s).Elem()
	for i := range own.NumField() {
		if own.Field(i).IsNil() {
			own.Field(i).Set(defaults.Field(i))
		}
	}
	return s
}
