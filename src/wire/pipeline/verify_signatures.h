// An Authenticator that believes nobody: who sends a request has signed it with Signature Version 4, in its headers or
// its address, and S3's clients the pieces of its body (AWS: "Authenticating Requests"; the order of refusals is
// AWS's).
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "crypto/hmac.h"
#include "wire/pipeline/authenticate.h"
#include "wire/pipeline/signature_errors.h"
#include "wire/signature.h"

namespace tidemill::wire {

// What an access key id stands for.
struct SigningSecret {
  std::string secret;
  std::string account;
  std::string token;                  // of temporary credentials; empty: they are none
  std::optional<base::Time> expires;  // theirs
  std::optional<Standing> standing;   // of a key that stands for a role by itself
};

// Who knows the secrets. Any thread.
class SigningSecrets {
 public:
  virtual ~SigningSecrets() = default;
  // `token` as the request has it; empty: none. Nothing: there is no such key, or it is not active.
  virtual Task<std::optional<SigningSecret>> find(std::string access_key_id, std::string token) = 0;
};

// Who is meant once the signature is right.
[[nodiscard]] Caller caller_of(const SigningSecret& secret, const Signature& signature);
// Throws Error for a session's token that is not the key's, or has expired.
void check_token(const Signature& signature, const SigningSecret& secret, base::Time now,
                 const SignatureErrors& errors);

class VerifySignatures final : public Authenticator {
 public:
  // Of clients' clocks.
  static constexpr std::chrono::minutes kSkewMax{5};

  // What is passed in outlives this.
  VerifySignatures(SigningSecrets& secrets, base::Clock& clock) : secrets_(secrets), clock_(clock) {}

  Task<Caller> authenticate(const net::Request& request, const Identity& identity) override;
  Task<void> examine(const net::Request& request, const Identity& identity) override;
  [[nodiscard]] bool checks_signatures() const override { return true; }

 private:
  // Of a browser's form to a bucket (verify_form.cc).
  Task<Caller> authenticate_form(const PostForm& form);
  struct Key {
    explicit Key(std::string of) : bytes(std::move(of)), hmac(bytes) {}
    const std::string bytes;
    const crypto::HmacKey hmac;
  };
  [[nodiscard]] std::shared_ptr<const Key> key_for(const Signature& signature, const std::string& secret);
  void check_signature(const net::Request& request, const Identity& identity, const Signature& signature,
                       const SigningSecret& secret, const SignatureErrors& errors, Caller& caller);

  SigningSecrets& secrets_;
  base::Clock& clock_;
  // Signing keys, which are good for a day: making one takes four times what a signature takes.
  std::mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<const Key>> keys_;  // by secret and scope
};

}  // namespace tidemill::wire
