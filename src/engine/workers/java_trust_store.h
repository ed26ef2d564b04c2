// Whom Java's programs trust: Java reads no PEM, so the authorities are given to it in the form of its own ("JKS", of which
// java.security.KeyStore's documentation says what it holds). That form needs no derived keys, so that it is read in the time
// that the certificates take.
#pragma once

#include <string>
#include <string_view>

namespace tidemill::engine {

// Of all certificates in a text of PEM; what is none is left out. Without a password.
[[nodiscard]] std::string java_trust_store(std::string_view pem);

}  // namespace tidemill::engine
