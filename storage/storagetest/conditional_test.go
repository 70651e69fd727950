package storagetest_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// conditional are the writes of which one of many who have read the same must win, and a contest or
// race of each. Nothing is said of one that does not end its own condition: any number may win.
var conditional = map[string]string{
	"SetEmail": "AddressInPlaceOfAnother", "VerifyEmail": "", "ChangeEmail": "AddressOfAnEpoch", "SetPassword": "PasswordOfAnEpoch", "SetDeletion": "DeletionOfAnEpoch",
	"SetAttributes": "PersonOfARevision", "SetOwnAttributes": "", "ReplaceAttribute": "AttributeInPlaceOfAnother", "SetStatus": "StatusOfARevision",
	"CreateSession": "SignInByAStepOfAnApp", "BeginRecovery": "BeginOfARecovery", "FinishRecovery": "EndOfARecovery",
	"SaveClient": "RegistrationOfAVersion", "DeleteClient": "EndOfARegistration", "SaveConsent": "ConsentInPlaceOfAnother",
	"Exchange": "ExchangeOfACodeHasOneWinner", "Reissue": "FamilyNeverForks", "Derive": "WhatHasEndedIsNotExchanged", "Renew": "",
	"AllowDeviceCode": "HasOneApproval", "DenyHost": "DenialHasOneWinner", "AllowHost": "DenialHasOneWinner", "SaveInstallation": "InstallationInPlaceOfAnother",
	"SaveOrganization": "OrganizationOfAVersion", "StopOrganization": "Stop", "StartOrganization": "EndOfAStop", "MarkApplication": "Halt",
	"SaveApplication": "ApplicationOfAVersion", "DecideApplication": "DecisionOfAVersion",
	"MoveApplication": "MoveOfAVersion", "SaveSandboxSettings": "SettingsOfAVersion",
	"StartCase": "StartsMakeOneCase", "MoveCase": "Approval", "PostponeCase": "PostponementOfAContent", "ForgetCase": "LeavesReferences", "ReturnCase": "GiveBack", "UndoDecision": "UndoAgainstCarryingOut",
	"StageRoster": "RosterInForceIsWhole", "SwapRoster": "RosterInPlaceOfAnother", "RedeemCode": "CodeIsUsedAsOftenAsItMay", "ReleaseCodes": "AreReleasedOnce", "EndCodes": "EndByTheBatch",
	"MovePlan": "PlanApproval", "SkipTarget": "PlanTarget", "MarkBreak": "SignOff", "FinishDeed": "EndOfADeed",
	"MoveMark": "PlaceOfAMark", "SaveReceiver": "RevisionOfAReceiver", "RemoveReceiver": "", "Settle": "SettlementOfATurn",
}

// conditions are what the comment of such a write promises to who is late.
var conditions = regexp.MustCompile(`\bErr(Changed|Spent)\b|is SaveApplication`)

// TestEveryConditionalWriteHasAContest compares the table with the comments of the roles, and with
// the tests.
func TestEveryConditionalWriteHasAContest(t *testing.T) {
	t.Parallel()
	var promised []string
	for _, file := range parse(t, "..") {
		ast.Inspect(file, func(n ast.Node) bool {
			role, is := n.(*ast.InterfaceType)
			if !is {
				return true
			}
			for _, method := range role.Methods.List {
				if len(method.Names) == 1 && conditions.MatchString(method.Doc.Text()) {
					promised = append(promised, method.Names[0].Name)
				}
			}
			return false
		})
	}
	slices.Sort(promised)
	if listed := slices.Sorted(maps.Keys(conditional)); !slices.Equal(listed, promised) {
		t.Errorf("listed:   %s\npromised: %s", listed, promised)
	}
	held := map[string]bool{}
	for _, file := range parse(t, ".") {
		ast.Inspect(file, func(n ast.Node) bool {
			if text, is := n.(*ast.BasicLit); is && text.Kind == token.STRING {
				name, err := strconv.Unquote(text.Value)
				held[name] = held[name] || err == nil
			}
			return true
		})
	}
	for method, name := range conditional {
		if name != "" && !held[name] {
			t.Errorf("%s has no contest %s", method, name)
		}
	}
}

// parse returns the files of a folder that are no tests.
func parse(t *testing.T, folder string) (files []*ast.File) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	return files
}
