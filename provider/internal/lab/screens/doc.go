// Package screens tests what pages show: brands, pictures, texts, errors, screens of the host. All of
// it is tests.
package screens
