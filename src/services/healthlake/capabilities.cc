// The CapabilityStatement: what a data store can do, as FHIR's clients ask for it.
#include "base/text.h"
#include "lang/fhir/resource_types.h"
#include "lang/fhir/search_parameters.h"
#include "lang/fhir/time_range.h"
#include "services/healthlake/fhir_answers.h"
#include "services/healthlake/operations.h"

namespace tidemill::healthlake {

namespace {

class StatementWriter {
 public:
  explicit StatementWriter(std::string& out) : writer_(out) {}

  void write(std::string_view url, const Datastore& datastore) {
    writer_.begin_object();
    text("resourceType", "CapabilityStatement");
    text("status", "active");
    text("date", lang::fhir::write_instant(datastore.created));
    text("kind", "instance");
    writer_.key("software"), writer_.raw(R"({"name":"Tidemill"})");
    writer_.key("implementation");
    writer_.begin_object();
    text("description", "A HealthLake data store of Tidemill");
    text("url", url);
    writer_.end_object();
    text("fhirVersion", "4.0.1");
    texts("format", {"json", "application/fhir+json"});
    writer_.key("rest");
    writer_.begin_array();
    rest();
    writer_.end_array();
    writer_.end_object();
  }

 private:
  void text(std::string_view name, std::string_view value) { writer_.key(name), writer_.string(value); }
  void boolean(std::string_view name, bool value) { writer_.key(name), writer_.boolean(value); }
  void texts(std::string_view name, std::initializer_list<std::string_view> values) {
    writer_.key(name);
    writer_.begin_array();
    for (const std::string_view value : values) writer_.string(value);
    writer_.end_array();
  }
  void codes(std::string_view name, std::initializer_list<std::string_view> values) {
    writer_.key(name);
    writer_.begin_array();
    for (const std::string_view value : values) {
      writer_.begin_object();
      text("code", value);
      writer_.end_object();
    }
    writer_.end_array();
  }
  void parameter(std::string_view name, std::string_view kind) {
    writer_.begin_object();
    text("name", name);
    text("type", kind);
    writer_.end_object();
  }

  void rest() {
    writer_.begin_object();
    text("mode", "server");
    writer_.key("resource");
    writer_.begin_array();
    for (const std::string_view type : lang::fhir::resource_types()) resource(type);
    writer_.end_array();
    codes("interaction", {"transaction", "batch"});
    writer_.key("operation");
    writer_.raw(R"([{"name":"export","definition":"http://hl7.org/fhir/uv/bulkdata/OperationDefinition/export"}])");
    writer_.end_object();
  }

  void resource(std::string_view type) {
    writer_.begin_object();
    text("type", type);
    codes("interaction", {"read", "vread", "update", "delete", "history-instance", "create", "search-type"});
    text("versioning", "versioned-update");
    boolean("readHistory", true);
    boolean("updateCreate", true);
    boolean("conditionalCreate", false);
    boolean("conditionalUpdate", false);
    text("conditionalDelete", "not-supported");
    writer_.key("searchParam");
    writer_.begin_array();
    parameter("_id", "token");
    parameter("_lastUpdated", "date");
    for (const auto& each : lang::fhir::common_parameters()) parameter(each.name, name_of(each.kind));
    for (const auto& each : lang::fhir::parameters_of(type)) parameter(each.name, name_of(each.kind));
    writer_.end_array();
    writer_.end_object();
  }

  json::Writer writer_;
};

}  // namespace

Task<rest::FhirAnswer> fhir_capabilities(Service& service, wire::Context& context,
                                         const rest::FhirCapabilitiesInput& request) {
  const auto snapshot = service.store().snapshot();
  const Datastore datastore = co_await active_datastore(*snapshot, context, request.datastore_id);
  rest::FhirAnswer out;
  StatementWriter(out.body.emplace()).write(base_url(context, request.datastore_id), datastore);
  co_return out;
}

}  // namespace tidemill::healthlake
