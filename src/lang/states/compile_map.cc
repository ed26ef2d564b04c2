// Map: its processor, reader, batcher and writer.
#include <algorithm>

#include "base/text.h"
#include "lang/states/compile.h"

namespace tidemill::lang::states {

namespace {

constexpr std::string_view kDistributedOnly[] = {"ItemReader",
                                                 "ItemBatcher",
                                                 "ResultWriter",
                                                 "Label",
                                                 "ToleratedFailureCount",
                                                 "ToleratedFailureCountPath",
                                                 "ToleratedFailurePercentage",
                                                 "ToleratedFailurePercentagePath"};
constexpr std::string_view kReader[] = {"Resource", "Parameters", "Arguments", "ReaderConfig", "Comment"};
constexpr std::string_view kReaderConfig[] = {"InputType",      "CSVHeaderLocation",  "CSVHeaders",   "CSVDelimiter",
                                              "MaxItems",       "MaxItemsPath",       "ItemsPointer", "ManifestType",
                                              "Transformation", "ExpectedBucketOwner"};
constexpr std::string_view kBatcher[] = {"MaxItemsPerBatch",          "MaxItemsPerBatchPath", "MaxInputBytesPerBatch",
                                         "MaxInputBytesPerBatchPath", "BatchInput",           "Comment"};
constexpr std::string_view kWriter[] = {"Resource", "Parameters", "Arguments", "WriterConfig", "Comment"};
constexpr std::string_view kWriterConfig[] = {"Transformation", "OutputType"};
constexpr std::string_view kProcessor[] = {"StartAt", "States", "ProcessorConfig", "Comment"};
constexpr std::string_view kProcessorConfig[] = {"Mode", "ExecutionType"};

// Characters that no label has, with white space and control characters (facts of the API's own tests).
constexpr std::string_view kNotInLabels = "?*<>{}[]:;,\\|^~$#%&`\"";

struct Delimiter {
  std::string_view name;
  char character;
};
constexpr Delimiter kDelimiters[] = {{"COMMA", ','}, {"PIPE", '|'}, {"SEMICOLON", ';'}, {"SPACE", ' '}, {"TAB", '\t'}};

bool is_s3_resource(std::string_view resource, std::string_view action) {
  return resource.starts_with("arn:") && resource.ends_with(base::cat(":states:::s3:", action));
}

// Parameters, or of JSONata Arguments.
std::optional<Template> read_arguments(const Fields& fields) {
  const std::string_view own = fields.is_jsonata() ? "Arguments" : "Parameters";
  const std::string_view other = fields.is_jsonata() ? "Parameters" : "Arguments";
  if (fields.has(other)) {
    fields.refuse(base::cat("The QueryLanguage is set to '", fields.is_jsonata() ? "JSONata" : "JSONPath",
                            "', but field '", other, "' is only supported for the '",
                            fields.is_jsonata() ? "JSONPath" : "JSONata", "' QueryLanguage"));
  }
  return fields.payload(own);
}

void read_csv(MapProgram& map, const Fields& config) {
  if (!config.has("CSVHeaderLocation")) config.refuse("The field 'CSVHeaderLocation' is required");
  const std::string* const location = config.one_of("CSVHeaderLocation", {"FIRST_ROW", "GIVEN"});
  if (location) {
    map.reader_config.header_location =
        *location == "GIVEN" ? ItemReader::HeaderLocation::given : ItemReader::HeaderLocation::first_row;
  }
  if (location && *location == "GIVEN") config.require({"CSVHeaders"});
  if (location && *location == "FIRST_ROW" && config.has("CSVHeaders")) {
    config.refuse("Field 'CSVHeaders' is not supported");
  }
  const std::string* const delimiter = config.one_of("CSVDelimiter", {"COMMA", "PIPE", "SEMICOLON", "SPACE", "TAB"});
  if (delimiter) map.reader_config.delimiter = std::ranges::find(kDelimiters, *delimiter, &Delimiter::name)->character;
  map.reader_headers = config.scalar("CSVHeaders");
  if (map.reader_headers.query) return;
  const json::Array* const headers = config.array("CSVHeaders");
  for (size_t i = 0; headers && i < headers->size(); ++i) {
    if (!(*headers)[i].is_string()) {
      config.report().schema("Expected value of type [STRING]",
                             config.place().member("CSVHeaders").element(i).location);
    }
  }
}

void read_reader_config(MapProgram& map, const Fields& config, bool is_listing) {
  using InputType = ItemReader::InputType;
  constexpr std::pair<std::string_view, InputType> kTypes[] = {{"MANIFEST", InputType::manifest},
                                                               {"JSON", InputType::json},
                                                               {"CSV", InputType::csv},
                                                               {"JSONL", InputType::jsonl},
                                                               {"PARQUET", InputType::parquet}};
  config.allow({kReaderConfig});
  if (!is_listing) config.require({"InputType"});
  if (const std::string* const type = config.string("InputType")) {
    const auto* const found = std::ranges::find(kTypes, *type, &std::pair<std::string_view, InputType>::first);
    if (found == std::end(kTypes)) {
      config.refuse("InputType",
                    "The field 'InputType' should have one of these values: [MANIFEST, JSON, CSV, JSONL, PARQUET]");
    } else {
      map.reader_config.input_type = found->second;
    }
  }
  if (map.reader_config.input_type == InputType::csv) {
    read_csv(map, config);
  } else {
    for (const std::string_view name : {"CSVHeaderLocation", "CSVHeaders", "CSVDelimiter"}) {
      if (config.has(name)) config.refuse(base::cat("Field '", name, "' is not supported"));
    }
  }
  map.reader_items_max = config.integer_scalar("MaxItems", 0, INT64_MAX);
  map.reader_items_pointer = config.scalar("ItemsPointer");
  if (config.has("ItemsPointer") && !map.reader_items_pointer.query) {
    const std::string* const pointer = config.string("ItemsPointer");
    if (pointer && !pointer->empty() && !pointer->starts_with('/')) {
      config.refuse("ItemsPointer", "Value must be a valid JSON Pointer");
    }
  }
  map.reader_bucket_owner = config.scalar("ExpectedBucketOwner");
  if (const std::string* const type = config.one_of("ManifestType", {"ATHENA_DATA", "S3_INVENTORY"})) {
    map.reader_config.manifest_type = *type;
  }
  const std::string* const transformation = config.one_of("Transformation", {"NONE", "LOAD_AND_FLATTEN"});
  map.reader_config.load_and_flatten = transformation && *transformation == "LOAD_AND_FLATTEN";
  if (map.reader_config.load_and_flatten) config.require({"InputType"});
}

void read_reader(MapProgram& map, const Fields& reader) {
  reader.allow({kReader});
  reader.require({"Resource"});
  const std::string* const resource = reader.string("Resource");
  if (!resource) return;
  const bool is_listing = is_s3_resource(*resource, "listObjectsV2");
  if (!is_listing && !is_s3_resource(*resource, "getObject")) {
    reader.refuse("Resource",
                  "The field 'Resource' does not match any of the allowed values. Examples: "
                  "[arn:<partition>:states:::s3:getObject, arn:<partition>:states:::s3:listObjectsV2]");
  }
  map.reader = Resource{.arn = *resource, .arguments = read_arguments(reader)};
  if (!map.reader->arguments) reader.require({reader.is_jsonata() ? "Arguments" : "Parameters"});
  const json::Object* const config = reader.object("ReaderConfig");
  if (config)
    read_reader_config(map, Fields(*config, reader.place().member("ReaderConfig"), reader.report()), is_listing);
  else if (!is_listing)
    reader.require({"ReaderConfig"});
}

void read_batcher(MapProgram& map, const Fields& batcher) {
  batcher.allow({kBatcher});
  map.has_batcher = true;
  map.batch_items_max = batcher.integer_scalar("MaxItemsPerBatch", 1, kItemsMax);
  map.batch_bytes_max = batcher.integer_scalar("MaxInputBytesPerBatch", 1, kPayloadBytesMax);
  if (!map.batch_items_max.given() && !map.batch_bytes_max.given()) {
    batcher.refuse("At least one of these fields is required: [MaxItemsPerBatch, MaxInputBytesPerBatch]");
  }
  map.batch_input = batcher.payload("BatchInput");
}

void read_writer(MapProgram& map, const Fields& writer) {
  writer.allow({kWriter});
  map.has_writer = true;
  const std::string_view arguments = writer.is_jsonata() ? "Arguments" : "Parameters";
  if (!writer.has("WriterConfig") && !(writer.has("Resource") && writer.has(arguments))) {
    writer.refuse(base::cat("The field 'ResultWriter' must specify WriterConfig or Resource with ", arguments));
  }
  if (const std::string* const resource = writer.string("Resource")) {
    if (!is_s3_resource(*resource, "putObject")) {
      writer.refuse("Resource",
                    "The field 'Resource' does not match any of the allowed values. Examples: "
                    "[arn:<partition>:states:::s3:putObject]");
    }
    map.writer = Resource{.arn = *resource, .arguments = read_arguments(writer)};
  }
  const json::Object* const source = writer.object("WriterConfig");
  if (!source) return;
  const Fields config(*source, writer.place().member("WriterConfig"), writer.report());
  config.allow({kWriterConfig});
  using Transformation = ResultWriter::Transformation;
  const std::string* const transformation = config.one_of("Transformation", {"NONE", "COMPACT", "FLATTEN"});
  if (transformation) {
    map.writer_config.transformation = *transformation == "COMPACT"   ? Transformation::compact
                                       : *transformation == "FLATTEN" ? Transformation::flatten
                                                                      : Transformation::none;
  }
  const std::string* const type = config.one_of("OutputType", {"JSON", "JSONL"});
  if (type && *type == "JSONL") map.writer_config.output_type = ResultWriter::OutputType::jsonl;
}

void read_label(State& state, const Fields& fields) {
  const std::string* const label = fields.string("Label");
  if (!label) return;
  if (label->empty() || label->size() > kLabelCharactersMax) {
    fields.refuse("Label", "Label must have 1 to 40 characters");
  } else if (std::ranges::any_of(*label, [](char c) {
               return static_cast<uint8_t>(c) <= ' ' || c == '\x7f' || kNotInLabels.find(c) != std::string_view::npos;
             })) {
    fields.refuse("Label", "Label contains invalid characters");
  }
  state.label = *label;
}

}  // namespace

void Compiler::compile_map(State& state, Program& program, const Fields& fields) {
  auto map = std::make_unique<MapProgram>();
  if (fields.is_jsonata()) {
    map->items = fields.payload("Items");
  } else if (fields.has("ItemsPath")) {
    const PathField path = fields.path_field("ItemsPath", false);
    if (path.path) map->items_path = fields.path("ItemsPath", true);
  }
  (void)fields.at_most_one({"ItemSelector", "Parameters"});
  map->item_selector = fields.payload(fields.has("ItemSelector") ? "ItemSelector" : "Parameters");
  map->concurrency_max = fields.integer_scalar("MaxConcurrency", 0, INT64_MAX);
  map->tolerated_failure_count = fields.integer_scalar("ToleratedFailureCount", 0, INT64_MAX);
  (void)fields.at_most_one({"ToleratedFailurePercentage", "ToleratedFailurePercentagePath"});
  if (fields.has("ToleratedFailurePercentagePath")) {
    auto path = fields.path("ToleratedFailurePercentagePath", false);
    if (path) map->tolerated_failure_percentage = {.field = "ToleratedFailurePercentagePath", .path = std::move(path)};
  } else if (fields.has("ToleratedFailurePercentage")) {
    map->tolerated_failure_percentage = fields.scalar("ToleratedFailurePercentage");
    if (!map->tolerated_failure_percentage.query) (void)fields.number("ToleratedFailurePercentage", 0, 100);
  }
  const auto within = [&](std::string_view name, auto&& read) {
    const json::Object* const source = fields.object(name);
    if (source) read(*map, Fields(*source, fields.place().member(name), report_));
  };
  within("ItemReader", read_reader);
  within("ItemBatcher", read_batcher);
  within("ResultWriter", read_writer);
  state.has_reader = map->reader.has_value();
  state.has_batcher = map->has_batcher;
  state.has_writer = map->has_writer;
  read_label(state, fields);
  program.map = std::move(map);
}

void Compiler::compile_processor(State& state, const Fields& fields) {
  if (!fields.exactly_one({"ItemProcessor", "Iterator"})) return;
  const std::string_view name = fields.has("ItemProcessor") ? "ItemProcessor" : "Iterator";
  const json::Object* const source = fields.object(name);
  if (!source) return;
  Place place = fields.place().member(name);
  place.language = language_;
  const Fields processor(*source, place, report_);
  processor.allow({kProcessor});
  if (const json::Object* const config_source = processor.object("ProcessorConfig")) {
    const Fields config(*config_source, place.member("ProcessorConfig"), report_);
    config.allow({kProcessorConfig});
    const std::string* const mode = config.one_of("Mode", {"INLINE", "DISTRIBUTED"});
    state.is_distributed = mode && *mode == "DISTRIBUTED";
    if (state.is_distributed) {
      config.require({"ExecutionType"});
      if (options_.is_express) {
        config.refuse("Mode",
                      "The field 'Mode' with value 'DISTRIBUTED' is not supported inside 'EXPRESS' state machines");
      }
    } else if (config.has("ExecutionType")) {
      config.refuse("Field 'ExecutionType' is not supported");
    }
    const std::string* const type = config.one_of("ExecutionType", {"STANDARD", "EXPRESS"});
    state.has_express_children = type && *type == "EXPRESS";
  }
  for (const std::string_view field : kDistributedOnly) {
    if (!state.is_distributed && fields.has(field)) fields.refuse(base::cat("Field '", field, "' is not supported"));
  }
  state.processor = compile_flow(*source, place.location, &state);
}

}  // namespace tidemill::lang::states
