"""Reads a request as the service does: by botocore's model of it, every member known, every constraint kept.

botocore itself checks types, what is required and minima; enums, patterns, maxima and unknown members are checked here.
"""

from __future__ import annotations

import base64
import binascii
import functools
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import botocore.loaders
import botocore.model
from botocore.validate import ParamValidator

SOURCE = "Amazon Bedrock API reference, Converse: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html"


@dataclass
class RefusedError(Exception):
    """An answer with an HTTP status of 400 or more."""

    status: int
    code: str
    sentence: str
    headers: Mapping[str, str] = field(default_factory=dict)


def invalid(sentence: str) -> RefusedError:
    return RefusedError(400, "ValidationException", sentence)


@functools.cache
def service_model() -> botocore.model.ServiceModel:
    loader = botocore.loaders.Loader(include_default_search_paths=True)
    return botocore.model.ServiceModel(loader.load_service_model("bedrock-runtime", "service-2"), "bedrock-runtime")


def parsed(operation: str, model_id: str, body: bytes) -> dict[str, Any]:
    """The request's members, `modelId` among them, with blobs as bytes. Raises RefusedError."""
    try:
        members = json.loads(body)
    except ValueError:
        raise RefusedError(400, "SerializationException", "The body is no JSON.") from None
    if not isinstance(members, dict) or "modelId" in members:
        raise RefusedError(400, "SerializationException", "The body is no object of the operation's members.")
    shape = service_model().operation_model(operation).input_shape
    request = _value(shape, {"modelId": model_id, **members}, "")
    report = ParamValidator().validate(request, shape)
    if report.has_errors():
        raise invalid(report.generate_report())
    return request


def _value(shape: Any, value: Any, path: str) -> Any:
    if getattr(shape, "is_document_type", False):
        return value
    kind = shape.type_name
    if kind == "structure":
        return _structure(shape, value, path)
    if kind == "list" and isinstance(value, list):
        _within(shape, len(value), path)
        return [_value(shape.member, one, f"{path}/{place}") for place, one in enumerate(value)]
    if kind == "map" and isinstance(value, dict):
        return {key: _value(shape.value, one, f"{path}/{key}") for key, one in value.items()}
    if kind == "blob" and isinstance(value, str):
        try:
            return base64.b64decode(value, validate=True)
        except binascii.Error:
            raise invalid(f"Malformed input request: #{path}: no base64") from None
    if kind == "string" and isinstance(value, str):
        _text(shape, value, path)
    elif kind in ("integer", "long", "float", "double") and isinstance(value, int | float):
        _within(shape, value, path)
    return value  # of a wrong type: botocore's own check says so


def _structure(shape: Any, value: Any, path: str) -> Any:
    if not isinstance(value, dict):
        return value
    for name in value:
        if name not in shape.members:
            raise invalid(f"Malformed input request: #{path or '/'}: extraneous key [{name}] is not permitted")
    if getattr(shape, "is_tagged_union", False) and len(value) != 1:
        raise invalid(f"Malformed input request: #{path}: exactly one of {', '.join(shape.members)} has to be set")
    return {name: _value(shape.members[name], one, f"{path}/{name}") for name, one in value.items()}


def _text(shape: Any, value: str, path: str) -> None:
    _within(shape, len(value), path)
    if shape.enum and value not in shape.enum:
        raise invalid(f"Value '{value}' at '{path}' failed to satisfy enum value set: {shape.enum}")
    pattern = shape.metadata.get("pattern")
    if pattern and not re.fullmatch(pattern, value):
        raise invalid(f"Value '{value}' at '{path}' failed to satisfy regular expression pattern: {pattern}")


def _within(shape: Any, size: float, path: str) -> None:
    most = shape.metadata.get("max")
    if most is not None and size > most:
        raise invalid(f"Value at '{path}' failed to satisfy constraint: at most {most}")
