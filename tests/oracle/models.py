"""The API shapes of the server, read from models/ with the parser that the build uses: what requests are made of, and what
answers may show."""
import pathlib
import sys
from dataclasses import dataclass

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "models"))
from smithy import SIMPLE_TYPES, Model  # noqa: E402

NUMBERS = ("Integer", "Long", "Float", "Double")
SCALARS = (*SIMPLE_TYPES, "enum")
PROTOCOLS = {"awsJson1_0": "json", "awsJson1_1": "json", "restJson1": "rest_json", "restXml": "rest_xml", "awsQuery": "query",
             "awsCbor1_1": "cbor", "rpcv2Cbor": "rpc_cbor"}


@dataclass(frozen=True)
class Operation:
    """One operation of one service, as a test calls it."""
    service: str  # the model's name
    model: Model
    shape: object

    def __str__(self):
        return f"{self.service}.{self.name}"

    @property
    def name(self):
        return self.shape.name

    @property
    def traits(self):
        return self.model.service.traits

    @property
    def input(self):
        return self.model.shapes.get(self.shape.properties.get("input"))

    @property
    def output(self):
        return self.model.shapes.get(self.shape.properties.get("output"))

    @property
    def validation_error(self):
        return self.traits.get("validationError", "ValidationException")

    def protocols(self):
        return [PROTOCOLS[trait] for trait in PROTOCOLS if trait in self.traits]

    def streams(self):
        """Whether something comes or goes piece by piece."""
        return any("streaming" in self.model.shape(member.target).traits
                   for shape in (self.input, self.output) if shape for member in shape.members.values())


def all_operations():
    """Those that a handler answers, of every model."""
    for path in sorted((ROOT / "models").glob("*.smithy")):
        model = Model(str(path))
        for shape in model.operations():
            yield Operation(path.stem, model, shape)


def is_scalar(shape):
    return shape.kind in SCALARS


def is_custom(shape):
    """Written by hand in the server, as DynamoDB's values are."""
    return "cppType" in shape.traits
