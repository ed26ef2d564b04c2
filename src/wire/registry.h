// The operation registry: every API operation is one typed function, registered once under its service and name, and
// called from anywhere through here: by the HTTP front, by other services as a typed call, and by name with a document.
// Whoever calls from inside enters the request pipeline (pipeline/README.md) at its authorization.
//
// The generator makes, for each operation of a model, a tag in wire/shapes/<service>.h:
//
//   namespace tidemill::wire::dynamodb::ops {
//   struct PutItem : TypedOperation<PutItem, PutItemInput, PutItemOutput> {
//     static const OperationInfo info;                                         // names, protocols, HTTP binding, shapes
//   };
//   }
//
// and a service registers its handlers:
//
//   registry.add<ops::PutItem>([](Context& context, const PutItemInput& request) { return put_item(context, request); });
#pragma once

#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/metrics.h"
#include "base/task.h"
#include "wire/body_stream.h"
#include "wire/context.h"
#include "wire/error.h"
#include "wire/metrics/call_record.h"
#include "wire/pipeline/authorize.h"

namespace tidemill::wire {

// A service's first protocol. Those with a query_version speak the Query protocol as well, or only that; those with
// `cbor` set speak CBOR as well.
enum class Protocol { json_1_0, json_1_1, rest_json, rest_xml, query };

// How one request is encoded, and with that its answer.
enum class Encoding {
  own,       // as the service's first protocol says
  query,
  cbor,      // the json protocol with bodies of CBOR (application/x-amz-cbor-1.1)
  rpc_cbor,  // Smithy RPC v2 (application/cbor)
};

namespace shapes {
struct QueryNode;
struct Shape;
}

struct OperationInfo {
  std::string_view service;          // "dynamodbstreams": the model's and the registry's name
  std::string_view signing_name;     // "dynamodb": what stands in the credential scope; may serve several services
  std::string_view name;             // "PutItem"
  Protocol protocol = Protocol::json_1_0;
  std::string_view target_prefix;    // "DynamoDB_20120810"; json only
  std::string_view error_namespace;  // "com.amazonaws.dynamodb.v20120810"; json only
  std::string_view query_version;    // "2012-11-05": the service speaks the Query protocol; else empty
  std::string_view xml_namespace;    // of Query answers
  std::string_view query_path_member;  // the member that a Query request's path stands for if it is not given
  std::string_view method;           // rest only
  std::string_view uri;              // rest only: "/2015-03-31/functions/{FunctionName}"
  std::string_view route_headers;    // rest-xml only: without these headers the route does not match; "a,b"
  int success_status = 200;
  // Codes of this service's errors for what goes wrong before or beside its handlers.
  std::string_view throttling_error = "ThrottlingException";    // store::Overloaded
  std::string_view internal_error = "InternalServerError";      // defects and store::StoreFailed
  std::string_view unsupported_error = "ValidationException";   // a parameter that AWS knows and Tidemill does not
  bool crc32 = false;                                           // answers carry x-amz-crc32
  size_t request_bytes_max = 16 << 20;                           // of the body; beyond: 413
  std::string_view validation_error = "ValidationException";    // rest-xml only: of violated constraints
  bool cbor = false;                 // speaks Encoding::cbor
  std::string_view rpc_service;      // speaks Encoding::rpc_cbor, as /service/<this>/operation/<name>; else empty
  bool streaming_input = false;      // the body is read by the handler, piece by piece
  bool requires_length = false;      // such a body must say its length; else 411
  bool event_stream = false;         // the answer goes on as events
  // AWS begins messages about attribute values with "1 validation error detected: ";
  // which operations do so is not regular.
  bool prefixed_value_errors = false;
  // It waits for its caller's sake: if the client leaves, it ends where it waits instead of going on to its end.
  bool ends_with_client = false;
  // Why Tidemill lacks an operation that AWS has; empty for those that work.
  std::string_view unsupported_reason;
  bool hide_collections = false;     // messages about lists and maps never show them
  bool unwrapped_output = false;     // rest-xml only: the output's one member is the root element
  // What it takes and gives (wire/shape_table.h): never null for those that work.
  const shapes::Shape* input = nullptr;
  const shapes::Shape* output = nullptr;
};

// A request as it came over the wire, split up but not understood.
struct WireRequest {
  std::string_view body;
  Encoding encoding = Encoding::own;
  BodyStream stream;  // instead of `body` where the operation has streaming_input
  const shapes::QueryNode* form = nullptr;  // of a Query request; null: another protocol
  // rest only; a header name may repeat. Labels and query are decoded; header names are lower case.
  std::vector<std::pair<std::string, std::string>> labels;
  std::vector<std::pair<std::string, std::string>> query;
  std::vector<std::pair<std::string, std::string>> headers;
};

struct WireResponse {
  Encoding encoding = Encoding::own;  // set by the caller: the request's
  int status = 200;
  std::string content_type;
  std::string body;
  std::optional<BodyStream> stream;  // instead of the body
  std::vector<std::pair<std::string, std::string>> headers;
};

namespace shapes {
// Room for a structure that somebody else makes.
class Unmade {
 public:
  explicit Unmade(const Shape& shape);
  ~Unmade();
  Unmade(const Unmade&) = delete;

  // Once. T is the C++ type of the shape.
  template <class T>
  void make(T&& made) {
    ::new (memory_) T(std::move(made));
    is_made_ = true;
  }
  [[nodiscard]] const void* get() const { return memory_; }

 private:
  const Shape& shape_;
  void* memory_;
  bool is_made_ = false;
};

// By the tables of the operation: `request` is of its input's C++ type, and new; `response` of its output's. Throw Error.
void parse(const OperationInfo& operation, const WireRequest& in, void* request);
void validate(const OperationInfo& operation, const void* request);
void serialize(const OperationInfo& operation, const void* response, WireResponse& out);
}  // namespace shapes

// What an operation's tag is made of. Requests and answers are read, checked and written by their tables
// (wire/shape_operation.h), so that an operation costs next to nothing to compile.
template <class Op, class RequestType, class ResponseType>
struct TypedOperation {
  using Request = RequestType;
  using Response = ResponseType;

  static Request parse(const WireRequest& in) {  // throws Error
    Request request;
    shapes::parse(Op::info, in, &request);
    return request;
  }
  static void validate(const Request& request) { shapes::validate(Op::info, &request); }  // throws the aggregated Error
  static void serialize(const Response& response, WireResponse& out) { shapes::serialize(Op::info, &response, out); }
};

class Registry {
 public:
  struct Operation {
    OperationInfo info;
    // Parses, validates, runs, serializes. Throws Error.
    std::function<Task<void>(Context&, const WireRequest&, WireResponse&)> on_wire;
    // The same for a document (wire/shape_document.h). Throws Error.
    std::function<Task<json::Value>(Context&, json::Value)> on_document;
    OperationMetrics metrics = {};  // once measure_with() was called
  };

  // Registers `handler`: (Context&, const Op::Request&) -> Task<Op::Response>. Twice for one operation is a defect.
  // Before the server listens; after that the registry does not change.
  template <class Op>
  void add(std::function<Task<typename Op::Response>(Context&, const typename Op::Request&)> handler) {
    insert(Op::info, std::make_shared<decltype(handler)>(std::move(handler)), &call_handler<Op>);
  }

  // Registers operations that AWS has and Tidemill lacks: whoever calls one is told its name and the reason. Their
  // infos must outlive this.
  void refuse(std::span<const OperationInfo> operations);

  // Calls an operation from inside: on behalf of the context's principal, authorized, validated, counted and traced as
  // calls over HTTP are. Throws Error, also if nobody registered it.
  template <class Op>
  Task<typename Op::Response> call(Context& context, const typename Op::Request& request) const {
    using Handler = std::function<Task<typename Op::Response>(Context&, const typename Op::Request&)>;
    const Slot& slot = require(Op::info.service, Op::info.name);
    const auto* handler = static_cast<const Handler*>(slot.typed.get());
    const CallRecord record(context, Op::info, slot.operation.metrics);
    try {
      co_await authorize({context, Op::info});
      Op::validate(request);
      co_await authorize_request({context, Op::info, &request});
      const TellsEnd end(context, Op::info);
      typename Op::Response response = co_await (*handler)(context, request);
      record.ended(Outcome::succeeded);
      co_return response;
    } catch (...) {
      record.ended(call_outcome(std::current_exception()));
      throw;
    }
  }

  // Calls an operation by its name with a document, whatever its protocol: registry.call(context, "sqs", "SendMessage",
  // document). Names of members and forms of values: wire/shape_document.h. Validates as a call over the wire does;
  // throws the service's Error.
  Task<json::Value> call(Context& context, std::string service, std::string name, json::Value document) const;

  // Counts the calls of all operations that are registered by now. Once, before the server listens.
  void measure_with(base::Metrics& metrics);

  // `tell` is called with what clients' requests over HTTP to a service end with if they fail: also before or beside
  // its handlers, as with violated constraints. At most one for each service, before the server listens.
  using Failure = std::function<void(const Context&, const OperationInfo&, const Error&)>;
  void on_failure(std::string service, Failure tell);
  // By the HTTP front.
  void tell_failure(const Context& context, const OperationInfo& info, const Error& error) const;

  // By service and name; nullptr if there is none. Also finds those that are refused.
  [[nodiscard]] const Operation* find(std::string_view service, std::string_view name) const;
  [[nodiscard]] std::vector<const Operation*> all() const;

 private:
  // Runs a handler of unknown type on a request, and makes its answer in the place that `response` gives.
  using Invoke = Task<void> (*)(const void* handler, Context& context, const void* request, shapes::Unmade& response);

  template <class Op>
  static Task<void> call_handler(const void* handler, Context& context, const void* request, shapes::Unmade& response) {
    using Handler = std::function<Task<typename Op::Response>(Context&, const typename Op::Request&)>;
    response.make<typename Op::Response>(co_await (*static_cast<const Handler*>(handler))(
        context, *static_cast<const typename Op::Request*>(request)));
  }

  void insert(const OperationInfo& info, std::shared_ptr<void> handler, Invoke invoke);
  void insert(Operation operation, std::shared_ptr<void> typed);
  struct Slot {
    Operation operation;
    std::shared_ptr<void> typed;  // null: it is refused
  };
  // One with a handler. Throws Error UnknownOperationException if there is none.
  [[nodiscard]] const Slot& require(std::string_view service, std::string_view name) const;

  std::unordered_map<std::string, Slot> slots_;  // "dynamodb.PutItem"
  std::unordered_map<std::string, Failure> failures_;  // by service
};

}  // namespace tidemill::wire
