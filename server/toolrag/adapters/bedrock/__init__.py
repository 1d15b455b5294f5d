"""Amazon Bedrock as a ChatModel. No other package knows boto3, which is imported with the first request."""

from __future__ import annotations

from toolrag.adapters.bedrock.model import BedrockModel

__all__ = ["BedrockModel"]
