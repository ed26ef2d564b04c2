"""What an operation's OperationInfo says (src/wire/registry.h)."""

from cpp import quoted
from cpp_header import input_name, output_name
from smithy import ModelError

# As OperationInfo declares them: designated initializers follow that order.
INFO_FIELDS = ("name", "method", "uri", "route_headers", "success_status", "streaming_input", "requires_length",
               "event_stream", "prefixed_value_errors", "ends_with_client", "unsupported_reason", "unwrapped_output",
               "input", "output")

TEXTS = (("targetPrefix", "target_prefix"), ("errorNamespace", "error_namespace"), ("version", "query_version"),
         ("queryPathMember", "query_path_member"), ("throttlingError", "throttling_error"),
         ("internalError", "internal_error"), ("unsupportedError", "unsupported_error"),
         ("validationError", "validation_error"))
FLAGS = (("responseCrc32", "crc32"), ("awsCbor1_1", "cbor"), ("hideCollections", "hide_collections"))


def service_fields(source):
    """Those that all operations of a service share, as assignments."""
    traits = source.model.service.traits
    if source.protocols.query:
        traits = {**traits, "version": source.model.service.properties["version"]}
    fields = [f"service = {quoted(source.service)}",
              f"signing_name = {quoted(traits.get('signingName', source.service))}",
              f"protocol = Protocol::{source.protocols.own}"]
    fields += [f"{name} = {quoted(traits[trait])}" for trait, name in TEXTS if trait in traits]
    if "xmlNamespace" in traits:
        fields.append(f"xml_namespace = {quoted(traits['xmlNamespace'][''])}")
    if "requestBytesMax" in traits:
        fields.append(f"request_bytes_max = {traits['requestBytesMax']}")
    fields += [f"{name} = true" for trait, name in FLAGS if trait in traits]
    if "rpcv2Cbor" in traits:
        fields.append(f"rpc_service = {quoted(traits.get('targetPrefix', source.model.service.name))}")
    return fields


def stream_fields(source, operation):
    """What comes and goes piece by piece, and what of a request's headers routes it."""
    fields = []
    if source.protocols.event_stream(source.model.shapes.get(output_name(operation))):
        fields.append(".event_stream = true")
    shape = source.model.shapes.get(input_name(operation))
    if shape is None:
        return fields
    if stream := source.bindings.body_stream(shape):
        fields.append(".streaming_input = true")
        if "requiresLength" in source.model.shape(stream.target).traits:
            fields.append(".requires_length = true")
    headers = [m.traits["httpHeader"].lower() for m in shape.members.values()
               if "httpHeader" in m.traits and "required" in m.traits]
    if headers and source.protocols.own == "rest_xml":
        fields.append(f".route_headers = {quoted(','.join(headers))}")
    return fields


def info_fields(source, operation):
    """The designated initializers, in order."""
    fields = [f".name = {quoted(operation.name)}"]
    if http := operation.traits.get("http"):
        fields += [f".method = {quoted(http['method'])}", f".uri = {quoted(http['uri'])}",
                   f".success_status = {http.get('code', 200)}"]
    elif source.protocols.is_rest and "unsupported" not in operation.traits:
        raise ModelError(f"{source.model.path}:{operation.line}: {operation.name} has no @http")
    if "prefixedValueErrors" in operation.traits:
        fields.append(".prefixed_value_errors = true")
    if "endsWithClient" in operation.traits:
        fields.append(".ends_with_client = true")
    if "unsupported" in operation.traits:
        fields.append(f".unsupported_reason = {quoted(operation.traits['unsupported']['reason'])}")
    else:
        fields += stream_fields(source, operation)
        fields += [f".input = &shape_{input_name(operation)}", f".output = &shape_{output_name(operation)}"]
    if "s3UnwrappedXmlOutput" in operation.traits:
        fields.append(".unwrapped_output = true")
    return sorted(fields, key=lambda field: INFO_FIELDS.index(field[1:].split(" ")[0]))
