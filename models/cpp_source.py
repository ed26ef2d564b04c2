"""Writes <service>.cc: a model's shapes and operations as tables. What reads and writes by them is in src/wire."""

from cpp import Types, quoted, snake
from cpp_bindings import Bindings
from cpp_checks import Checks
from cpp_header import input_name, message_member, more_members, output_name
from cpp_info import info_fields, service_fields
from cpp_protocols import Protocols
from cpp_tables import Tables
from smithy import ModelError


class Source:
    def __init__(self, model, service):
        self.model = model
        self.service = service
        self.types = Types(model)
        self.bindings = Bindings(model, self.types)
        self.checks = Checks(model, self.types)
        self.protocols = Protocols(model, self.types)
        self.tables = Tables(model, self.types, self.bindings, self.checks)
        self.out = []
        self.refuse()

    def refuse(self):
        """What is in the subset, but has no form in the service's protocols."""
        roots = []
        for operation in self.model.operations():
            shapes = [self.model.shapes.get(name(operation)) for name in (input_name, output_name)]
            self.protocols.refuse_events(operation, *shapes)
            roots += [shape.name for shape in shapes if shape]
            for shape in shapes:
                if shape and self.protocols.is_rest:
                    self.bindings.refuse(shape)
        for name in self.types.reachable(roots):
            self.protocols.refuse_documents(self.model.shape(name))

    def emit(self, *lines):
        self.out.extend(lines)

    # ---- Errors ----

    def error(self, shape):
        """Its table and the functions that make it."""
        status = shape.traits.get("httpError", 400 if shape.traits["error"] == "client" else 500)
        fields = [f".code = {quoted(shape.name)}", f".status = {status}"]
        if message_member(shape) != "message":
            fields.append(f".message_member = {quoted(message_member(shape))}")
        if query := shape.traits.get("awsQueryError"):
            fields += [f".query_code = {quoted(query['code'])}",
                       f".query_status = {query.get('httpResponseCode', status)}"]
        if "Type" in shape.members:
            fields.append(f".type = {quoted('User' if shape.traits['error'] == 'client' else 'Service')}")
        if members := more_members(shape):
            fields.append(f".members = &shape_{shape.name}")
        in_xml = self.protocols.own == "rest_xml"
        if in_xml:
            fields.append(".in_xml = true")
            for member in members:
                if not self.types.is_scalar(member.target):
                    raise ModelError(f"{self.model.path}:{member.line}: an error's member is a scalar in XML")
        name = snake(shape.name)
        self.emit(f"constexpr shapes::ErrorShape error_{name}{{{', '.join(fields)}}};",
                  f"Error {name}(std::string message) {{ "
                  f"return shapes::make_error(error_{name}, std::move(message)); }}")
        if members:
            self.emit(f"Error {name}(std::string message, const {shape.name}& in) {{ "
                      f"return shapes::make_error(error_{name}, std::move(message), &in); }}")

    # ---- Operations ----

    def info(self, operation):
        return f"of_service({{{', '.join(info_fields(self, operation))}}})"

    def operations(self):
        self.emit("// What all operations of the service share.",
                  "constexpr OperationInfo of_service(OperationInfo info) {",
                  *(f"  info.{field};" for field in service_fields(self)), "  return info;", "}", "",
                  "}  // namespace", "", "namespace ops {")
        for operation in self.model.operations():
            self.emit(f"constinit const OperationInfo {operation.name}::info = {self.info(operation)};")
        self.emit("}  // namespace ops", "", "std::span<const OperationInfo* const> operations() {",
                  "  static constexpr const OperationInfo* kAll[] = {",
                  *(f"      &ops::{operation.name}::info," for operation in self.model.operations()),
                  "  };", "  return kAll;", "}", "", "std::span<const OperationInfo> refused_operations() {")
        if refused := self.model.refused_operations():
            self.emit("  static constinit const OperationInfo kRefused[] = {",
                      *(f"      {self.info(operation)}," for operation in refused), "  };", "  return kRefused;")
        else:
            self.emit("  return {};")
        self.emit("}", "")

    def text(self):
        model, service = self.model, self.service
        names = [name(operation) for operation in model.operations() for name in (input_name, output_name)]
        roots = [name for name in names if name in model.shapes]
        absent = list(dict.fromkeys(name for name in names if name not in model.shapes))
        codecs = sorted({custom["codec"] for shape in model.shapes.values()
                         if (custom := shape.traits.get("cppType")) and "codec" in custom})
        self.emit(f"// Made by models/generate.py from models/{service}.smithy.", f'#include "{service}.h"', "",
                  "#include <cstddef>", *(["#include <type_traits>"] if codecs else []), "",
                  *(f'#include "{codec}"' for codec in codecs), '#include "wire/shape_access.h"',
                  '#include "wire/shape_errors.h"', "",
                  "// Of types that are not of standard layout too: every compiler that builds this knows them.",
                  '#pragma clang diagnostic ignored "-Winvalid-offsetof"', "",
                  f"namespace tidemill::wire::{service} {{", "", "namespace {", "")
        self.emit(*self.tables.text(roots, absent))
        self.emit("}  // namespace", "", "namespace errors {")
        for error in model.errors():
            self.error(error)
        self.emit("}  // namespace errors", "", "namespace {", "")
        self.operations()
        self.emit(f"}}  // namespace tidemill::wire::{service}", "")
        return "\n".join(self.out)


def source(model, service):
    return Source(model, service).text()
