"""Forwards each new note, and each message of the topic, to the queue."""
import json
import os

import boto3

queue = boto3.client("sqs")


def handler(event, context):
    for record in event["Records"]:
        text = record["Sns"]["Message"] if "Sns" in record else record["dynamodb"]["NewImage"]["text"]["S"]
        queue.send_message(QueueUrl=os.environ["QUEUE_URL"], MessageBody=json.dumps([os.environ["NOTE"], text]))
