#include "wire/pipeline/form.h"

#include "wire/pipeline/admit.h"

namespace tidemill::wire {

namespace {

constexpr size_t kFormBytesMax = 16 << 20;
// What is larger is read on a thread: its names make many small nodes, which is slower than JSON.
constexpr size_t kLargeFormBytes = 32 << 10;
constexpr int kContentTooLarge = 413;

std::unique_ptr<shapes::QueryNode> tree_of(std::string_view target, std::string_view body) {
  return std::make_unique<shapes::QueryNode>(shapes::read_query_tree(target, body));
}

// If its client leaves meanwhile, nobody waits for the thread.
Task<void> fill(Form& form, std::string target, std::string body, base::BlockingWork& large) {
  const bool is_large = body.size() > kLargeFormBytes && may_use_threads();
  std::unique_ptr<shapes::QueryNode> tree;
  if (is_large) {
    tree = co_await large.run([target = std::move(target), body = std::move(body)] { return tree_of(target, body); });
  } else {
    tree = tree_of(target, body);
  }
  tree->is_large = is_large;
  form.tree = shapes::QueryForm(tree.release(), DestroyElsewhere{is_large ? &large : nullptr});
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

Task<Form> read_form(net::Request& request, const Identity& identity, const Routes& routes, base::BlockingWork& large) {
  Form form;
  try {
    std::string body = co_await admit_form(request, kFormBytesMax);
    if (request.method != "POST") body.clear();
    co_await fill(form, request.target, std::move(body), large);
  } catch (const net::BodyTooLarge&) {
    throw Error("RequestEntityTooLarge", kContentTooLarge, "The request is too large");
  }
  form.action = text_at(*form.tree, "Action");
  form.endpoint = routes.by_action(form.action, identity.service, text_at(*form.tree, "Version"));
  if (form.endpoint) fill_in_path(form.endpoint->operation->info, identity.head.path, *form.tree);
  co_return form;
}

}  // namespace tidemill::wire
