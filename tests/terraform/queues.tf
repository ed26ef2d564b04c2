resource "aws_sqs_queue" "dead" {
  name = "tidal-dead"
}

resource "aws_sqs_queue" "inbox" {
  name                       = "tidal-inbox"
  delay_seconds              = var.delay_seconds
  visibility_timeout_seconds = 60
  message_retention_seconds  = 86400
  max_message_size           = 2048
  receive_wait_time_seconds  = 10
  redrive_policy = local.whole ? jsonencode({
    deadLetterTargetArn = aws_sqs_queue.dead.arn, maxReceiveCount = 3
  }) : null
}

resource "aws_sqs_queue_redrive_allow_policy" "dead" {
  queue_url            = aws_sqs_queue.dead.id
  redrive_allow_policy = jsonencode({ redrivePermission = "byQueue", sourceQueueArns = [aws_sqs_queue.inbox.arn] })
}

resource "aws_sqs_queue" "outbox" {
  name = "tidal-outbox"
}

resource "aws_sqs_queue" "spare" {
  name = "tidal-spare-${var.generation}"
}

resource "aws_sqs_queue" "ordered" {
  name                        = "tidal-ordered.fifo"
  fifo_queue                  = true
  content_based_deduplication = true
  deduplication_scope         = "messageGroup"
  fifo_throughput_limit       = "perMessageGroupId"
}

data "aws_iam_policy_document" "outbox" {
  statement {
    actions   = ["sqs:SendMessage"]
    resources = [aws_sqs_queue.outbox.arn]
    principals {
      type        = "Service"
      identifiers = ["sns.amazonaws.com", "events.amazonaws.com", "s3.amazonaws.com"]
    }
    condition {
      test     = "StringEquals"
      variable = "aws:SourceAccount"
      values   = [data.aws_caller_identity.current.account_id]
    }
  }
}

resource "aws_sqs_queue_policy" "outbox" {
  queue_url = aws_sqs_queue.outbox.id
  policy    = data.aws_iam_policy_document.outbox.json
}

resource "aws_sns_topic" "news" {
  name           = "tidal-news"
  display_name   = "news of ${var.delay_seconds}"
  tracing_config = "PassThrough"
  delivery_policy = jsonencode({ http = { defaultHealthyRetryPolicy = {
    minDelayTarget = 1, maxDelayTarget = 20, numRetries = 5, numMaxDelayRetries = 0, numNoDelayRetries = 0,
  numMinDelayRetries = 0, backoffFunction = "linear" }, disableSubscriptionOverrides = false } })
}

resource "aws_sns_topic" "ordered" {
  name                        = "tidal-ordered-${var.generation}.fifo"
  fifo_topic                  = true
  content_based_deduplication = true
}

resource "aws_sns_topic_policy" "news" {
  arn = aws_sns_topic.news.arn
  policy = jsonencode({ Version = "2012-10-17", Statement = [{
    Effect    = "Allow", Action = "sns:Publish", Resource = aws_sns_topic.news.arn,
    Principal = { Service = "cloudwatch.amazonaws.com" }
  }] })
}

resource "aws_sns_topic_subscription" "queue" {
  topic_arn            = aws_sns_topic.news.arn
  protocol             = "sqs"
  endpoint             = aws_sqs_queue.outbox.arn
  raw_message_delivery = local.whole
  filter_policy        = local.whole ? jsonencode({ size = [{ numeric = [">", var.delay_seconds] }] }) : null
  redrive_policy       = local.whole ? jsonencode({ deadLetterTargetArn = aws_sqs_queue.dead.arn }) : null
}

resource "aws_sns_topic_subscription" "function" {
  topic_arn           = aws_sns_topic.news.arn
  protocol            = "lambda"
  endpoint            = aws_lambda_function.forward.arn
  filter_policy_scope = "MessageBody"
  filter_policy       = jsonencode({ kind = ["order"] })
}
