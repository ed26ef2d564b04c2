// The layers of a function: what it names, and what they make together. Of one layer that is what is unpacked of it; of
// several a directory into which they are merged in their order, where the later takes the place of the former.
//
// Such a merged directory is a cache beside the unpacked packages, named by what it is made of, and the store counts the
// functions and versions that use it: KeySpace::resource, (no account, no region, "lambda", "layer-set", name).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "services/lambda/function.h"
#include "services/lambda/package_store.h"
#include "services/lambda/service.h"

namespace tidemill::lambda {

// AWS's limit.
inline constexpr size_t kLayersMax = 5;

// What stands at /opt for the function, below the packages' directory; empty: nothing.
[[nodiscard]] std::string layers_directory(const std::vector<FunctionLayer>& layers);
[[nodiscard]] std::vector<std::string> digests_of(const std::vector<FunctionLayer>& layers);

// Looks the layers up that a request names, in the caller's name, and unpacks them. Throws AWS's errors for what there is
// not, is not allowed or does not go together, and by name for layers with external extensions.
Task<std::vector<FunctionLayer>> find_layers(Service& service, wire::Context& context, std::vector<std::string> arns);

// Throws InvalidParameterValueException if the layers and the function's package are too large together, unpacked.
Task<void> check_unzipped_size(Service& service, std::vector<FunctionLayer> layers, std::string code_digest);
// The same of a package that is only about to come. Throws also PackageError.
Task<void> check_unzipped_size_with(Service& service, std::vector<FunctionLayer> layers, std::string_view zip);

// One more function or version uses them. Throws InvalidParameterValueException if one has gone meanwhile.
Task<void> refer_to_layers(store::Transaction& txn, std::vector<FunctionLayer> layers);
// One fewer.
Task<void> drop_layers(store::Transaction& txn, std::vector<FunctionLayer> layers, DroppedPackages& dropped);

// Has everything unpacked that a process of the function needs; before each call and each start.
Task<void> ensure_code(PackageStore& packages, const Function& function);

}  // namespace tidemill::lambda
