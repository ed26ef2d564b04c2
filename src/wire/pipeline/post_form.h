// What a browser's form means that is posted to a bucket (S3's POST Object): its fields stand for headers and for the
// signature, and its file is the body. The fields stand before the file, so who sends it, and what its policy says, is
// known before any byte of that is taken.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "wire/body_stream.h"
#include "wire/form_data.h"
#include "wire/pipeline/identify.h"
#include "wire/post_policy.h"

namespace tidemill::wire {

struct PostForm {
  FormFields fields;  // with ${filename} replaced
  BodyStream file;
  std::shared_ptr<LengthRange> length;  // what the file is held to while it is read; may be set until then

  // The value of a field; "" if it is not there. `name` in lower case.
  [[nodiscard]] std::string_view get(std::string_view name) const;
  [[nodiscard]] bool has(std::string_view name) const { return find_field(fields, name) != nullptr; }
};

// Whether it is an operation whose requests are such forms.
[[nodiscard]] bool is_post_form(const Identity& identity);

// Reads the form up to its file, and sets the scope that it is signed for. Throws Error for what is no whole form.
Task<PostForm> read_post_form(net::Request& request, Identity& identity);

// What the form's policy says: whether it is still good, and of what stands in the form. A form without a policy may do
// what its sender may.
void check_post_policy(PostForm& form, std::string_view bucket, base::Time platform_time);

// The fields as headers of a request.
void fill_from_form(PostForm& form, WireRequest& in);

}  // namespace tidemill::wire
