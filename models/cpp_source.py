"""Writes <service>.cc: reading, checking and writing of a model's shapes. The work behind each call is in src/wire."""

from cpp import Types, list_room, quoted, snake
from cpp_bindings import Bindings
from cpp_cbor import Cbor
from cpp_checks import Checks
from cpp_events import Events
from cpp_query import Query
from cpp_xml import XmlReading, XmlWriting
from cpp_header import input_name, message_member, more_members, output_name
from cpp_info import info_fields
from smithy import ModelError

READERS = {"String": "read_string", "Boolean": "read_boolean", "Integer": "read_integer", "Long": "read_long",
           "Float": "read_double", "Double": "read_double", "Blob": "read_blob", "Document": "read_document"}
WRITERS = {"String": "string", "Boolean": "boolean", "Integer": "integer", "Long": "integer", "Float": "number",
           "Double": "number", "Document": "value"}
TIMESTAMP_FORMATS = {"epoch-seconds": "epoch_seconds", "date-time": "date_time", "http-date": "http_date"}
PROTOCOLS = {"awsJson1_0": "json_1_0", "awsJson1_1": "json_1_1", "restJson1": "rest_json", "restXml": "rest_xml",
             "awsQuery": "query"}


class Source:
    def __init__(self, model, service):
        self.model = model
        self.service = service
        self.types = Types(model)
        self.bindings = Bindings(model, self.types)
        self.checks = Checks(model, self.types)
        self.out = []
        self.protocol = next((PROTOCOLS[t] for t in PROTOCOLS if t in model.service.traits), None)
        self.is_rest = self.protocol in ("rest_json", "rest_xml")
        self.query = Query(model, self.types) if "awsQuery" in model.service.traits else None
        self.xml = self.xml_reading = None
        speaks_cbor = any(trait in model.service.traits for trait in ("awsCbor1_1", "rpcv2Cbor"))
        self.cbor = Cbor(model, self.types) if speaks_cbor else None
        self.events = Events(model, self.types, speaks_cbor)
        if self.query:
            self.xml = XmlWriting(model, self.types, lambda member: False, False)
        if self.protocol == "rest_xml":
            self.xml = self.bindings.xml = XmlWriting(model, self.types, self.bindings.is_bound, True)
            self.xml_reading = XmlReading(model, self.types, self.bindings.is_bound)
        if not self.protocol:
            raise ModelError(f"{model.path}:{model.service.line}: the service has no protocol")
        self.refuse_events()

    def refuse_events(self):
        """Where they have no form."""
        for operation in self.model.operations():
            shapes = [self.model.shapes.get(name(operation)) for name in (input_name, output_name)]
            if self.events.of(shapes[0]):
                raise ModelError(f"{self.model.path}:{operation.line}: requests have no events")
            if self.events.of(shapes[1]) and (self.is_rest or self.protocol == "query"):
                raise ModelError(f"{self.model.path}:{operation.line}: events are for the json protocols")

    def emit(self, *lines):
        self.out.extend(lines)

    def timestamp_format(self, member, default):
        name = self.model.trait(member, "timestampFormat") or default
        return "TimestampFormat::" + TIMESTAMP_FORMATS[name]

    # ---- Reading ----

    def place(self, target, inside_collection):
        if not inside_collection:
            return "shapes::Place::field"
        kind = self.model.shape(target).kind
        return "shapes::Place::nested" if kind in ("list", "map") else "shapes::Place::element"

    def read_into(self, member, value, plain, emplace, inside_collection):
        """A statement that reads JSON `value` into a place that is `plain` as an lvalue; `emplace` gives it afresh."""
        target = member.target
        if self.types.custom(target):
            return f"codecs::parse({value}, {emplace}, context);"
        kind = self.model.shape(target).kind
        if kind == "enum":
            kind = "String"
        if kind == "Timestamp":
            return f"{plain} = shapes::read_timestamp({value}, {self.timestamp_format(member, 'epoch-seconds')});"
        if kind in READERS:
            return f"{plain} = shapes::{READERS[kind]}({value});"
        return f"read_{target}({value}, {emplace}, context, {self.place(target, inside_collection)});"

    def signature(self, shape):
        return (f"void read_{shape.name}(shapes::Json json, {self.types.of(shape.name)}& out, "
                f"shapes::ReadContext& context, shapes::Place place)")

    def body_members(self, shape):
        return [m for m in shape.members.values() if not self.bindings.is_bound(m)]

    def read_structure(self, shape):
        cpp = {member.name: (name, bit) for member, name, _, bit in self.types.members(shape)}
        by_size = {}
        for member in self.body_members(shape):
            wire_name = member.traits.get("jsonName", member.name)
            by_size.setdefault(len(wire_name.encode()), []).append((wire_name, member))
        mask = self.types.required_mask(shape)
        self.emit(self.signature(shape) + " {",
                  f"  auto object = shapes::open_object(json, place, {quoted(self.types.java(shape.name))});")
        if mask:
            self.emit(f"  out.missing_required = {mask:#x};")
        self.emit("  for (auto entry : object) {",
                  "    shapes::Field field = shapes::next_field(entry);",
                  "    if (shapes::is_null(field.value)) continue;",
                  "    switch (field.name.size()) {")
        for size in sorted(by_size):
            self.emit(f"      case {size}:")
            for wire_name, member in by_size[size]:
                self.emit(f"        if (field.name == {quoted(wire_name)}) {{")
                if "unsupported" in member.traits:
                    accepted = member.traits["unsupported"].get("unless")
                    text = self.literal_json(accepted)
                    self.emit(f"          shapes::refuse_unsupported(context, field, {quoted(text)});")
                else:
                    name, bit = cpp[member.name]
                    place = f"out.{name}"
                    fresh = f"shapes::fresh({place})" if bit is not None else f"{place}.emplace()"
                    self.emit("          " + self.read_into(member, "field.value", place, fresh, False))
                    if bit is not None:
                        self.emit(f"          out.missing_required &= ~uint64_t{{{1 << bit:#x}}};")
                self.emit("          continue;", "        }")
            self.emit("        break;")
        self.emit("      default: break;", "    }", "  }", "  (void)out;", "  (void)context;", "}", "")

    @staticmethod
    def literal_json(value):
        if value is None:
            return ""
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, str):
            return f'"{value}"'
        if isinstance(value, (list, dict)):
            return "[]" if isinstance(value, list) else "{}"
        return str(value)

    def read_list(self, shape):
        member = shape.members["member"]
        self.emit(self.signature(shape) + " {",
                  "  for (auto entry : shapes::open_array(json, place)) {",
                  "    shapes::Json element = shapes::next_element(entry);")
        if room := list_room(self.model, shape):
            self.emit(f"    if (out.size() >= {room}) continue;")
        if self.types.is_scalar(member.target):
            read = self.read_into(member, "element", "out", "", True)
            self.emit("    out.push_back(" + read.removeprefix("out = ").removesuffix(";") + ");")
        else:
            self.emit("    " + self.read_into(member, "element", "", "out.emplace_back()", True))
        self.emit("  }", "  (void)context;", "}", "")

    def read_map(self, shape):
        member = shape.members["value"]
        self.emit(self.signature(shape) + " {",
                  f"  auto object = shapes::open_object(json, place, {quoted(self.types.java(shape.name))});",
                  "  for (auto entry : object) {",
                  "    shapes::Field field = shapes::next_field(entry);",
                  "    if (shapes::is_null(field.value)) continue;",
                  "    auto& slot = out[std::string(field.name)];",
                  "    " + self.read_into(member, "field.value", "slot", "shapes::fresh(slot)", True),
                  "  }", "  (void)context;", "}", "")

    def read_functions(self, roots):
        names = self.types.reachable(roots, self.bindings.is_bound)
        shapes = [self.model.shapes[name] for name in self.model.shapes
                  if name in names and not self.types.custom(name)]
        shapes = [shape for shape in shapes if shape.kind in ("structure", "union", "list", "map")]
        for shape in shapes:
            self.emit(self.signature(shape) + ";")
        self.emit("")
        for shape in shapes:
            {"list": self.read_list, "map": self.read_map}.get(shape.kind, self.read_structure)(shape)

    # ---- Writing ----

    def write_value(self, member, value):
        target = member.target
        if self.types.custom(target):
            return f"codecs::write(writer, {value});"
        kind = self.model.shape(target).kind
        if kind == "enum":
            kind = "String"
        if kind == "Timestamp":
            return f"shapes::write_timestamp(writer, {value}, {self.timestamp_format(member, 'epoch-seconds')});"
        if kind == "Blob":
            return f"shapes::write_blob(writer, {value});"
        if kind in WRITERS:
            return f"writer.{WRITERS[kind]}({value});"
        return f"write_{target}(writer, {value});"

    def write_members(self, shape, members):
        cpp = {member.name: (name, bit) for member, name, _, bit in self.types.members(shape)}
        for member in members:
            if member.name not in cpp:
                continue
            name, bit = cpp[member.name]
            wire_name = quoted(member.traits.get("jsonName", member.name))
            if bit is not None:
                self.emit(f"  writer.key({wire_name});", "  " + self.write_value(member, f"in.{name}"))
            else:
                self.emit(f"  if (in.{name}) {{", f"    writer.key({wire_name});",
                          "    " + self.write_value(member, f"*in.{name}"), "  }")

    def write_signature(self, shape):
        return f"void write_{shape.name}(json::Writer& writer, const {self.types.of(shape.name)}& in)"

    def write_function(self, shape):
        self.emit(self.write_signature(shape) + " {")
        if shape.kind == "list":
            if self.types.custom(shape.members["member"].target):
                self.emit("  codecs::make_room(writer, in);")
            self.emit("  writer.begin_array();", "  for (const auto& element : in) {",
                      "    " + self.write_value(shape.members["member"], "element"), "  }", "  writer.end_array();")
        elif shape.kind == "map":
            self.emit("  writer.begin_object();", "  for (const auto& [key, value] : in) {", "    writer.key(key);",
                      "    " + self.write_value(shape.members["value"], "value"), "  }", "  writer.end_object();")
        else:
            self.emit("  writer.begin_object();")
            self.write_members(shape, self.body_members(shape))
            self.emit("  writer.end_object();", "  (void)in;")
        self.emit("}", "")

    def write_functions(self, roots):
        names = self.types.reachable(roots, self.bindings.is_bound)
        shapes = [shape for name, shape in self.model.shapes.items() if name in names and not self.types.custom(name)
                  and shape.kind in ("structure", "union", "list", "map")]
        for shape in shapes:
            self.emit(self.write_signature(shape) + ";")
        self.emit("")
        for shape in shapes:
            self.write_function(shape)

    # ---- Operations and errors ----

    def info(self, operation):
        """The definition of an operation's info; of one that is refused, an element of their list."""
        fields = info_fields(self, operation)
        if "unsupported" in operation.traits:
            self.emit("    {", *(f"        {field}," for field in fields), "    },")
        else:
            self.emit(f"constinit const OperationInfo {operation.name}::info{{",
                      *(f"    {field}," for field in fields), "};", "")

    def parse(self, operation):
        name = input_name(operation)
        shape = self.model.shapes.get(name)
        self.emit(f"{name} {operation.name}::parse(const WireRequest& request) {{", f"  {name} input;")
        if shape is None:
            self.emit("  (void)request;", "  return input;", "}", "")
            return
        payload = self.bindings.payload(shape)
        body = self.body_members(shape)
        self.emit("  shapes::ReadContext context{info};")
        if self.query:
            self.emit("  if (request.form) {", f"    query_{name}(*request.form, input, context);", "    return input;", "  }")
        if self.cbor:
            self.emit("  if (is_cbor(request.encoding)) {",
                      "    cbor::Reader reader(request.body, time_unit_of(request.encoding));",
                      f"    cbor_read_{name}(reader, input, context);", "    reader.finish();", "    return input;", "  }")
        if self.protocol == "query":
            self.emit("  return input;", "}", "")
            return
        stream = self.bindings.body_stream(shape)
        if stream:
            if mask := self.types.required_mask(shape):
                self.emit(f"  input.missing_required = {mask:#x};")
            self.emit(f"  input.{stream[1]} = request.stream;")
        elif payload:
            self.emit(*self.bindings.read_payload(shape, payload))
        elif self.xml_reading and body:
            root = shape.traits.get("xmlName", name)
            self.emit(f"  const shapes::XmlBody body(request.body, {quoted(root)});",
                      f"  read_xml_{name}(body.root(), input, context);")
        elif (body and not self.xml_reading) or not self.is_rest:
            self.emit("  try {", "    shapes::JsonBody body(request.body);",
                      f"    read_{name}(body.root(), input, context, shapes::Place::field);", "    body.finish();",
                      "  } catch (const simdjson::simdjson_error& error) {", "    shapes::refuse_malformed(error);",
                      "  }")
        elif mask := self.types.required_mask(shape):
            self.emit(f"  input.missing_required = {mask:#x};")
        self.emit(*self.bindings.read_bound(shape))
        self.emit("  if (context.deferred) {", "    validate(input);", "    throw *std::move(context.deferred);", "  }",
                  "  (void)request;", "  return input;", "}", "")

    def validate(self, operation):
        name = input_name(operation)
        self.emit(f"void {operation.name}::validate(const {name}& request) {{",
                  *self.bindings.check_payload(name, self.checks))
        if name in self.model.shapes and self.checks.needed(name):
            hide = "true" if "hideCollections" in self.model.service.traits else "false"
            code = self.model.service.traits.get("validationError")
            error = f", {quoted(code)}" if code else ""
            self.emit(f"  Violations violations({hide}{error});", f"  check_{name}(request, nullptr, violations);",
                      "  violations.raise();")
        else:
            self.emit("  (void)request;")
        self.emit("}", "")

    def serialize(self, operation):
        name = output_name(operation)
        shape = self.model.shapes.get(name)
        self.emit(f"void {operation.name}::serialize(const {name}& in, WireResponse& out) {{",
                  "  out.status = info.success_status;")
        if stream := self.events.of(shape):
            self.emit(*self.events.serialize(shape, *stream), "}", "")
            return
        if self.query:
            self.serialize_query(operation, shape)
        if self.cbor:
            write = [f"    cbor_write_{name}(writer, in);"] if shape else []
            if shape:
                write.insert(0, "    cbor::Writer writer(out.body, time_unit_of(out.encoding));")
            self.emit("  if (is_cbor(out.encoding)) {", *write, "    return;", "  }")
        if self.protocol == "query":
            self.emit("  (void)in;", "}", "")
            return
        if self.is_rest:
            self.emit(*self.bindings.write_output(shape, operation))
        else:
            version = "1.0" if self.protocol == "json_1_0" else "1.1"
            self.emit(f'  out.content_type = "application/x-amz-json-{version}";')
            if shape:
                self.emit("  json::Writer writer(out.body);", f"  write_{name}(writer, in);")
            else:
                # AWS answers an operation without output with no body at all.
                self.emit("  (void)in;")
        self.emit("}", "")

    def serialize_query(self, operation, shape):
        self.emit("  if (out.encoding == Encoding::query) {")
        if shape:
            result = quoted(operation.name + "Result")
            self.emit("    XmlWriter xml(out.body);", f"    xml.open({result});", f"    xml_{shape.name}(xml, in);",
                      f"    xml.close({result});")
        self.emit("    return;", "  }")

    def error(self, shape):
        status = shape.traits.get("httpError", 400 if shape.traits["error"] == "client" else 500)
        name = snake(shape.name)
        self.emit(f"Error {name}(std::string message) {{",
                  f"  Error error({quoted(shape.name)}, {status}, std::move(message));")
        if message_member(shape) != "message":
            self.emit(f"  error.message_member = {quoted(message_member(shape))};")
        if query := shape.traits.get("awsQueryError"):
            self.emit(f"  error.query_code = {quoted(query['code'])};")
            self.emit(f"  error.query_status = {query.get('httpResponseCode', status)};")
        kind = ""
        if "Type" in shape.members:
            kind = '"Type":"User"' if shape.traits["error"] == "client" else '"Type":"Service"'
            self.emit(f"  error.more_members = {quoted(kind)};")
        self.emit("  return error;", "}")
        if (members := more_members(shape)) and self.xml_reading:
            self.emit(f"Error {name}(std::string message, const {shape.name}& in) {{",
                      f"  Error error = {name}(std::move(message));", *self.xml_error_members(shape, members),
                      "  return error;", "}")
        elif members:
            self.emit(f"Error {name}(std::string message, const {shape.name}& in) {{",
                      f"  Error error = {name}(std::move(message));", "  std::string text;",
                      "  json::Writer writer(text);", "  writer.begin_object();")
            self.write_members(shape, members)
            self.emit("  writer.end_object();", "  shapes::add_error_members(error, text);", "  return error;", "}")

    def xml_error_members(self, shape, members):
        """Statements that put an error's members into its details."""
        lines = []
        for member, name, _, bit in self.types.members(shape):
            if member not in members:
                continue
            text, _ = self.xml.text_of(member, f"in.{name}" if bit is not None else f"*in.{name}")
            if text is None:
                raise ModelError(f"{self.model.path}:{member.line}: an error's member is a scalar in XML")
            guard = "" if bit is not None else f"if (in.{name}) "
            lines.append(f"  {guard}error.details.emplace_back({quoted(member.traits.get('xmlName', member.name))}, {text});")
        return lines

    def body_roots(self, name_of):
        """Names of the shapes that stand in bodies of the operations: the whole input or output, or its payload."""
        roots = []
        for operation in self.model.operations():
            shape = self.model.shapes.get(name_of(operation))
            if shape is None:
                continue
            if payload := self.bindings.payload(shape):
                roots.append(payload.target)
            elif self.bindings.body_stream(shape):
                continue
            elif self.body_members(shape) or not self.is_rest:
                roots.append(shape.name)
            elif name_of is output_name and operation.traits["http"].get("code") != 204:
                roots.append(shape.name)
        return roots

    def text(self):
        model, service = self.model, self.service
        inputs = [input_name(op) for op in model.operations() if input_name(op) in model.shapes]
        outputs = self.body_roots(output_name)
        outputs += self.events.roots()
        body_outputs = list(outputs)
        outputs += [m.target for error in model.errors() for m in more_members(error)]
        codecs = sorted({custom["codec"] for shape in model.shapes.values()
                         if (custom := shape.traits.get("cppType")) and "codec" in custom})
        self.emit(f"// Made by models/generate.py from models/{service}.smithy.", f'#include "{service}.h"',
                  "", '#include "base/json.h"', *(f'#include "{codec}"' for codec in codecs),
                  '#include "wire/shape_bindings.h"', '#include "wire/shape_reader.h"', '#include "wire/shape_writer.h"',
                  '#include "wire/validation.h"',
                  *(['#include "base/base64.h"', '#include "wire/xml_writer.h"'] if self.xml else []),
                  *(['#include "wire/query_form.h"'] if self.query else []),
                  *(['#include "wire/cbor.h"'] if self.cbor else []),
                  *(['#include "wire/event_message.h"'] if self.events.unions() else []),
                  *(['#include "wire/xml_reader.h"'] if self.xml_reading else []), "", f"namespace tidemill::wire::{service} {{", "namespace {", "")
        at = len(self.out)
        if self.xml_reading:
            self.emit(*self.xml_reading.functions(self.body_roots(input_name)))
            self.emit(*self.xml.functions(self.body_roots(output_name)))
        elif self.protocol != "query":
            self.read_functions(self.body_roots(input_name))
            self.write_functions(outputs)
        if self.query:
            self.emit(*self.query.read_functions(inputs))
            self.emit(*self.xml.functions(self.body_roots(output_name)))
        if self.cbor:
            self.emit(*self.cbor.read_functions(inputs), *self.cbor.write_functions(body_outputs))
        self.emit(*self.events.functions())
        self.emit(*self.checks.functions(inputs))
        self.out[at:at] = self.checks.rules()
        self.emit("}  // namespace", "", "namespace errors {", "")
        for error in model.errors():
            self.error(error)
        self.emit("", "}  // namespace errors", "", "namespace ops {", "")
        for operation in model.operations():
            self.info(operation)
            self.parse(operation)
            self.validate(operation)
            self.serialize(operation)
        self.emit("}  // namespace ops", "", "std::span<const OperationInfo* const> operations() {",
                  "  static constexpr const OperationInfo* kAll[] = {")
        self.emit(*(f"      &ops::{operation.name}::info," for operation in model.operations()))
        self.emit("  };", "  return kAll;", "}", "", "std::span<const OperationInfo> refused_operations() {")
        if refused := model.refused_operations():
            self.emit("  static constinit const OperationInfo kRefused[] = {")
            for operation in refused:
                self.info(operation)
            self.emit("  };", "  return kRefused;")
        else:
            self.emit("  return {};")
        self.emit("}", "", f"}}  // namespace tidemill::wire::{service}", "")
        return "\n".join(self.out)


def source(model, service):
    return Source(model, service).text()
