// Package devices has attacks on device authorization (RFC 8628): on codes, on the screens that
// ask about them, and on what a device gets.
package devices
