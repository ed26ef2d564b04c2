#include "wire/pipeline/form.h"

#include "wire/pipeline/admit.h"

namespace tidemill::wire {

namespace {

constexpr size_t kFormBytesMax = 16 << 20;
constexpr int kContentTooLarge = 413;

shapes::QueryNode tree_of(const net::Request& request, const std::string& body) {
  auto pairs = net::parse_query(request.target);
  if (request.method == "POST") {
    for (auto& pair : net::parse_query("?" + body)) pairs.push_back(std::move(pair));
  }
  return shapes::make_query_tree(pairs);
}

std::string text_at(const shapes::QueryNode& form, std::string_view name) {
  const shapes::QueryNode* node = form.find(name);
  return node && node->value ? *node->value : "";
}

// SQS's clients used to name the queue by the request's path alone.
void fill_in_path(const OperationInfo& info, std::string_view path, shapes::QueryNode& form) {
  if (info.query_path_member.empty() || path.size() < 2 || form.find(info.query_path_member)) return;
  form.children[std::string(info.query_path_member)].value = net::percent_decode(path).value_or(std::string(path));
}

}  // namespace

Task<Form> read_form(net::Request& request, const Identity& identity, const Routes& routes) {
  Form form;
  try {
    *form.tree = tree_of(request, co_await admit_form(request, kFormBytesMax));
  } catch (const net::BodyTooLarge&) {
    throw Error("RequestEntityTooLarge", kContentTooLarge, "The request is too large");
  }
  form.action = text_at(*form.tree, "Action");
  form.endpoint = routes.by_action(form.action, identity.service, text_at(*form.tree, "Version"));
  if (form.endpoint) fill_in_path(form.endpoint->operation->info, identity.head.path, *form.tree);
  co_return form;
}

}  // namespace tidemill::wire
