package token

import (
	"encoding/binary"
	"math/bits"
)

// alphabet are letters and digits only: programs cut tokens and codes out of addresses by
// patterns such as \w+, which end at the hyphen of base64url.
const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// A word of 64 bits fills 11 digits of base62, with something left.
const (
	base       = uint64(len(alphabet))
	wordSize   = 8
	wordDigits = 11
)

// digits are the values of the characters of the alphabet, and notDigit of all others.
var digits = func() (values [256]byte) {
	for i := range values {
		values[i] = notDigit
	}
	for i := range len(alphabet) {
		values[alphabet[i]] = byte(i)
	}
	return values
}()

const notDigit = 0xff

// encode writes the words of raw, most significant digit first.
func encode(text, raw []byte) {
	for ; len(raw) > 0; raw, text = raw[wordSize:], text[wordDigits:] {
		word := binary.BigEndian.Uint64(raw)
		for i := wordDigits - 1; i >= 0; i-- {
			text[i] = alphabet[word%base]
			word /= base
		}
	}
}

// decode reads what encode has written into raw. It reports false for all else: a number
// of more than 64 bits would be a second spelling of a smaller one.
func decode(raw, text []byte) bool {
	for ; len(raw) > 0; raw, text = raw[wordSize:], text[wordDigits:] {
		var word uint64
		for _, c := range text[:wordDigits] {
			high, low := bits.Mul64(word, base)
			sum, carry := bits.Add64(low, uint64(digits[c]), 0)
			if digits[c] == notDigit || high+carry > 0 {
				return false
			}
			word = sum
		}
		binary.BigEndian.PutUint64(raw, word)
	}
	return true
}
