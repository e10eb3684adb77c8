// Package calc evaluates arithmetic expressions. It is exact where it can be:
// whole numbers and fractions are kept as such through + - * / % ^, so
// 0.1+0.2 is 0.3 and 2^100 has all its digits. Irrational functions work with
// 64-bit floating point.
//
//	expression = term  { ("+" | "-") term }
//	term       = unary { ("*" | "/" | "%") unary }
//	unary      = ("+" | "-") unary | power
//	power      = primary [ ("^" | "**") unary ]
//	primary    = number | constant | function "(" expression { "," expression } ")" | "(" expression ")"
//
// Power binds to the right and closer than a sign before it: 2^3^2 is 512 and
// -2^2 is -4. The remainder % has the sign of the divisor: -7 % 3 is 2.
//
// Nothing is ever executed but arithmetic, and the length, the depth and the
// size of numbers are bounded, so any input ends soon.
package calc
