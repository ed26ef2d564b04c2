resource "aws_sfn_state_machine" "orders" {
  name     = "tidal-orders"
  role_arn = aws_iam_role.events.arn
  publish  = true
  definition = jsonencode({
    StartAt = "Wait"
    States = {
      Wait = { Type = "Wait", Seconds = var.delay_seconds, Next = "Forward" }
      Forward = {
        Type       = "Task", Resource = "arn:aws:states:::lambda:invoke", End = true
        Parameters = { FunctionName = aws_lambda_function.forward.arn, "Payload.$" = "$" }
      }
    }
  })
}

resource "aws_sfn_alias" "live" {
  name = "live"
  routing_configuration {
    state_machine_version_arn = aws_sfn_state_machine.orders.state_machine_version_arn
    weight                    = 100
  }
}

resource "aws_sfn_state_machine" "quick" {
  name       = "tidal-quick-${var.generation}"
  role_arn   = aws_iam_role.events.arn
  type       = "EXPRESS"
  definition = jsonencode({ StartAt = "Done", States = { Done = { Type = "Succeed" } } })
  logging_configuration {
    log_destination        = "${aws_cloudwatch_log_group.workflows.arn}:*"
    include_execution_data = true
    level                  = "ALL"
  }
}

resource "aws_sfn_activity" "human" {
  name = "tidal-human"
}

resource "aws_pipes_pipe" "orders" {
  name        = "tidal-orders"
  role_arn    = aws_iam_role.events.arn
  source      = aws_sqs_queue.ordered.arn
  target      = aws_cloudwatch_event_bus.orders.arn
  enrichment  = aws_lambda_function.forward.arn
  description = "delay ${var.delay_seconds}"
  source_parameters {
    dynamic "filter_criteria" {
      for_each = local.once
      content {
        filter {
          pattern = jsonencode({ body = { kind = ["order"] } })
        }
      }
    }
    sqs_queue_parameters {
      batch_size = var.delay_seconds
    }
  }
  enrichment_parameters {
    input_template = "{\"body\": <$.body>}"
  }
  target_parameters {
    eventbridge_event_bus_parameters {
      detail_type = "Order"
      source      = "tidal"
    }
  }
  log_configuration {
    level                  = "INFO"
    include_execution_data = ["ALL"]
    cloudwatch_logs_log_destination {
      log_group_arn = aws_cloudwatch_log_group.workflows.arn
    }
  }
}

resource "aws_pipes_pipe" "changes" {
  name     = "tidal-changes"
  role_arn = aws_iam_role.events.arn
  source   = aws_kinesis_stream.changes.arn
  target   = aws_sfn_state_machine.quick.arn
  source_parameters {
    kinesis_stream_parameters {
      starting_position      = "LATEST"
      batch_size             = 10
      maximum_retry_attempts = var.delay_seconds
      dead_letter_config {
        arn = aws_sqs_queue.dead.arn
      }
    }
  }
  target_parameters {
    step_function_state_machine_parameters {
      invocation_type = "FIRE_AND_FORGET"
    }
  }
}
