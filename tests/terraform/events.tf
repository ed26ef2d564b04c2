resource "aws_cloudwatch_event_bus" "orders" {
  name = "tidal-orders"
}

resource "aws_cloudwatch_event_rule" "orders" {
  name           = "tidal-orders"
  event_bus_name = aws_cloudwatch_event_bus.orders.name
  description    = local.whole ? "delay ${var.delay_seconds}" : null
  event_pattern  = jsonencode({ source = ["tidal"], detail = { amount = [{ numeric = [">", var.delay_seconds] }] } })
}

resource "aws_cloudwatch_event_target" "function" {
  rule           = aws_cloudwatch_event_rule.orders.name
  event_bus_name = aws_cloudwatch_event_bus.orders.name
  target_id      = "function"
  arn            = aws_lambda_function.forward.arn
  dynamic "input_transformer" {
    for_each = local.once
    content {
      input_paths    = { amount = "$.detail.amount" }
      input_template = "{\"amount\": <amount>, \"delay\": ${var.delay_seconds}}"
    }
  }
  dynamic "retry_policy" {
    for_each = local.once
    content {
      maximum_event_age_in_seconds = 3600
      maximum_retry_attempts       = 3
    }
  }
  dynamic "dead_letter_config" {
    for_each = local.once
    content {
      arn = aws_sqs_queue.dead.arn
    }
  }
}

resource "aws_cloudwatch_event_rule" "often" {
  name                = "tidal-often"
  schedule_expression = "rate(${var.delay_seconds} minutes)"
  state               = "DISABLED"
}

resource "aws_cloudwatch_event_target" "destination" {
  rule     = aws_cloudwatch_event_rule.often.name
  arn      = aws_cloudwatch_event_api_destination.partner.arn
  role_arn = aws_iam_role.events.arn
  http_target {
    header_parameters       = { "x-delay" = var.delay_seconds }
    path_parameter_values   = ["orders"]
    query_string_parameters = { from = "tidal" }
  }
}

resource "aws_cloudwatch_event_archive" "orders" {
  name             = "tidal-orders"
  event_source_arn = aws_cloudwatch_event_bus.orders.arn
  retention_days   = var.delay_seconds
}

resource "aws_cloudwatch_event_permission" "orders" {
  statement_id   = "partner"
  event_bus_name = aws_cloudwatch_event_bus.orders.name
  principal      = "111122223333"
}

resource "aws_cloudwatch_event_connection" "partner" {
  name               = "tidal-partner"
  authorization_type = "API_KEY"
  auth_parameters {
    api_key {
      key   = "x-key"
      value = "secret"
    }
  }
}

resource "aws_cloudwatch_event_api_destination" "partner" {
  name                             = "tidal-partner"
  connection_arn                   = aws_cloudwatch_event_connection.partner.arn
  invocation_endpoint              = "https://127.0.0.1/*"
  http_method                      = "POST"
  invocation_rate_limit_per_second = var.delay_seconds
}

resource "aws_scheduler_schedule_group" "tides" {
  name = "tidal-${var.generation}"
}

resource "aws_scheduler_schedule" "high" {
  name                         = "tidal-high"
  group_name                   = aws_scheduler_schedule_group.tides.name
  schedule_expression          = "cron(0 ${var.delay_seconds} * * ? *)"
  schedule_expression_timezone = "Europe/Berlin"
  flexible_time_window {
    mode                      = "FLEXIBLE"
    maximum_window_in_minutes = 15
  }
  target {
    arn      = aws_sqs_queue.outbox.arn
    role_arn = aws_iam_role.events.arn
    input    = jsonencode({ tide = "high" })
    retry_policy {
      maximum_event_age_in_seconds = 3600
      maximum_retry_attempts       = 2
    }
    dead_letter_config {
      arn = aws_sqs_queue.dead.arn
    }
  }
}

resource "aws_scheduler_schedule" "universal" {
  name                = "tidal-universal"
  schedule_expression = "at(2037-11-20T13:00:00)"
  state               = "DISABLED"
  flexible_time_window {
    mode = "OFF"
  }
  target {
    arn      = "arn:aws:scheduler:::aws-sdk:sqs:sendMessage"
    role_arn = aws_iam_role.events.arn
    input    = jsonencode({ QueueUrl = aws_sqs_queue.outbox.url, MessageBody = "low" })
  }
}

resource "aws_cloudwatch_event_bus_policy" "news" {
  event_bus_name = aws_cloudwatch_event_bus.news.name
  policy = jsonencode({ Version = "2012-10-17", Statement = [{
    Sid       = "partner", Effect = "Allow", Action = "events:PutEvents", Resource = aws_cloudwatch_event_bus.news.arn,
    Principal = { AWS = "arn:aws:iam::111122223333:root" }
  }] })
}

resource "aws_cloudwatch_event_bus" "news" {
  name = "tidal-news"
}
