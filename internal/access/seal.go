package access

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"strings"

	"github.com/nestorhq/nestor"
)

const sealPrefix = "sealed:v1:"

// Seal encrypts a secret for storing. It can be opened only with the same
// context, so a sealed secret cannot be moved to another document.
func (k *Key) Seal(context, secret string) string {
	gcm := k.cipher()
	nonce := make([]byte, gcm.NonceSize())
	rand.Read(nonce)
	return sealPrefix + encoding.EncodeToString(gcm.Seal(nonce, nonce, []byte(secret), []byte(context)))
}

// Open decrypts what Seal made.
func (k *Key) Open(context, sealed string) (string, error) {
	failed := nestor.Errorf(nestor.CodeInvalid, "a stored secret cannot be decrypted: was the secret key changed?")
	text, ok := strings.CutPrefix(sealed, sealPrefix)
	b, err := encoding.DecodeString(text)
	gcm := k.cipher()
	if !ok || err != nil || len(b) < gcm.NonceSize() {
		return "", failed
	}
	secret, err := gcm.Open(nil, b[:gcm.NonceSize()], b[gcm.NonceSize():], []byte(context))
	if err != nil {
		return "", failed
	}
	return string(secret), nil
}

func (k *Key) cipher() cipher.AEAD {
	block, err := aes.NewCipher(k.derive("stored secrets"))
	if err != nil {
		panic(err) // only for keys of a wrong size
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		panic(err) // only for ciphers of a wrong block size
	}
	return gcm
}
