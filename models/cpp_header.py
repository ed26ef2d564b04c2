"""Writes <service>.h: structures, constants of enums, tags of operations, factories of errors. Light to include."""

from cpp import Types, constant, quoted, snake


def input_name(operation):
    return operation.properties.get("input", operation.name + "Input")


def output_name(operation):
    return operation.properties.get("output", operation.name + "Output")


def message_member(error):
    for name in error.members:
        if name.lower() == "message":
            return name
    return "message"


def more_members(error):
    """Members of an error's body beside its message and its constant Type."""
    return [m for m in error.members.values()
            if m.name not in (message_member(error), "Type") and "httpHeader" not in m.traits]


def header(model, service):
    types = Types(model)
    includes = sorted({custom["header"] for shape in model.shapes.values()
                       if (custom := shape.traits.get("cppType")) and "header" in custom})
    uses_document = any(member.target == "Document" for shape in model.shapes.values()
                        if "cppType" not in shape.traits for member in shape.members.values()
                        if "unsupported" not in member.traits)
    if uses_document:
        includes.insert(0, "base/json.h")
    out = [f"// Made by models/generate.py from models/{service}.smithy.",
           "#pragma once", "",
           "#include <cstdint>", "#include <map>", "#include <optional>", "#include <span>", "#include <string>",
           "#include <string_view>", "#include <utility>", "#include <vector>", "", '#include "base/clock.h"']
    out += [f'#include "{include}"' for include in includes]
    if any(types.is_event_stream(name) for name in model.shapes):
        out.append('#include "wire/event_stream.h"')
    out += ['#include "wire/error.h"', '#include "wire/registry.h"', "", f"namespace tidemill::wire::{service} {{", ""]

    for shape in model.shapes.values():
        if shape.kind != "enum":
            continue
        out.append(f"namespace {shape.name} {{")
        for name, value in shape.values:
            out.append(f"inline constexpr std::string_view {constant(name)} = {quoted(value)};")
        out += [f"}}  // namespace {shape.name}", ""]

    ordered = [shape for shape in types.in_order() if "error" not in shape.traits or more_members(shape)]
    out += [f"struct {shape.name};" for shape in ordered]
    out.append("")
    for shape in ordered:
        out.append(f"struct {shape.name} {{")
        streams = {member.name: (name, type_name) for member, name, type_name in types.streams(shape)}
        known = {member.name: (name, type_name, bit) for member, name, type_name, bit in types.members(shape)}
        shown = {m.name for m in (more_members(shape) if "error" in shape.traits else shape.members.values())}
        for member in shape.members.values():
            if member.name in streams:
                name, type_name = streams[member.name]
                out.append(f"  {type_name} {name};")
                continue
            if member.name not in shown or member.name not in known:
                continue
            name, type_name, bit = known[member.name]
            if bit is not None:
                initial = "" if type_name.startswith(("std::", "base::Time")) or type_name[0].isupper() else "{}"
                out.append(f"  {type_name} {name}{initial};")
            else:
                out.append(f"  std::optional<{type_name}> {name};")
        if types.required_mask(shape):
            out.append("  // Bit i: the i-th required member was not in the request.")
            out.append("  uint64_t missing_required = 0;")
        out += ["};", ""]
    for operation in model.operations():
        for name in (input_name(operation), output_name(operation)):
            if name not in model.shapes:
                out += [f"struct {name} {{}};", ""]

    out.append("namespace errors {")
    for error in model.errors():
        out.append(f"[[nodiscard]] Error {snake(error.name)}(std::string message);")
        if more_members(error):
            out.append(f"[[nodiscard]] Error {snake(error.name)}(std::string message, const {error.name}& more);")
    out += ["}  // namespace errors", "", "namespace ops {"]
    for operation in model.operations():
        request, response = input_name(operation), output_name(operation)
        out += [f"struct {operation.name} : TypedOperation<{operation.name}, {request}, {response}> {{",
                "  static const OperationInfo info;", "};"]
    out += ["}  // namespace ops", "",
            "// Every operation of the model, for tables and tests that walk them.",
            "[[nodiscard]] std::span<const OperationInfo* const> operations();",
            "// Those that AWS knows and this service refuses, each with its reason: for Registry::refuse.",
            "[[nodiscard]] std::span<const OperationInfo> refused_operations();", "",
            f"}}  // namespace tidemill::wire::{service}", ""]
    return "\n".join(out)
