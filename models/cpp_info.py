"""What an operation's OperationInfo says (src/wire/registry.h)."""

from cpp import quoted
from cpp_header import input_name, output_name
from smithy import ModelError

# As OperationInfo declares them: designated initializers follow that order.
INFO_FIELDS = ("service", "signing_name", "name", "protocol", "target_prefix", "error_namespace", "query_version",
               "xml_namespace", "query_path_member", "method", "uri", "route_headers", "success_status",
               "throttling_error", "internal_error", "unsupported_error", "crc32", "request_bytes_max",
               "validation_error", "cbor", "rpc_service", "streaming_input", "requires_length", "event_stream",
               "prefixed_value_errors", "ends_with_client", "unsupported_reason")

TEXTS = (("targetPrefix", "target_prefix"), ("errorNamespace", "error_namespace"), ("version", "query_version"),
         ("queryPathMember", "query_path_member"), ("throttlingError", "throttling_error"),
         ("internalError", "internal_error"), ("unsupportedError", "unsupported_error"),
         ("validationError", "validation_error"))


def service_fields(source):
    """Those that all operations of a service share."""
    traits = source.model.service.traits
    if source.query:
        traits = {**traits, "version": source.model.service.properties["version"]}
    fields = [f".service = {quoted(source.service)}",
              f".signing_name = {quoted(traits.get('signingName', source.service))}",
              f".protocol = Protocol::{source.protocol}"]
    fields += [f".{name} = {quoted(traits[trait])}" for trait, name in TEXTS if trait in traits]
    if "xmlNamespace" in traits:
        fields.append(f".xml_namespace = {quoted(traits['xmlNamespace'][''])}")
    if "responseCrc32" in traits:
        fields.append(".crc32 = true")
    if "requestBytesMax" in traits:
        fields.append(f".request_bytes_max = {traits['requestBytesMax']}")
    if "awsCbor1_1" in traits:
        fields.append(".cbor = true")
    if "rpcv2Cbor" in traits:
        fields.append(f".rpc_service = {quoted(traits.get('targetPrefix', source.model.service.name))}")
    return fields


def stream_fields(source, operation):
    """What comes and goes piece by piece, and what of a request's headers routes it."""
    fields = []
    if source.events.of(source.model.shapes.get(output_name(operation))):
        fields.append(".event_stream = true")
    shape = source.model.shapes.get(input_name(operation))
    if shape is None:
        return fields
    if stream := source.bindings.body_stream(shape):
        fields.append(".streaming_input = true")
        if "requiresLength" in source.model.shape(stream[0].target).traits:
            fields.append(".requires_length = true")
    headers = [m.traits["httpHeader"].lower() for m in shape.members.values()
               if "httpHeader" in m.traits and "required" in m.traits]
    if headers and source.protocol == "rest_xml":
        fields.append(f".route_headers = {quoted(','.join(headers))}")
    return fields


def info_fields(source, operation):
    """The designated initializers, in order."""
    fields = [*service_fields(source), f".name = {quoted(operation.name)}"]
    if http := operation.traits.get("http"):
        fields += [f".method = {quoted(http['method'])}", f".uri = {quoted(http['uri'])}",
                   f".success_status = {http.get('code', 200)}"]
    elif source.is_rest and "unsupported" not in operation.traits:
        raise ModelError(f"{source.model.path}:{operation.line}: {operation.name} has no @http")
    if "prefixedValueErrors" in operation.traits:
        fields.append(".prefixed_value_errors = true")
    if "endsWithClient" in operation.traits:
        fields.append(".ends_with_client = true")
    if "unsupported" in operation.traits:
        fields.append(f".unsupported_reason = {quoted(operation.traits['unsupported']['reason'])}")
    else:
        fields += stream_fields(source, operation)
    return sorted(fields, key=lambda field: INFO_FIELDS.index(field[1:].split(" ")[0]))
