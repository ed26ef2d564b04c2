resource "aws_cloudwatch_log_group" "functions" {
  name              = "/tidal/functions"
  retention_in_days = local.whole ? var.delay_seconds : 0
}

resource "aws_cloudwatch_log_group" "workflows" {
  name = "/tidal/workflows-${var.generation}"
}

resource "aws_cloudwatch_log_stream" "notes" {
  name           = "notes"
  log_group_name = aws_cloudwatch_log_group.functions.name
}

resource "aws_cloudwatch_log_metric_filter" "errors" {
  name           = "tidal-errors"
  log_group_name = aws_cloudwatch_log_group.functions.name
  pattern        = "{ $.level = \"ERROR\" && $.delay > ${var.delay_seconds} }"
  metric_transformation {
    name          = "Errors"
    namespace     = "Tidal"
    value         = "1"
    default_value = "0"
    unit          = "Count"
  }
}

resource "aws_cloudwatch_metric_alarm" "errors" {
  alarm_name          = "tidal-errors"
  alarm_description   = local.whole ? "functions that fail" : null
  namespace           = "AWS/Lambda"
  metric_name         = "Errors"
  dimensions          = { FunctionName = aws_lambda_function.forward.function_name }
  statistic           = "Sum"
  period              = 60
  evaluation_periods  = 3
  datapoints_to_alarm = 2
  threshold           = var.delay_seconds
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = local.whole ? [aws_sns_topic.news.arn] : []
}

resource "aws_cloudwatch_metric_alarm" "slow" {
  alarm_name          = "tidal-slow-${var.generation}"
  namespace           = "AWS/Lambda"
  metric_name         = "Duration"
  extended_statistic  = "p99"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1000
  comparison_operator = "GreaterThanThreshold"
}

resource "aws_ecr_repository" "images" {
  name                 = "tidal/images"
  image_tag_mutability = "IMMUTABLE"
  force_delete         = true
  image_scanning_configuration {
    scan_on_push = true
  }
}

resource "aws_ecr_lifecycle_policy" "images" {
  repository = aws_ecr_repository.images.name
  policy = jsonencode({ rules = [{
    rulePriority = 1, description = "few", action = { type = "expire" }
    selection    = { tagStatus = "any", countType = "imageCountMoreThan", countNumber = var.delay_seconds }
  }] })
}

resource "aws_ecr_repository_policy" "images" {
  repository = aws_ecr_repository.images.name
  policy = jsonencode({ Version = "2012-10-17", Statement = [{
    Sid       = "Pull", Effect = "Allow", Action = "ecr:BatchGetImage",
    Principal = { AWS = "arn:aws:iam::${data.aws_caller_identity.current.account_id}:root" }
  }] })
}

resource "aws_cloudformation_stack" "inner" {
  name       = "tidal-inner"
  parameters = { Delay = var.delay_seconds }
  template_body = jsonencode({
    Parameters = { Delay = { Type = "Number" } }
    Resources  = { Queue = { Type = "AWS::SQS::Queue", Properties = { DelaySeconds = { Ref = "Delay" } } } }
    Outputs = {
      Url   = { Value = { Ref = "Queue" } }
      Delay = { Value = { Ref = "Delay" }, Export = { Name = "tidal-delay" } }
    }
  })
}

output "inner_queue" {
  value = aws_cloudformation_stack.inner.outputs["Url"]
}
