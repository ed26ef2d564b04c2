resource "aws_lambda_layer_version" "common" {
  layer_name          = "tidal-common"
  filename            = var.layer
  source_code_hash    = filebase64sha256(var.layer)
  compatible_runtimes = ["python3.12"]
  description         = "what functions share"
}

resource "aws_lambda_function" "forward" {
  function_name                  = "tidal-forward"
  role                           = aws_iam_role.functions.arn
  runtime                        = "python3.12"
  handler                        = "forward.handler"
  filename                       = var.code
  source_code_hash               = filebase64sha256(var.code)
  layers                         = [aws_lambda_layer_version.common.arn]
  timeout                        = var.delay_seconds
  memory_size                    = 256
  publish                        = true
  reserved_concurrent_executions = local.whole ? 5 : -1
  architectures                  = ["x86_64"]
  environment {
    variables = { QUEUE = aws_sqs_queue.outbox.url }
  }
  dynamic "dead_letter_config" {
    for_each = local.once
    content {
      target_arn = aws_sqs_queue.dead.arn
    }
  }
  ephemeral_storage {
    size = 1024
  }
  logging_config {
    log_format            = "JSON"
    log_group             = aws_cloudwatch_log_group.functions.name
    application_log_level = "INFO"
    system_log_level      = "WARN"
  }
  depends_on = [aws_iam_role_policy.functions, aws_iam_role_policy_attachment.functions]
}

resource "aws_lambda_alias" "live" {
  name             = "live"
  function_name    = aws_lambda_function.forward.function_name
  function_version = aws_lambda_function.forward.version
  description      = "delay ${var.delay_seconds}"
}

resource "aws_lambda_provisioned_concurrency_config" "live" {
  function_name                     = aws_lambda_function.forward.function_name
  qualifier                         = aws_lambda_alias.live.name
  provisioned_concurrent_executions = 1
}

resource "aws_lambda_permission" "rule" {
  statement_id  = "rule"
  action        = "lambda:InvokeFunction"
  function_name = aws_lambda_function.forward.function_name
  principal     = "events.amazonaws.com"
  source_arn    = aws_cloudwatch_event_rule.orders.arn
}

resource "aws_lambda_permission" "bucket" {
  statement_id   = "bucket"
  action         = "lambda:InvokeFunction"
  function_name  = aws_lambda_function.forward.function_name
  principal      = "s3.amazonaws.com"
  source_account = data.aws_caller_identity.current.account_id
  source_arn     = aws_s3_bucket.files.arn
}

resource "aws_lambda_permission" "topic" {
  statement_id  = "topic"
  action        = "lambda:InvokeFunction"
  function_name = aws_lambda_function.forward.function_name
  principal     = "sns.amazonaws.com"
  source_arn    = aws_sns_topic.news.arn
}

resource "aws_lambda_function_url" "forward" {
  function_name      = aws_lambda_function.forward.function_name
  authorization_type = "NONE"
  dynamic "cors" {
    for_each = local.once
    content {
      allow_origins = ["https://app.example"]
      allow_methods = ["GET"]
      max_age       = 60 + var.delay_seconds
    }
  }
}

resource "aws_lambda_function_event_invoke_config" "forward" {
  function_name                = aws_lambda_function.forward.function_name
  maximum_event_age_in_seconds = 3600 + var.delay_seconds
  maximum_retry_attempts       = 1
  dynamic "destination_config" {
    for_each = local.once
    content {
      on_failure {
        destination = aws_sqs_queue.dead.arn
      }
    }
  }
}

resource "aws_lambda_event_source_mapping" "queue" {
  event_source_arn        = aws_sqs_queue.inbox.arn
  function_name           = aws_lambda_function.forward.arn
  batch_size              = var.delay_seconds
  function_response_types = local.whole ? ["ReportBatchItemFailures"] : []
  dynamic "scaling_config" {
    for_each = local.once
    content {
      maximum_concurrency = 2
    }
  }
  dynamic "filter_criteria" {
    for_each = local.once
    content {
      filter {
        pattern = jsonencode({ body = { kind = ["order"] } })
      }
    }
  }
}

resource "aws_lambda_event_source_mapping" "table" {
  event_source_arn                   = aws_dynamodb_table.sessions.stream_arn
  function_name                      = aws_lambda_alias.live.arn
  starting_position                  = "TRIM_HORIZON"
  maximum_batching_window_in_seconds = 1
  maximum_retry_attempts             = var.delay_seconds
  maximum_record_age_in_seconds      = 3600
  bisect_batch_on_function_error     = true
  parallelization_factor             = 2
  dynamic "destination_config" {
    for_each = local.once
    content {
      on_failure {
        destination_arn = aws_sqs_queue.dead.arn
      }
    }
  }
}

resource "aws_lambda_event_source_mapping" "stream" {
  event_source_arn            = aws_kinesis_stream.changes.arn
  function_name               = aws_lambda_function.forward.function_name
  starting_position           = "AT_TIMESTAMP"
  starting_position_timestamp = "2026-01-01T00:00:00Z"
  tumbling_window_in_seconds  = 30
  enabled                     = false
}

resource "aws_lambda_invocation" "hello" {
  function_name = aws_lambda_function.forward.function_name
  input         = jsonencode({ hello = "tide" })
}

resource "aws_lambda_layer_version_permission" "common" {
  layer_name     = aws_lambda_layer_version.common.layer_name
  version_number = aws_lambda_layer_version.common.version
  statement_id   = "partner"
  action         = "lambda:GetLayerVersion"
  principal      = "111122223333"
}

resource "aws_lambda_function_recursion_config" "forward" {
  function_name  = aws_lambda_function.forward.function_name
  recursive_loop = "Allow"
}
