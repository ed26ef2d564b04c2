"""Fails as its event says: {"error": "TimeoutError"} raises an error of that name."""


def handler(event, context):
    raise type(event["error"], (Exception,), {})(f"{context.function_name} has failed")
